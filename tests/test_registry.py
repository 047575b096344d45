"""A new membership model: its own class and one line of the registry, and all else knows it.

The model of these tests keeps an array with one entry for each cluster, the mass of the last
pass: it has to follow its centroid through fusions, drops, cuts, ordering and files.
"""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

import fastcaf
import reference
from fastcaf import CAFHFCM
from fastcaf.cli.commands import options
from fastcaf.cli.commands.main import _parser
from fastcaf.estimators import search_options
from fastcaf.fusion.cuts import level_at_number
from fastcaf.memberships import MEMBERSHIPS, MODELS, MembershipModel, Statistics
from fastcaf.storage import parts


@dataclass(frozen=True)
class Remembering(MembershipModel):
    """Entropy memberships in NumPy, with a fixed temperature and the masses seen last."""

    temperature: float = 0.02
    seen: np.ndarray = field(default_factory=lambda: np.empty(0))

    name = "remembering"
    adapts = True

    @property
    def fuzzifier(self):
        return 1.0

    @property
    def parameters(self):
        return np.array([self.temperature])

    @classmethod
    def from_parameters(cls, parameters):
        return cls(*parameters.tolist())

    @property
    def arrays(self):
        return {"seen": self.seen} if len(self.seen) else {}

    def with_arrays(self, arrays):
        return replace(self, **arrays)

    def merged(self, labels, weight, centroids):
        sums = np.bincount(labels[labels >= 0], self.seen[labels >= 0])
        return replace(self, seen=sums)

    def adapted(self, statistics):
        return replace(self, seen=statistics.mass)

    def memberships(self, rows, centroids):
        distances = reference.squared_distances(rows, centroids)
        mu = np.exp(-(distances - distances.min(axis=1, keepdims=True)) / self.temperature)
        return mu / mu.sum(axis=1, keepdims=True)

    def statistics(self, rows, row_weights, centroids, scatter=None):
        assert len(self.seen) in (0, len(centroids))
        distances = reference.squared_distances(rows, centroids)
        mu = self.memberships(rows, centroids)
        mass = mu.sum(axis=0)
        nearest = distances.min(axis=1).sum()
        return Statistics(mass, mu.T @ rows, mass, (mu * distances).sum(), mass, nearest)


@pytest.fixture
def model(monkeypatch, X):
    monkeypatch.setitem(MODELS, Remembering.name, Remembering)
    monkeypatch.setattr(parts, "PATH_NAMES", (*parts.PATH_NAMES, Remembering.name))
    for module in (search_options, options):
        monkeypatch.setattr(module, "MEMBERSHIPS", (*MEMBERSHIPS, Remembering.name))
    return CAFHFCM(membership="remembering", random_state=0).fit(X)


def test_a_new_model_is_followed_like_the_others(model, X):
    assert model.n_clusters_ == 5
    assert model.membership_ == "remembering"
    assert len({level.n_clusters for level in model.path_.levels}) > 5
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_its_arrays_follow_the_centroids(model):
    for level in model.path_.levels:
        (seen,) = level.model.arrays.values()
        assert len(seen) == level.n_clusters
        assert seen.sum() == pytest.approx(300)
    # Of the last pass but one: nearly the masses that are reported, in their order.
    np.testing.assert_allclose(model._fitted_model.seen, model.cluster_masses_, rtol=0.02)
    skipped = set(range(2, 34)) - set(model.path_.n_clusters.tolist())
    for c in (2, 4, *skipped):
        level = level_at_number(model.path_, c)
        np.testing.assert_allclose(level.model.seen, level.mass, rtol=0.05, atol=1.0)


def test_it_is_stored_with_its_arrays(model, X, tmp_path):
    model.save(tmp_path / "m.fcaf")
    loaded = fastcaf.load(tmp_path / "m.fcaf")
    np.testing.assert_array_equal(loaded._fitted_model.seen, model._fitted_model.seen)
    for one, other in zip(loaded.path_.levels, model.path_.levels, strict=True):
        np.testing.assert_array_equal(one.model.seen, other.model.seen)
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_the_command_line_offers_it(model):
    chosen = _parser().parse_args(["cluster", "rows.csv", "--membership", "remembering"])
    assert chosen.membership == "remembering"
