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
# Options that some versions offer, the others leave them out; defaults are not run again.
OPTIONS = {
    "membership": ("fcm", "entropy", "gaussian", "auto"),
    "fusion_weights": ("uniform", "mass", "neighbours"),
}


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
            if value != standard.get(option):
                yield f"{option}:{value}", {option: value}


def check(parameters: dict[str, Any]) -> None:
    """TypeError or ValueError where this version does not offer an option."""
    if parameters.keys() & OPTIONS.keys():
        fit(parameters, np.random.default_rng(0).normal(size=(30, 2)), 0)


OURS = tuple(
    Method(name, partial(fit, parameters), is_ours=True, check=partial(check, parameters))
    for name, parameters in variants()
)
