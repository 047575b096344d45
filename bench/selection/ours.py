"""fastcaf: the default, every rule by name, and every option that this version offers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from bench.selection.answer import Answer, Method
from fastcaf import CAFHFCM
from fastcaf.selection.rules import RULES

DEFAULT = "default"
# Options that some versions offer; a value that is the default already is not run again.
OPTIONS = {"membership": ("fcm", "entropy", "auto"), "fusion_weights": ("uniform", "mass")}


def fit(parameters: dict[str, Any], X: np.ndarray, seed: int) -> Answer:
    """One fit; the note is its ranking, best first."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = CAFHFCM(random_state=seed, n_jobs=1, **parameters).fit(X)
    ranking = ", ".join(f"{c.n_clusters} ({c.score:.2f})" for c in model.selection_[:4])
    warned = any("Structure" in warning.category.__name__ for warning in caught)
    return Answer(model.labels_, model.n_clusters_, warned, ranking)


def variants() -> Iterator[tuple[str, dict[str, Any]]]:
    """Names and parameters to compare."""
    yield DEFAULT, {}
    standard = CAFHFCM().get_params()
    for rule in RULES:
        if rule != standard["selection"]:
            yield f"rule:{rule}", {"selection": rule}
    for option, values in OPTIONS.items():
        for value in values:
            try:
                CAFHFCM(**{option: value})
            except TypeError:
                continue
            if value != standard[option]:
                yield f"{option}:{value}", {option: value}


OURS = tuple(
    Method(name, partial(fit, parameters), is_ours=True) for name, parameters in variants()
)
