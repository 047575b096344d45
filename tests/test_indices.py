"""Validity indices against scikit-learn and slow twins, their laws, and where they end."""

import tracemalloc

import numpy as np
import pytest
from sklearn import metrics
from sklearn.cluster import KMeans

from fastcaf.data import array_rows
from fastcaf.data.array_rows import ArrayRows
from fastcaf.data.sources import BlockRows
from fastcaf.memberships import EntropyMemberships, FuzzyMemberships
from fastcaf.selection import indices
from fastcaf.selection.indices import INDICES, Partition, fuzzy_silhouette

NONE = np.empty(0)
CRISP = EntropyMemberships(0.0)
MODELS = [FuzzyMemberships(2.0), FuzzyMemberships(1.4), EntropyMemberships(0.7), CRISP]
by_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def problem(rng, n=90, d=3, c=4, dtype=np.float64):
    """Rows around centroids that are near their means, but not there."""
    U = 3.0 * rng.normal(size=(c, d))
    X = (U[rng.integers(0, c, n)] + rng.normal(size=(n, d))).astype(dtype)
    return X, U + 0.2 * rng.normal(size=(c, d))


def partition_of(X, a, U, model, unit=1.0):
    """Of rows with weights in some unit; see ``TrainingData`` for what one row weighs."""
    one_row = min(1.0, unit * a.mean()) / unit if len(a) else 1.0
    return Partition(ArrayRows(X, a, one_row), U, model)


def values_of(*arguments, **keywords):
    whole = partition_of(*arguments, **keywords)
    return {name: index(whole) for name, index in INDICES.items()}


def twin(X, a, U, model):
    """All indices from their definitions, with loops over rows and clusters."""
    X, mu = X.astype(float), model.memberships(X, U).astype(float)
    n, c, W = len(X), len(U), a.sum()
    m = model.fuzzifier if isinstance(model, FuzzyMemberships) else 1.0
    square = np.array([[((x - u) ** 2).sum() for u in U] for x in X])
    least = min(((U[k] - U[j]) ** 2).sum() for k in range(c) for j in range(k))
    coefficient = sum(a[i] * (mu[i] ** 2).sum() for i in range(n)) / W
    positive = [row[row > 0.0] for row in mu]
    entropy = -sum(a[i] * (p * np.log(p)).sum() for i, p in enumerate(positive)) / W

    labels = mu.argmax(axis=1)
    groups = [np.flatnonzero(labels == j) for j in range(c) if (labels == j).any()]
    k, one = len(groups), min(1.0, a.mean())
    means = [np.average(X[g], axis=0, weights=a[g]) for g in groups]
    middle = np.average(X, axis=0, weights=a)
    between = sum(a[g].sum() * ((u - middle) ** 2).sum() for g, u in zip(groups, means))  # noqa: B905
    within = sum(a[i] * ((X[i] - means[j]) ** 2).sum() for j in range(k) for i in groups[j])
    spread = [
        sum(a[i] * np.linalg.norm(X[i] - means[j]) for i in groups[j]) / a[groups[j]].sum()
        for j in range(k)
    ]
    worst = [
        max(
            (spread[j] + spread[l]) / np.linalg.norm(means[j] - means[l])
            for l in range(k)  # noqa: E741
            if l != j
        )
        for j in range(k)
    ]

    top = total = 0.0
    for j, group in enumerate(groups):
        for i in group:
            to = [sum(a[r] * np.linalg.norm(X[i] - X[r]) for r in g) for g in groups]
            size = [a[g].sum() for g in groups]
            outside = min(to[l] / size[l] for l in range(k) if l != j)  # noqa: E741
            silhouette = 0.0
            if size[j] > one:
                inside = to[j] / (size[j] - one)
                silhouette = (outside - inside) / max(inside, outside)
            low, high = np.sort(mu[i])[-2:]
            top += a[i] * (high - low) * silhouette
            total += a[i] * (high - low)
    return {
        "xie-beni": -(a[:, None] * mu**m * square).sum() / (W * least),
        "partition-coefficient": coefficient,
        "modified-partition-coefficient": 1.0 - c / (c - 1) * (1.0 - coefficient),
        "partition-entropy": -entropy,
        "fuzzy-silhouette": top / total,
        "calinski-harabasz": between / (k - 1) / (within / (W / one - k)),
        "davies-bouldin": -np.mean(worst),
    }


@by_model
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_indices_equal_the_twin(rng, model, dtype):
    X, U = problem(rng, dtype=dtype)
    assert values_of(X, NONE, U, model) == pytest.approx(twin(X, np.ones(len(X)), U, model))


@by_model
@pytest.mark.parametrize("most", [0.01, 1.0, 5.0])
def test_weighted_indices_equal_the_twin(rng, model, most):
    X, U = problem(rng)
    a = rng.uniform(0.1, 1.0, len(X)) * most
    assert values_of(X, a, U, model) == pytest.approx(twin(X, a, U, model))


def against_sklearn(X, U):
    found = values_of(X, NONE, U, CRISP)
    labels = CRISP.memberships(X, U).argmax(axis=1)
    assert found["fuzzy-silhouette"] == pytest.approx(metrics.silhouette_score(X, labels))
    expected = metrics.calinski_harabasz_score(X, labels)
    assert found["calinski-harabasz"] == pytest.approx(expected)
    assert found["davies-bouldin"] == pytest.approx(-metrics.davies_bouldin_score(X, labels))
    return labels


@pytest.mark.parametrize("c", [2, 3, 7, 20])
@pytest.mark.parametrize("d", [1, 4])
def test_crisp_indices_equal_scikit_learn(rng, c, d):
    against_sklearn(*problem(rng, n=200, d=d, c=c))


def test_a_row_alone_and_a_cluster_without_rows_as_in_scikit_learn(rng):
    X, U = problem(rng)
    X[17] = 50.0
    U = np.concatenate([[[-1e3, 0.0, 0.0]], U, [[51.0, 50.0, 50.0]]])
    labels = against_sklearn(X, U)
    assert 0 not in labels
    assert (labels == labels[17]).sum() == 1


@by_model
def test_the_silhouettes_are_those_of_scikit_learn_weighted_by_the_margins(rng, model):
    X, U = problem(rng)
    mu = model.memberships(X, U)
    silhouettes = metrics.silhouette_samples(X, mu.argmax(axis=1))
    low, high = np.sort(mu, axis=1)[:, -2:].T
    for alpha in (0.0, 1.0, 2.5):
        expected = np.average(silhouettes, weights=(high - low) ** alpha)
        found = fuzzy_silhouette(partition_of(X, NONE, U, model), alpha)
        assert found == pytest.approx(expected)


@by_model
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_weights_are_copies(rng, model, dtype):
    X, U = problem(rng, dtype=dtype)
    counts = rng.integers(1, 4, len(X))
    weighted = values_of(X, counts.astype(dtype), U, model)
    assert weighted == pytest.approx(values_of(np.repeat(X, counts, axis=0), NONE, U, model))


def test_weights_below_one_are_shares(rng):
    X, U = problem(rng)
    plain = values_of(X, NONE, U, MODELS[0])
    assert values_of(X, np.full(len(X), 1.0 / len(X)), U, MODELS[0]) == pytest.approx(plain)


def test_internal_weights_with_their_unit(rng):
    X, U = problem(rng)
    a = rng.integers(1, 4, len(X)).astype(float)
    plain = values_of(X, a, U, MODELS[0])
    assert values_of(X, a / 8.0, U, MODELS[0], unit=8.0) == plain
    without = values_of(X, a / 8.0, U, MODELS[0])
    assert without["calinski-harabasz"] != pytest.approx(plain["calinski-harabasz"])


@pytest.mark.parametrize("model", MODELS[:3], ids=repr)
@pytest.mark.parametrize("scale", [1e-100, 1e-3, 7.0, 1e100])
def test_scale(rng, model, scale):
    X, U = problem(rng)
    plain = values_of(X, NONE, U, model)
    if isinstance(model, EntropyMemberships):
        scale = max(scale, 1e-18)  # 1 / tau stays below 1e38; rows come scaled to the kernels
        model = EntropyMemberships(model.temperature * scale**2)
    assert values_of(scale * X, NONE, scale * U, model) == pytest.approx(plain, rel=1e-9)


@by_model
def test_shift_and_order(rng, model):
    """Multiples of 2^-10, so that the shift itself rounds nothing."""
    X, U = (np.round(1024.0 * one) / 1024.0 for one in problem(rng))
    plain = values_of(X, NONE, U, model)
    moved = values_of(X + 2.0**26, NONE, U + 2.0**26, model)
    assert moved == pytest.approx(plain, rel=1e-12)
    mixed = rng.permutation(len(X))
    assert values_of(X[mixed], NONE, U[::-1].copy(), model) == pytest.approx(plain, rel=1e-9)


def test_float32_rows_are_summed_in_float64(rng):
    """Crisp, so that nothing but the sums could differ."""
    X, U = problem(rng, n=50_000, d=2, dtype=np.float32)
    U = U.astype(np.float32).astype(float)
    single, double = (partition_of(X.astype(t), NONE, U, CRISP) for t in (np.float32, float))
    for name in set(INDICES) - {"fuzzy-silhouette"}:
        assert INDICES[name](single) == pytest.approx(INDICES[name](double), rel=1e-9), name


@by_model
def test_small_blocks_change_nothing(rng, monkeypatch, model):
    X, U = problem(rng)
    a = rng.uniform(1.0, 3.0, len(X))
    whole = values_of(X, a, U, model)
    monkeypatch.setattr(array_rows, "BLOCK", 7)
    assert values_of(X, a, U, model) == pytest.approx(whole)
    monkeypatch.setattr(array_rows, "ENTRIES", 1)
    assert values_of(X, a, U, model) == pytest.approx(whole)


@by_model
def test_rows_in_blocks_have_the_same_indices(rng, model):
    X, U = problem(rng)
    a = rng.uniform(0.1, 3.0, len(X))
    whole = partition_of(X, a, U, model)
    parts = [ArrayRows(X[i : i + 40], a[i : i + 40]) for i in range(0, 90, 40)]
    blocks = BlockRows(lambda: iter(parts), whole.rows.one_row, a.sum(), np.ptp(X, axis=0))
    in_blocks = Partition(blocks, U, model)
    for name in set(INDICES) - {"fuzzy-silhouette"}:
        assert INDICES[name](in_blocks) == pytest.approx(INDICES[name](whole)), name
    with pytest.raises(TypeError, match="never in memory all at once"):
        fuzzy_silhouette(in_blocks)


def test_silhouettes_of_many_rows_are_those_of_evenly_spaced_ones(rng, monkeypatch):
    X, U = problem(rng, n=101)
    a = rng.integers(1, 4, len(X)).astype(float)
    spaced = [i * 101 // 40 for i in range(40)]
    expected = fuzzy_silhouette(partition_of(X[spaced], a[spaced], U, MODELS[0]))
    monkeypatch.setattr(indices, "SILHOUETTE_ROWS", 40)
    assert fuzzy_silhouette(partition_of(X, a, U, MODELS[0])) == expected


def test_no_array_of_rows_by_clusters_or_rows_by_rows(rng):
    X, U = problem(rng, n=60_000, d=2, c=100)
    whole = partition_of(X, NONE, U, MODELS[2])
    tracemalloc.start()
    for name in INDICES:
        if name != "fuzzy-silhouette":
            INDICES[name](whole)
    few = partition_of(X[:4000], NONE, U, MODELS[2])
    fuzzy_silhouette(few)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 36e6  # rows by rows are 128 MB, rows by clusters 48


@pytest.mark.parametrize(
    "name", [n for n in INDICES if n not in ("partition-coefficient", "partition-entropy")]
)
def test_clear_clusters_have_the_largest_index(blobs, name):
    X = blobs[0]
    models = [KMeans(c, n_init=5, random_state=0).fit(X) for c in range(2, 9)]
    values = [
        INDICES[name](partition_of(X, NONE, model.cluster_centers_, FuzzyMemberships()))
        for model in models
    ]
    assert 2 + np.argmax(values) == 5


def test_one_cluster():
    X = np.arange(12.0).reshape(6, 2)
    for model in MODELS:
        found = values_of(X, NONE, X[:1], model)
        assert found.pop("partition-coefficient") == 1.0
        assert found.pop("partition-entropy") == 0.0
        assert set(found.values()) == {-np.inf}


LINE = np.arange(12.0)[:, None]
ENDS = {
    "one row": (LINE[:1], LINE[:2]),
    "two rows": (LINE[:2], LINE[:2]),
    "equal rows": (np.ones((5, 2)), np.array([[1.0, 1.0], [2.0, 0.0]])),
    "equal rows between centroids": (np.ones((5, 1)), np.array([[0.0], [2.0]])),
    "coinciding centroids": (LINE, np.array([[2.0], [2.0], [8.0]])),
    "two pairs of coinciding centroids": (LINE, np.array([[2.0], [8.0], [2.0], [8.0]])),
    "all centroids coincide": (LINE, np.full((3, 1), 2.0)),
    "centroids hardly apart": (LINE, np.array([[2.0], [np.nextafter(2.0, 3.0)], [8.0]])),
    "centroids apart by less than squares can tell": (LINE, np.array([[0.0], [1e-170], [8.0]])),
    "squares near the least number": (LINE, np.array([[0.0], [1e-160], [8.0]])),
    "clusters without rows": (LINE, np.array([[3.0], [1e6], [-1e6], [9.0]])),
    "as many clusters as rows": (LINE, LINE),
    "more clusters than rows": (LINE[:3], LINE),
    "a row alone": (np.array([[0.0], [0.1], [0.2], [9.0]]), np.array([[0.1], [8.0]])),
    "rows on their centroids": (np.repeat(LINE[:3], 4, axis=0), LINE[:3]),
    "one mean for two clusters": (
        np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]),
        np.array([[-5.0, 5.0], [0.0, -0.1]]),
    ),
}


@pytest.mark.parametrize("end", ENDS)
@by_model
@pytest.mark.parametrize("weight", [None, 1.0, 2.0, 0.3])
def test_ends_are_finite_or_least(end, model, weight):
    """Warnings are errors here: see pyproject.toml."""
    X, U = ENDS[end]
    a = NONE if weight is None else np.full(len(X), weight)
    for name, value in values_of(X, a, U, model).items():
        assert isinstance(value, float), name
        assert value < np.inf, name  # and not nan


def at_end(name):
    X, U = ENDS[name]
    return X, NONE, U, FuzzyMemberships()


def test_what_the_ends_are():
    found = values_of(*at_end("coinciding centroids"))
    assert found["xie-beni"] == -np.inf
    assert found["calinski-harabasz"] > 0.0  # two clusters of rows are left
    found = values_of(*at_end("two pairs of coinciding centroids"))
    assert found["fuzzy-silhouette"] == -np.inf
    found = values_of(*at_end("as many clusters as rows"))
    assert found["calinski-harabasz"] == -np.inf
    assert found["fuzzy-silhouette"] == 0.0
    found = values_of(*at_end("rows on their centroids"))
    assert found["calinski-harabasz"] == np.finfo(float).max
    assert found["fuzzy-silhouette"] == 1.0
    assert found["davies-bouldin"] == 0.0
    assert found["xie-beni"] == 0.0


class Given(FuzzyMemberships):
    """Memberships as they are given."""

    def __init__(self, mu):
        super().__init__()
        object.__setattr__(self, "mu", mu)

    def memberships(self, rows, centroids):
        return self.mu


def test_clusters_with_one_mean():
    X = np.array([[-1.0], [1.0], [-3.0], [3.0]])
    model = Given(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]))
    found = values_of(X, NONE, np.array([[0.0], [1.0]]), model)
    assert found["davies-bouldin"] == -np.inf
    assert found["calinski-harabasz"] == 0.0
    equal = partition_of(np.ones_like(X), NONE, np.array([[0.0], [1.0]]), model)
    assert fuzzy_silhouette(equal) == 0.0


@by_model
def test_rows_that_lie_apart_in_memory(rng, model):
    """A part of a larger table: kernels load memory as it lies, and would mix up columns."""
    X, U = problem(rng)
    table = np.column_stack([X, np.full(len(X), 1e3)])
    apart = table[:, :-1]
    assert not apart.flags["C_CONTIGUOUS"]
    assert values_of(apart, NONE, U, model) == values_of(X, NONE, U, model)
