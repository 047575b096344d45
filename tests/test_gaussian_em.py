"""Penalised EM at one gamma: descent, the mixtures of scikit-learn, laws, the resolution."""

import warnings

import gaussian_reference as reference
import numpy as np
import pytest
from sklearn.mixture import GaussianMixture

from fastcaf.data.resolution import variance_of_rounding
from fastcaf.data.sources import ArrayRows, BlockRows
from fastcaf.fusion import iteration
from fastcaf.fusion.fixed_gamma import Solver
from fastcaf.memberships.gaussian import FullGaussian, SphericalGaussian, packed

NONE = np.empty(0)
TINY = 1e-30  # a resolution that changes nothing; 0 would be a constant feature
BOTH = pytest.mark.parametrize("kind", [FullGaussian, SphericalGaussian])


def lumps(rng, n, d, c=4, centres=None):
    """Rows around c points, of unequal spread in unequal directions; their mean is 0."""
    centres = rng.normal(size=(c, d)) if centres is None else centres
    spread = rng.uniform(0.1, 0.6, (c, d))
    z = np.concatenate([np.arange(c), rng.integers(c, size=n - c)])
    X = centres[z] + spread[z] * rng.normal(size=(n, d))
    return X - X.mean(axis=0)


def corner_lumps(rng, n, d):
    """Around the corners of a simplex; the first d + 1 rows are one of each."""
    return lumps(rng, n, d, d + 1, 1.5 * np.eye(d + 1)[:, :d])


def model_at(kind, X, K, blur=TINY, **options):
    """Equal shares, and the variance of all rows for every component."""
    d = X.shape[1]
    variance = X.var(axis=0).mean()
    covariances = (
        np.full((K, 1), variance)
        if kind.is_round
        else packed(np.tile(variance * np.eye(d), (K, 1, 1)))
    )
    return kind(covariances, np.full(K, 1.0 / K), np.full(d, blur), d, **options)


def settle(rows, model, U, gamma=0.0, steps=300, tol=1e-12, **options):
    """The state that is reached, and how."""
    solver = Solver(rows, model, tol=tol, max_iter=steps, **options)
    return solver.settle(solver.start(U), gamma, lambda *_: None)


def pull_of(X, K):
    """A gamma that moves centroids, and fuses some."""
    return len(X) / K**2 / np.sqrt(X.var())


def some(rng, X, K):
    return X[rng.choice(len(X), K, replace=False)]


@BOTH
def test_the_objective_never_rises_between_fusions(rng, kind):
    fusions = compared = 0
    for _ in range(300):
        n, d, K = (int(rng.integers(*span)) for span in ((30, 150), (1, 6), (2, 13)))
        X = lumps(rng, n, d)
        model = model_at(kind, X, K, blur=1e-6, strength=d + 2.0)
        gamma = pull_of(X, K) * 10.0 ** rng.uniform(-3, 0.5)
        by_mass = bool(rng.integers(2))
        weights = "mass" if by_mass else "neighbours"  # "uniform" up to 6 centroids
        solver = Solver(
            ArrayRows(X, NONE), model, tol=1e-9, max_iter=100, fusion_weights=weights
        )
        free, _ = solver.settle(solver.start(some(rng, X, K)), 0.0, lambda *_: None)
        _, settled = solver.settle(free, gamma / (n if by_mass else 1.0), lambda *_: None)
        for (before, many), (after, left) in zip(
            settled.history, settled.history[1:], strict=False
        ):
            if many == left:
                assert after <= before + 1e-10 * abs(before)
                compared += 1
            else:
                fusions += 1
    assert compared > 2000
    assert fusions > 100


@BOTH
@pytest.mark.parametrize("steps", [1, 40])
def test_without_pull_and_prior_it_is_the_mixture_of_scikit_learn(rng, kind, steps):
    X, K, d = corner_lumps(rng, 400, 3), 4, 3
    U, S = X[:K], np.cov(X.T) / 4.0
    S, shares = np.tile(S, (K, 1, 1)), rng.dirichlet(np.full(K, 5.0))
    if kind.is_round:
        S = np.tile(X.var() * np.eye(d), (K, 1, 1))
    model = model_at(kind, X, K)
    covariances = S[:, :1, 0].copy() if kind.is_round else packed(S)
    model = model.with_arrays({"covariances": covariances, "shares": shares})
    state, settled = settle(ArrayRows(X, NONE), model, U, steps=steps, tol=0.0)
    assert len(settled.history) == steps or settled.converged
    peer = GaussianMixture(
        K,
        covariance_type="spherical" if kind.is_round else "full",
        means_init=U,
        weights_init=shares,
        precisions_init=np.linalg.inv(S)[:, 0, 0] if kind.is_round else np.linalg.inv(S),
        reg_covar=0.0,
        tol=0.0,
        max_iter=steps,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is stopped
        peer.fit(X)
    expected = peer.covariances_
    if kind.is_round:
        expected = expected[:, None, None] * np.eye(d)
    np.testing.assert_allclose(state.centroids, peer.means_, atol=1e-6)
    np.testing.assert_allclose(state.model.matrices, expected, atol=1e-6)
    np.testing.assert_allclose(state.model.shares, peer.weights_, atol=1e-6)
    assert state.objective(0.0) == pytest.approx(-peer.score_samples(X).sum(), rel=1e-9)
    np.testing.assert_allclose(
        state.model.memberships(X, state.centroids), peer.predict_proba(X), atol=1e-6
    )


@BOTH
def test_steps_with_a_prior_and_a_resolution_equal_the_twin(rng, kind):
    X, K, d = lumps(rng, 80, 2), 3, 2
    a, U = rng.uniform(0.5, 2.0, 80), some(rng, X, K)
    model = model_at(kind, X, K, blur=0.01, strength=d + 2.0)
    state, _ = settle(ArrayRows(X, a), model, U, steps=7, tol=0.0)
    blur, scale = np.full(d, 0.01), state.model.scale
    V, S, shares = reference.expectation_maximisation(
        X, a, U, model.matrices, model.shares, blur, 7, d + 2.0, scale, kind.is_round
    )
    np.testing.assert_allclose(state.centroids, V, atol=1e-9)
    np.testing.assert_allclose(state.model.matrices, S, atol=1e-9)
    np.testing.assert_allclose(state.model.shares, shares, atol=1e-9)


@BOTH
def test_the_scale_of_the_prior_is_the_variance_within_clusters(rng, kind):
    X, K = lumps(rng, 80, 3), 4
    model, U = model_at(kind, X, K, blur=0.01, share_of_scale=0.5), some(rng, X, K)
    rows = ArrayRows(X, NONE)
    scale = model.at_level(rows.statistics(model, U)).scale
    weight, _, first, second, _ = reference.mixture_sums(
        X, np.ones(80), U, model.matrices, model.shares, blur=0.01
    )
    inside = sum(
        np.trace(two - np.outer(one, one) / w)
        for w, one, two in zip(weight, first, second, strict=True)
    )
    assert scale == pytest.approx(0.5 * (inside / (80 * 3) + 0.01))


@BOTH
def test_where_it_ends_no_force_is_left(rng, kind):
    """S_j^-1 sum_i mu_ij (x_i - u_j) balances the pull of the others; F is what it says."""
    X, K, d = corner_lumps(rng, 150, 2), 3, 2
    a, U = rng.uniform(0.5, 2.0, 150), 1.5 * np.eye(K)[:, :d] - 0.5
    model, gamma = model_at(kind, X, K, blur=1e-3, strength=d + 2.0), 0.02 * pull_of(X, K)
    state, settled = settle(ArrayRows(X, a), model, U, gamma, steps=3000, tol=1e-14, gap=1e-12)
    assert settled.converged
    assert len(state.centroids) == K
    V, S, shares = state.centroids, state.model.matrices, state.model.shares
    _, _, first, _, _ = reference.mixture_sums(X, a, V, S, shares, blur=1e-3)
    for j in range(K):
        directions = [(V[j] - v) / np.linalg.norm(V[j] - v) for k, v in enumerate(V) if k != j]
        pull = gamma * np.sum(directions, axis=0)
        force = np.linalg.solve(S[j], first[j])
        assert np.linalg.norm(force - pull) < 1e-3 * gamma
    value = reference.objective(
        X, a, V, S, shares, np.full(d, 1e-3), d + 2.0, state.model.scale, gamma
    )
    assert state.objective(gamma) == pytest.approx(value, rel=1e-10)
    assert settled.history[-1][0] == pytest.approx(value, rel=1e-10)


@BOTH
def test_a_pull_beyond_all_fuses_everything(rng, kind):
    X, K, d = lumps(rng, 100, 2), 6, 2
    model, merges = model_at(kind, X, K, blur=1e-6, strength=d + 2.0), []
    solver = Solver(ArrayRows(X, NONE), model, max_iter=500)
    state, _ = solver.settle(
        solver.start(some(rng, X, K)),
        100.0 * pull_of(X, 1),
        lambda *found: merges.append(found),
    )
    np.testing.assert_allclose(state.centroids, [X.mean(axis=0)], atol=1e-6)
    np.testing.assert_allclose(state.model.shares, [1.0])
    assert sum(len(before) - 1 - labels.max() for before, labels in merges) == K - 1


@BOTH
def test_weights_are_copies(rng, kind):
    X, K, d = lumps(rng, 120, 2), 5, 2
    copies, U = rng.integers(1, 4, 120), some(rng, X, 5)
    model, gamma = model_at(kind, X, K, blur=1e-6, strength=d + 2.0), 0.1 * pull_of(X, K)
    (one, how), (other, same) = (
        settle(rows, model, U, gamma, tol=1e-9)
        for rows in (
            ArrayRows(X, copies.astype(float)),
            ArrayRows(np.repeat(X, copies, axis=0), NONE),
        )
    )
    assert len(how.history) == len(same.history)
    np.testing.assert_allclose(one.centroids, other.centroids, atol=1e-8)
    np.testing.assert_allclose(one.model.covariances, other.model.covariances, atol=1e-8)
    assert one.objective(gamma) == pytest.approx(other.objective(gamma), rel=1e-10)


def mapped(state, X, Y, B, c, model):
    """EM on Y = X B + c, from where the map takes its start."""
    S = np.einsum("fg,jfh,hi->jgi", B, model.matrices, B)
    covariances = S[:, :1, 0].copy() if model.is_round else packed(S)
    arrays = {"covariances": covariances, "shares": model.shares}
    found, _ = settle(ArrayRows(Y, NONE), model.with_arrays(arrays), state @ B + c, steps=60)
    return found


@pytest.mark.parametrize("law", ["shift", "scale", "rotation", "any"])
@BOTH
def test_maps_of_the_rows_map_the_answer(rng, kind, law):
    """Full covariances follow any invertible map, round ones all that keep circles."""
    X, K, d = corner_lumps(rng, 200, 3), 4, 3
    q, _ = np.linalg.qr(rng.normal(size=(d, d)))
    B = {"shift": np.eye(d), "scale": 8.0 * np.eye(d), "rotation": q}.get(law)
    if law == "any":
        B = q @ np.diag([0.1, 1.0, 20.0]) @ rng.normal(size=(d, d))
    c = rng.normal(size=d) if law == "shift" else np.zeros(d)
    model, U = model_at(kind, X, K), X[:K]
    plain = mapped(U, X, X, np.eye(d), np.zeros(d), model)
    labels = plain.model.labels(X, plain.centroids)
    if law == "any" and kind.is_round:  # and must not follow this one
        other = mapped(U, X, X @ B, B, c, model)
        assert (other.model.labels(X @ B, other.centroids) != labels).any()
        return
    other = mapped(U, X, X @ B + c, B, c, model)
    np.testing.assert_array_equal(other.model.labels(X @ B + c, other.centroids), labels)
    size = np.abs(other.centroids).max()
    np.testing.assert_allclose(plain.centroids @ B + c, other.centroids, atol=1e-6 * size)
    expected = np.einsum("fg,jfh,hi->jgi", B, plain.model.matrices, B)
    np.testing.assert_allclose(
        other.model.matrices, expected, atol=1e-6 * np.abs(expected).max()
    )


@BOTH
@pytest.mark.parametrize("gamma_share", [0.0, 0.05])
def test_rows_in_blocks_and_in_memory_give_the_same(rng, kind, gamma_share):
    X, a, K, d = lumps(rng, 300, 3), rng.uniform(0.5, 2.0, 300), 6, 3
    U, gamma = some(rng, X, K), gamma_share * pull_of(X, K)
    model = model_at(kind, X, K, blur=1e-6, strength=d + 2.0)

    def blocks():
        return (ArrayRows(X[i : i + 70], a[i : i + 70]) for i in range(0, 300, 70))

    (one, how), (other, same) = (
        settle(rows, model, U, gamma, tol=1e-9)
        for rows in (ArrayRows(X, a), BlockRows(blocks, 1.0, a.sum(), np.ptp(X, axis=0)))
    )
    assert [n for _, n in how.history] == [n for _, n in same.history]
    np.testing.assert_allclose(one.centroids, other.centroids, atol=1e-8)
    np.testing.assert_allclose(one.model.covariances, other.model.covariances, atol=1e-8)
    assert one.objective(gamma) == pytest.approx(other.objective(gamma), rel=1e-10)


def test_many_rows_are_passed_from_python_to_the_same_end(rng, monkeypatch):
    """Above a size that threads pay for; the limit is lowered in place of more rows."""
    X, K, d = lumps(rng, 300, 3), 6, 3
    model, U = model_at(FullGaussian, X, K, blur=1e-6, strength=d + 2.0), some(rng, X, K)
    one, how = settle(ArrayRows(X, NONE), model, U, 0.05 * pull_of(X, K), tol=1e-9)
    monkeypatch.setattr(iteration, "PARALLEL_WORK", 0)
    other, same = settle(ArrayRows(X, NONE), model, U, 0.05 * pull_of(X, K), tol=1e-9)
    assert [n for _, n in how.history] == [n for _, n in same.history]
    np.testing.assert_allclose(one.centroids, other.centroids, atol=1e-10)
    np.testing.assert_allclose(
        [value for value, _ in how.history], [value for value, _ in same.history], rtol=1e-11
    )


@BOTH
def test_a_constant_feature_changes_nothing(rng, kind):
    X, K = lumps(rng, 100, 2), 3
    U, found = some(rng, X, K), []
    for places in ([0, 1], [0, 2]):
        wide = np.zeros((100, places[1] + 1))
        wide[:, places] = X
        start, blur = np.zeros((K, wide.shape[1])), np.zeros(wide.shape[1])
        start[:, places], blur[places] = U, 1e-4
        model = model_at(kind, X, K, strength=4.0)
        if not kind.is_round:
            S = np.tile(np.eye(len(blur)), (K, 1, 1))
            S[:, places, places] = X.var(axis=0).mean()
            model = model.with_arrays({"covariances": packed(S), "shares": model.shares})
        model = type(model)(model.covariances, model.shares, blur, 2, strength=4.0)
        state, _ = settle(ArrayRows(wide, NONE), model, start, 0.02 * pull_of(X, K), steps=30)
        matrices = state.model.matrices[:, places][:, :, places]
        found.append((state.centroids[:, places], matrices))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)


@BOTH
def test_a_merged_component_has_the_moments_of_its_parts(rng, kind):
    X, d = lumps(rng, 200, 3, c=5), 3
    z, a = rng.integers(5, size=200), rng.uniform(0.5, 2.0, 200)
    into = np.array([1, 0, 1, 2, 0])
    weight, means, scatter = reference.clusters(X, a, z, np.zeros(d))
    total, _, around = reference.clusters(X, a, into[z], np.zeros(d))

    def as_arrays(weight, scatter):
        S = scatter / weight[:, None, None]
        if kind.is_round:
            return np.trace(S, axis1=1, axis2=2)[:, None] / d
        return packed(S)

    model = kind(as_arrays(weight, scatter), weight / weight.sum(), np.full(d, TINY), d)
    merged = model.merged(into, weight, means)
    np.testing.assert_allclose(merged.covariances, as_arrays(total, around), atol=1e-12)
    np.testing.assert_allclose(merged.shares, total / total.sum())
    left = model.merged(np.array([0, -1, 1, -1, 2]), weight, means)  # two are dropped
    np.testing.assert_allclose(left.covariances, model.covariances[[0, 2, 4]], atol=1e-12)
    assert left.shares.sum() == pytest.approx(1.0)


# The resolution of the data.


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_whole_numbers_stand_for_intervals_of_length_one(rng, dtype):
    X = rng.integers(0, 50, (300, 2)).astype(dtype)
    np.testing.assert_allclose(variance_of_rounding(X), 1.0 / 12.0, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_units_and_offsets_change_the_resolution_as_they_should(rng, dtype):
    X = rng.integers(0, 50, (300, 3)).astype(float)
    scale, mean = X.std(axis=0), X.mean(axis=0)
    found = variance_of_rounding(((X - mean) / scale).astype(dtype))
    rounding = 1e-3 if dtype == np.float32 else 1e-9
    np.testing.assert_allclose(found, 1.0 / 12.0 / scale**2, rtol=rounding)
    tenths = variance_of_rounding((X / 10.0 + 1000.0).astype(np.float64))
    np.testing.assert_allclose(tenths, 0.01 / 12.0, rtol=1e-6)


def test_continuous_numbers_have_next_to_no_resolution(rng):
    X = rng.normal(size=(2000, 2))
    found = variance_of_rounding(X)
    assert (found > 0.0).all()  # 0 is for constant features
    assert (found < 1e-6 * X.var(axis=0)).all()


def test_a_constant_feature_has_none(rng):
    X = np.column_stack([np.full(50, 0.1), rng.normal(size=50), np.zeros(50)])
    found = variance_of_rounding(X)
    np.testing.assert_array_equal(found == 0.0, [True, False, True])
