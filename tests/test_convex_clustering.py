"""Convex clustering as users see it: the path, cuts, laws, weights of pairs, bad input."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import is_valid_linkage
from scipy.sparse import coo_array, csr_array
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import fastcaf
from fastcaf import (
    BeyondPathWarning,
    ConvexClustering,
    DegenerateDataWarning,
    DisconnectedWeightsWarning,
    InterruptedFitWarning,
)
from fastcaf.fusion import convex_path
from fastcaf.fusion.convex_graph import graph_of
from fastcaf.fusion.edges import neighbours


@pytest.fixture
def X(rng):
    """Two clouds whose graph of 20 neighbours is in one part."""
    return np.concatenate([rng.normal(size=(40, 2)), rng.normal(3.0, size=(25, 2))])


@pytest.fixture
def model(X):
    return ConvexClustering(n_neighbors=30).fit(X)


def partitions(model):
    """Labels of every level, and its gamma."""
    return [
        (level.gamma, model.cut(gamma=level.gamma).labels.tolist())
        for level in model.path_.levels
    ]


def same_partitions(one, other, scale=1.0):
    """The same path up to rounding: fusions that come at the same gamma, times ``scale``."""
    assert len(one.path_.levels) == len(other.path_.levels)
    np.testing.assert_allclose(other.path_.gammas, scale * one.path_.gammas, rtol=1e-9)
    for (_, mine), (_, its) in zip(partitions(one), partitions(other), strict=True):
        assert adjusted_rand_score(mine, its) == 1.0


# The answer


def test_well_separated_clusters_are_found():
    X, y = make_blobs(200, n_features=5, centers=4, random_state=0)
    with pytest.warns(DisconnectedWeightsWarning, match="4 components.*Raise n_neighbors"):
        model = ConvexClustering().fit(X)
    assert (model.n_clusters_, model.n_components_) == (4, 4)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert model.path_.n_clusters[-1] == 4
    assert model.selection_[0].n_clusters == 4
    assert is_valid_linkage(model.linkage_)
    with pytest.warns(BeyondPathWarning, match="average linkage"):
        two = model.cut(n_clusters=2)
    assert np.unique(two.labels).tolist() == [0, 1]


def test_moons_are_a_cut_of_the_path():
    X, y = make_moons(300, noise=0.05, random_state=0)
    model = ConvexClustering(n_clusters=2).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert model.selection_ == []


def test_attributes_fit_together(model, X):
    c, path = model.n_clusters_, model.path_
    assert path.n_clusters[0] == len(X)
    np.testing.assert_array_equal(np.unique(path.levels[0].centroids), np.unique(path.start))
    assert path.n_clusters[-1] == model.n_components_ == 1
    assert (np.diff(path.n_clusters) <= 0).all()
    assert (np.diff(path.gammas) > 0).all()
    assert all(level.duality_gap <= model.tol for level in path.levels)
    assert model.gamma_ in path.gammas
    assert model.converged_ is True
    assert model.n_iter_ == sum(level.n_sweeps for level in path.levels) > 0
    assert np.unique(model.labels_).tolist() == list(range(c))
    sizes = np.bincount(model.labels_)
    np.testing.assert_allclose(model.cluster_masses_, sizes)
    assert (np.diff(sizes) <= 0).all()
    for k in range(c):
        np.testing.assert_allclose(model.cluster_means_[k], X[model.labels_ == k].mean(axis=0))
    np.testing.assert_array_equal(model.memberships_.argmax(axis=1), model.labels_)
    np.testing.assert_array_equal(model.memberships_.sum(axis=0), sizes)
    assert is_valid_linkage(model.linkage_)
    assert len(model.linkage_) == len(X) - 1


def test_the_mean_of_the_centroids_stays(model, X):
    for level in model.path_.levels:
        mean = level.mass @ level.centroids / level.mass.sum()
        np.testing.assert_allclose(mean, X.mean(axis=0), atol=1e-3)


def test_predictions_are_the_nearest_fused_centroids(model, rng):
    rows = rng.normal(scale=4.0, size=(30, 2))
    distances = np.linalg.norm(rows[:, None] - model.cluster_centers_, axis=2)
    np.testing.assert_array_equal(model.predict(rows), distances.argmin(axis=1))
    np.testing.assert_allclose(model.transform(rows), distances)
    np.testing.assert_array_equal(model.predict_proba(rows).argmax(axis=1), model.predict(rows))
    assert model.score(rows) == pytest.approx(-0.5 * (distances.min(axis=1) ** 2).sum())


def test_every_number_has_a_cut_and_they_are_nested(model, X):
    before = np.zeros(len(X), dtype=int)
    for c in (1, 2, 3, 5, 9, 20, 40, 65):
        cut = model.cut(n_clusters=c)
        assert cut.n_clusters == len(np.unique(cut.labels)) == len(cut.cluster_centers) == c
        assert cut.membership == "convex"
        pairs = set(zip(cut.labels.tolist(), before.tolist(), strict=True))
        assert len(pairs) == c  # each cluster is a part of one of those before
        np.testing.assert_array_equal(cut.memberships.argmax(axis=1), cut.labels)
        before = cut.labels
    np.testing.assert_array_equal(
        ConvexClustering(n_neighbors=30, n_clusters=5).fit_predict(X),
        model.cut(n_clusters=5).labels,
    )


def test_one_gamma_and_several(model, X):
    middle = model.path_.levels[len(model.path_.levels) // 2].gamma
    one = ConvexClustering(gamma=middle, n_neighbors=30).fit(X)
    assert one.gamma_ == pytest.approx(middle)
    assert one.n_clusters_ == model.cut(gamma=middle).n_clusters
    several = ConvexClustering(gamma=[middle, 1.5 * middle], n_neighbors=30).fit(X)
    np.testing.assert_allclose(several.path_.gammas[-2:], [middle, 1.5 * middle])
    assert several.gamma_ in several.path_.gammas
    nothing = ConvexClustering(gamma=0, n_neighbors=30).fit(X)
    assert nothing.n_clusters_ == len(X)
    assert nothing.objective_ == 0.0
    with pytest.warns(BeyondPathWarning, match="beyond the end of the path"):
        whole = ConvexClustering(gamma=1e9, n_neighbors=30).fit(X)
    assert whole.n_clusters_ == 1
    assert whole.objective_ == pytest.approx(0.5 * ((X - X.mean(axis=0)) ** 2).sum())


def test_many_levels_of_many_clusters_are_thinned(rng, monkeypatch):
    X = rng.normal(size=(120, 2))
    every = ConvexClustering(n_neighbors=20).fit(X)
    monkeypatch.setattr(convex_path, "MANY", 20)
    fewer = ConvexClustering(n_neighbors=20).fit(X)
    assert len(fewer.path_.levels) < len(every.path_.levels)
    assert fewer.n_iter_ == every.n_iter_
    np.testing.assert_array_equal(fewer.linkage_, every.linkage_)
    np.testing.assert_array_equal(fewer.labels_, every.labels_)


def test_a_tree_of_many_clusters_is_completed_along_the_edges(X, monkeypatch):
    monkeypatch.setattr(convex_path, "MOST_AT_ONCE", 10)
    model = ConvexClustering(gamma=1e-3, n_neighbors=30).fit(X)
    assert model.n_clusters_ > 10
    assert is_valid_linkage(model.linkage_)
    assert [merge.kind for merge in model.path_.merges][-1] == "beyond"


# Weights of the pairs


def test_weights_of_neighbours_are_gaussian(rng):
    X = rng.normal(size=(30, 3))
    edges = neighbours(X, np.ones(30), 4, 1.5)
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    nearest = np.argsort(distances, axis=1)[:, 1:5]
    expected = np.zeros((30, 30))
    for k in range(30):
        for j in nearest[k]:
            value = np.exp(-1.5 * distances[k, j] ** 2 / (distances**2).mean())
            expected[k, j] = expected[j, k] = value
    found = coo_array((edges.weight, edges.ends), (30, 30)).toarray()
    np.testing.assert_allclose(found, np.triu(expected))


@pytest.mark.parametrize("form", [csr_array, coo_array, np.asarray])
def test_a_matrix_of_weights_is_the_graph_it_says(X, model, form):
    edges = neighbours(X, np.ones(len(X)), 30, 2.0)
    upper = coo_array((edges.weight, edges.ends), (len(X), len(X))).toarray()
    given = ConvexClustering(weights=form(upper + upper.T + np.eye(len(X)))).fit(X)
    same_partitions(model, given)
    np.testing.assert_array_equal(given.labels_, model.labels_)


def test_all_pairs_are_uniform_weights(X):
    uniform = ConvexClustering(weights="uniform").fit(X)
    same_partitions(uniform, ConvexClustering(weights=np.ones((len(X),) * 2)).fit(X))
    same_partitions(uniform, ConvexClustering(phi=0, n_neighbors=len(X)).fit(X))


def test_rows_without_weights_stay_alone(X):
    weights = np.ones((len(X), len(X)))
    weights[0, :] = weights[:, 0] = 0.0
    with pytest.warns(DisconnectedWeightsWarning, match="2 components.*Add weights"):
        model = ConvexClustering(weights=weights, n_clusters=2).fit(X)
    assert model.labels_.tolist() == [1] + [0] * (len(X) - 1)
    with pytest.warns(DisconnectedWeightsWarning, match=f"{len(X)} components"):
        alone = ConvexClustering(weights=csr_array(weights.shape), gamma=5.0).fit(X)
    assert alone.n_clusters_ == len(X)


# Laws


@pytest.mark.parametrize("weights", ["neighbours", "uniform"])
class TestLaws:
    def fit(self, weights, X, **options):
        return ConvexClustering(weights=weights, n_neighbors=30).fit(X, **options)

    def test_scale_and_shift(self, X, weights):
        model = self.fit(weights, X)
        other = self.fit(weights, 1000.0 * X + 7.0)
        same_partitions(model, other, 1000.0)
        assert other.objective_ == pytest.approx(1e6 * model.objective_, rel=1e-5)
        binary = self.fit(weights, 4.0 * X)
        np.testing.assert_array_equal(binary.labels_, model.labels_)
        np.testing.assert_allclose(binary.cluster_centers_, 4.0 * model.cluster_centers_)

    def test_rotation(self, X, weights):
        turned = X @ np.array([[0.6, -0.8], [0.8, 0.6]])
        same_partitions(self.fit(weights, X), self.fit(weights, turned))

    def test_permutation(self, X, weights, rng):
        order = rng.permutation(len(X))
        model, other = self.fit(weights, X), self.fit(weights, X[order])
        np.testing.assert_allclose(other.path_.gammas, model.path_.gammas, rtol=1e-12)
        np.testing.assert_array_equal(other.labels_, model.labels_[order])

    def test_a_weight_is_a_number_of_copies(self, X, weights, rng):
        copies = rng.integers(0, 4, len(X))
        weighted = self.fit(weights, X, sample_weight=copies)
        repeated = self.fit(weights, np.repeat(X, copies, axis=0))
        np.testing.assert_allclose(weighted.path_.gammas, repeated.path_.gammas)
        np.testing.assert_array_equal(np.repeat(weighted.labels_, copies), repeated.labels_)
        np.testing.assert_allclose(weighted.cluster_masses_, repeated.cluster_masses_)
        assert weighted.objective_ == pytest.approx(repeated.objective_)

    def test_rows_of_weight_zero_go_with_the_nearest_row(self, X, weights):
        new = X[:5] + 1e-3
        both, weight = np.concatenate([X, new]), np.repeat([1.0, 0.0], [len(X), 5])
        model = self.fit(weights, both, sample_weight=weight)
        np.testing.assert_array_equal(model.labels_[: len(X)], self.fit(weights, X).labels_)
        np.testing.assert_array_equal(model.labels_[len(X) :], model.labels_[:5])


def test_a_weight_is_a_number_of_copies_with_a_matrix_too(X, rng):
    copies = rng.integers(1, 4, len(X))
    matrix = np.exp(-(np.linalg.norm(X[:, None] - X, axis=2) ** 2))
    weighted = ConvexClustering(weights=matrix).fit(X, sample_weight=copies)
    repeated = np.repeat(np.repeat(matrix, copies, axis=0), copies, axis=1)
    other = ConvexClustering(weights=repeated).fit(np.repeat(X, copies, axis=0))
    for c in (2, 3, 5):
        mine = np.repeat(weighted.cut(n_clusters=c).labels, copies)
        assert adjusted_rand_score(mine, other.cut(n_clusters=c).labels) == 1.0


# Files, ends, bad input


def test_a_model_comes_back_from_its_file(model, X, tmp_path):
    model.save(tmp_path / "model.fcaf")
    twin = fastcaf.load(tmp_path / "model.fcaf")
    assert twin.get_params() == model.get_params()
    for name in ("labels_", "cluster_centers_", "cluster_means_", "linkage_", "memberships_"):
        np.testing.assert_array_equal(getattr(twin, name), getattr(model, name), err_msg=name)
    for name in ("gamma_", "duality_gap_", "objective_", "n_components_", "n_iter_"):
        assert getattr(twin, name) == getattr(model, name), name
    assert [one.n_clusters for one in twin.selection_] == [
        one.n_clusters for one in model.selection_
    ]
    for c in (1, 2, 7, 30):
        mine, its = model.cut(n_clusters=c), twin.cut(n_clusters=c)
        np.testing.assert_array_equal(its.labels, mine.labels)
        np.testing.assert_array_equal(its.cluster_centers, mine.cluster_centers)


def test_a_matrix_of_weights_is_not_stored(X, tmp_path):
    model = ConvexClustering(weights=csr_array(np.ones((len(X),) * 2))).fit(X)
    with pytest.warns(fastcaf.UnstoredParameterWarning, match="weights"):
        model.save(tmp_path / "model.fcaf")
    twin = fastcaf.load(tmp_path / "model.fcaf")
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))


def test_ctrl_c_keeps_the_levels_reached(X, monkeypatch):
    solve, calls = convex_path.FusedGraph.solve, []

    def interrupted(self, *arguments, **options):
        calls.append(1)
        if len(calls) > 20:
            raise KeyboardInterrupt
        return solve(self, *arguments, **options)

    monkeypatch.setattr(convex_path.FusedGraph, "solve", interrupted)
    with pytest.warns(InterruptedFitWarning, match="interrupted at gamma"):
        model = ConvexClustering(n_neighbors=30).fit(X)
    assert 1 < len(model.path_.levels) <= 21
    assert model.path_.interrupted
    assert is_valid_linkage(model.linkage_)


def test_a_time_limit_ends_the_path(X):
    with pytest.warns(InterruptedFitWarning, match="time_limit=1e-09"):
        model = ConvexClustering(time_limit=1e-9, n_neighbors=30).fit(X)
    assert len(model.path_.levels) == 1


def test_a_gap_above_the_tolerance_is_said(X):
    gamma = ConvexClustering(n_neighbors=30).fit(X).gamma_ / 2.0
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1 .*Raise max_iter or tol"):
        model = ConvexClustering(gamma=gamma, n_neighbors=30, max_iter=1, tol=1e-12).fit(X)
    assert model.converged_ is False
    assert np.isfinite(model.cluster_centers_).all()


def test_degenerate_data():
    with pytest.warns(DegenerateDataWarning, match="one distinct row"):
        model = ConvexClustering().fit(np.ones((4, 2)))
    assert model.labels_.tolist() == [0, 0, 0, 0]
    with pytest.warns(DegenerateDataWarning, match="one distinct row"):
        model = ConvexClustering(weights=np.ones((4, 4))).fit(np.ones((4, 2)))
    assert model.cut(n_clusters=1).n_clusters == 1
    two = ConvexClustering().fit([[0.0], [0.0], [1.0]])
    assert two.path_.n_clusters.tolist()[0] == 2
    assert two.cut(n_clusters=2).labels.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"weights": "gauss"}, ValueError, "'neighbours', 'uniform' or a matrix"),
        ({"weights": 3}, TypeError, "sparse matrix"),
        ({"weights": np.ones((3, 3))}, ValueError, "65 rows of X, got shape"),
        ({"weights": np.triu(np.ones((65, 65)))}, ValueError, r"symmetric.*weights\.T"),
        ({"weights": -np.ones((65, 65))}, ValueError, "negative"),
        ({"weights": np.full((65, 65), np.nan)}, ValueError, "NaN"),
        ({"n_neighbors": 0}, ValueError, "n_neighbors must be at least 1"),
        ({"phi": -1.0}, ValueError, "phi"),
        ({"gamma": -1.0}, ValueError, "gamma"),
        ({"gamma": [2.0, 1.0]}, ValueError, "increase"),
        ({"gamma": 1.0, "n_clusters": 2}, ValueError, "either n_clusters or one gamma"),
        ({"gamma_ratio": 1.0}, ValueError, "gamma_ratio"),
        ({"tol": 0.0}, ValueError, "tol"),
        ({"max_iter": 0}, ValueError, "max_iter"),
        ({"n_clusters": 66}, ValueError, "65 distinct rows"),
    ],
)
def test_bad_parameters_say_what_to_do(X, options, error, words):
    with pytest.raises(error, match=words):
        ConvexClustering(**options).fit(X)


def test_bad_cuts_say_what_to_do(model):
    with pytest.raises(ValueError, match="Give either"):
        model.cut()
    with pytest.raises(ValueError, match="65 distinct rows"):
        model.cut(n_clusters=66)
    with pytest.raises(ValueError, match="gamma"):
        model.cut(gamma=-1.0)


def test_a_graph_takes_memory_by_its_edges(rng):
    X = rng.normal(size=(2000, 3))
    training = fastcaf.data.training_data.TrainingData(X, np.empty(0))
    graph, leaves = graph_of(training, "neighbours", 10, 2.0)
    assert 2000 * 5 <= len(graph.edges.weight) <= 2000 * 10
    assert graph.multipliers.shape == (len(graph.edges.weight), 3)
    assert np.unique(leaves).size == 2000
