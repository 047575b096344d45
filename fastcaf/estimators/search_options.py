"""From an estimator's parameters to a search, with checks of what needs no data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastcaf.data.training_data import TrainingData
from fastcaf.memberships import AUTO, MEMBERSHIPS, MODELS, MembershipModel
from fastcaf.parameters import (
    COVARIANCE_TYPES,
    FUSION_WEIGHTS,
    check_automatic,
    check_bandwidth,
    check_choice,
    check_flag,
    check_fuzzifier,
    check_gammas,
    check_integer,
    check_noise,
    check_number,
    check_rule,
    check_starting_number,
)
from fastcaf.selection.rules import RULES, Rule
from fastcaf.selection.search import Search

__all__ = ["check_softness", "models_for", "search_of"]


def check_softness(estimator: Any) -> None:
    """Check what makes memberships soft, as far as it can be told without data."""
    check_automatic(estimator.fuzzifier, check_fuzzifier)
    check_automatic(estimator.bandwidth, check_bandwidth)


def models_for(
    estimator: Any, kinds: Mapping[str, type[MembershipModel]], training: TrainingData
) -> dict[str, MembershipModel]:
    """The models that paths on these rows start with, by name."""
    options = estimator.get_params(deep=False)
    return {name: kind.from_options(options, training) for name, kind in kinds.items()}


def search_of(estimator: Any) -> tuple[Search, dict[str, type[MembershipModel]]]:
    """The search that a ``CAFHFCM`` asks for, and the kinds of models of its paths by name."""
    gammas = check_gammas(estimator.gamma)
    n_clusters = estimator.n_clusters
    if n_clusters is not None:
        check_integer("n_clusters", n_clusters, least=1)
        if isinstance(gammas, float):
            raise ValueError(
                f"n_clusters={n_clusters} and gamma={gammas} both name a level: "
                "give one of them, or an array of gammas."
            )
    check_starting_number(estimator.n_start)
    check_flag("store_memberships", estimator.store_memberships)
    check_integer("verbose", estimator.verbose, least=0)
    name = check_choice("membership", estimator.membership, MEMBERSHIPS)
    shape = check_choice("covariance_type", estimator.covariance_type, COVARIANCE_TYPES)
    rule = _rule(estimator.selection, name, gammas is not None)
    names: tuple[str, ...] = (shape,) if name == "gaussian" else (name,)
    if name == "auto":
        names = AUTO if rule is None else ("fcm", "entropy")
        if gammas is not None:  # whose meaning differs between models: the paper's is meant
            names = ("fcm",)
    check_softness(estimator)
    weights = check_choice("fusion_weights", estimator.fusion_weights, FUSION_WEIGHTS)
    noise = check_noise(estimator.noise)
    models = {one: MODELS.get(one, MODELS["entropy"]) for one in names}
    if noise is not None and not all(model.has_noise for model in models.values()):
        without = {key for key, model in MODELS.items() if not model.has_noise}
        able = [repr(one) for one in MEMBERSHIPS if one not in without]
        raise ValueError(
            f"noise={noise!r} with membership={name!r}, which has no noise cluster: take one "
            f"of {', '.join(able)}, or noise=None."
        )
    search = Search(
        gammas,
        n_clusters,
        rule=rule,
        ratio=check_number("gamma_ratio", estimator.gamma_ratio, above=1.0),
        prune=check_flag("prune", estimator.prune),
        tol=check_number("tol", estimator.tol, least=0.0),
        max_iter=check_integer("max_iter", estimator.max_iter, least=1),
        fusion_weights=weights,
        noise=noise,
    )
    return search, models


def _rule(selection: Any, membership: str, has_gammas: bool) -> Rule | None:
    """How the number is chosen; None is by likelihood."""
    if isinstance(selection, str) and selection == "auto":
        with_shapes = membership == "gaussian" or (membership == "auto" and not has_gammas)
        return None if with_shapes else RULES["persistence"]
    if isinstance(selection, str) and selection == "likelihood":
        return None
    return check_rule(selection, RULES, ("auto", "likelihood"))
