"""The noise cluster's distance at the beginning of a level, and who asks for one.

Within a level it stays: an objective whose terms moved would have nothing to descend.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.data.sources import RowSource
from fastcaf.data.training_data import TrainingData
from fastcaf.memberships.base import MembershipModel, Statistics
from fastcaf.memberships.entropy import EntropyMemberships
from fastcaf.memberships.gaussian import GaussianMemberships
from fastcaf.memberships.noise import FIRST_SHARE, OFF, Noise

__all__ = [
    "check_held",
    "hard_memberships",
    "noise_cost",
    "noise_mass",
    "noise_rule",
    "plain_noise",
    "renewed_noise",
    "with_noise_around",
]

# Passes in which the distance and what lies beyond it may settle, and when they have.
ROUNDS, SETTLED = 10, 0.01

Model = TypeVar("Model", bound=MembershipModel)


def noise_rule(noise: float | str | None, training: TrainingData) -> Noise | None:
    """How the noise cluster is chosen for these rows: None, "auto", or delta in their units."""
    if noise is None or noise == OFF:
        return None
    n_features = EntropyMemberships().suited_to(training.rows.extent).n_features
    widths = _widths(training, n_features)
    if isinstance(noise, str):
        return Noise(None, n_features, widths)
    with np.errstate(over="ignore"):
        squared = float(np.square(noise / training.coordinates.scale) * training.squared_unit)
    return Noise(max(squared, float(np.finfo(np.float32).tiny)), n_features, widths)


def _widths(training: TrainingData, n_features: int) -> tuple[float, ...]:
    """How wide the rows' box is along their principal axes."""
    rows = training.rows.in_memory()
    _, axes = np.linalg.eigh(rows.second_moments())
    extent = np.sort(np.ptp(rows.rows @ axes, axis=0).astype(np.float64))[-n_features:]
    return tuple(extent.tolist())


def hard_memberships(model: MembershipModel) -> EntropyMemberships:
    """Memberships of 0 and 1 with the model's distances, and its noise cluster."""
    if isinstance(model, EntropyMemberships):
        return model.hard
    if model.is_likelihood:
        return EntropyMemberships()
    return EntropyMemberships(noise=model.noise)


def plain_noise(model: MembershipModel) -> float:
    """The noise's squared distance in the features as they are; infinite where it has none."""
    if model.is_likelihood or (isinstance(model, EntropyMemberships) and model.scales):
        return OFF
    return model.noise


def noise_mass(model: MembershipModel, statistics: Statistics, total: float) -> float:
    """What the noise cluster holds of rows with this total weight."""
    return 0.0 if model.noise == OFF else max(total - float(statistics.mass.sum()), 0.0)


def check_held(model: MembershipModel, statistics: Statistics) -> None:
    """Refuse a distance at which the noise cluster holds everything."""
    if model.noise < OFF and not float(statistics.mass.sum()) > 0.0:
        raise ValueError(
            "The noise cluster leaves no row to any cluster: all rows are farther from all "
            'centroids than noise. Give a larger distance, or take noise="auto".'
        )


def renewed_noise(
    model: MembershipModel, statistics: Statistics, rows: RowSource, centroids: FloatArray
) -> MembershipModel:
    """The model with the noise cluster that its rule asks for; itself where that stays."""
    rule = model.noise_rule
    if rule is None:
        return model
    total = rows.total_weight
    if isinstance(model, GaussianMemberships):
        known = model.noise < OFF
        share = noise_mass(model, statistics, total) / total if known else FIRST_SHARE
        return model.with_background(share)
    if rule.squared is not None:
        return model
    return _settled_noise(model, rule, rows, centroids)


def noise_cost(model: MembershipModel, rows: RowSource, centroids: FloatArray) -> float:
    """Minus the likelihood of rows under round clusters and the background, up to a constant.

    What fits with noise clusters at different distances are compared by.
    """
    assert model.noise_rule is not None
    d, hard = model.noise_rule.n_features, hard_memberships(model)
    found = rows.statistics(hard, centroids)
    variance = found.nearest / (float(found.mass.sum()) * d)
    if not variance > 0.0:
        return -np.inf
    found = rows.statistics(replace(hard, temperature=2.0 * variance), centroids)
    return found.data_term / variance + 0.5 * d * rows.total_weight * float(np.log(variance))


def with_noise_around(
    rows: RowSource, centroids: FloatArray, rule: Noise | None
) -> EntropyMemberships:
    """Memberships of 0 and 1, with the noise cluster that the rule asks for."""
    if rule is None:
        return EntropyMemberships()
    hard = EntropyMemberships().with_noise(rule)
    return hard if rule.squared is not None else _settled_noise(hard, rule, rows, centroids)


def _settled_noise(model: Model, rule: Noise, rows: RowSource, centroids: FloatArray) -> Model:
    """The distance, and what lies beyond it, as they settle around these centroids.

    From all rows, whatever was noise before: around centroids that the penalty pulls away from
    their rows that would be more and more.
    """
    every = float(np.square(rows.extent, dtype=np.float64).sum()) or 1.0
    rounding = float(64 * np.finfo(rows.extent.dtype).eps) ** 2 * every
    hard, share = replace(hard_memberships(model), noise=OFF), FIRST_SHARE
    for _ in range(ROUNDS):
        found = rows.statistics(hard, centroids)
        held = float(found.mass.sum())
        if held <= 0.0:
            break
        share = 1.0 - held / rows.total_weight if hard.noise < OFF else share
        d, variance = rule.n_features, found.nearest / (held * rule.n_features)
        if not variance > rounding:  # rows lie on the centroids, and none is beyond this:
            return model.changed(noise=every)
        peak = d * np.log(variance) + 2.0 * np.log(len(centroids))
        before, noise = hard.noise, variance * rule.reach(variance, peak, share)
        hard = replace(hard, temperature=2.0 * variance, noise=noise)
        if abs(noise - before) <= SETTLED * noise:
            break
    return model.changed(noise=hard.noise)
