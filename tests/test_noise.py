"""The noise cluster: twins of the kernels, laws, and everything that shows or keeps labels."""

import json

import gaussian_reference
import numpy as np
import pytest
from conftest import size
from sklearn.datasets import make_blobs
from test_gaussian_kernels import kernel_arguments, mixture, packed_sums

import fastcaf
import reference
from fastcaf import CAFHFCM, FuzzyCMeans, RowBlocks, objective
from fastcaf.cli.commands import main
from fastcaf.data.sources import ArrayRows
from fastcaf.display import plot
from fastcaf.display.explorer.content import page_content
from fastcaf.display.plot.rows import shown_rows
from fastcaf.estimators import search_options
from fastcaf.fusion.fixed_gamma import Solver
from fastcaf.kernels.rows import entropy, fcm, gaussian
from fastcaf.memberships import MODELS, EntropyMemberships, FullGaussian, FuzzyMemberships
from fastcaf.memberships.noise import Noise

NONE = np.empty(0)
MODELS_OF_USERS = ["fcm", "entropy", "gaussian", "auto"]


def with_noise(D, noise):
    """Distances with those of a cluster that is equally far from every row."""
    return np.column_stack([D, np.full(len(D), noise)])


def fuzzy_twin(X, a, U, m, noise, scatter):
    D = with_noise(reference.squared_distances(X, U) + scatter[:, None], noise)
    mu = D ** (-1.0 / (m - 1.0))
    mu /= mu.sum(axis=1, keepdims=True)
    held = a[:, None] * mu[:, :-1] ** m
    weight, term = held.sum(axis=0), 0.5 * a @ (mu**m * D).sum(axis=1)
    mass = (a[:, None] * mu[:, :-1]).sum(axis=0)
    return (weight, held.T @ X, mass, weight, term, 0.0), mu[:, :-1]


def entropy_twin(X, a, U, tau, noise, scatter):
    D = with_noise(reference.squared_distances(X, U) + scatter[:, None], noise)
    shares = np.exp(-D / tau)
    mu = shares / shares.sum(axis=1, keepdims=True)
    held, nearest = a[:, None] * mu[:, :-1], D[:, :-1].min(axis=1)
    term = -0.5 * tau * a @ np.log(shares.mean(axis=1))
    mass = held.sum(axis=0)
    squares = (held * mu[:, :-1]).sum(axis=0)
    close = a @ ((1.0 - mu[:, -1]) * nearest)
    return (mass, held.T @ X, mass, squares, term, close), mu[:, :-1]


def problem(rng, n, d=3, K=5):
    X, U = rng.normal(size=(n, d)), rng.normal(size=(K, d))
    return X, U, rng.uniform(0.5, 2.0, n), rng.uniform(0.0, 0.3, n)


@pytest.mark.kernels
@pytest.mark.parametrize("m", [2.0, 1.5, 1.7])
def test_fuzzy_sums_and_memberships_equal_the_twin(rng, m):
    X, U, a, s = problem(rng, size(700, 40))
    power = 1.0 / (m - 1.0)
    expected, _ = fuzzy_twin(X, a, U, m, 0.8, s)
    _, mu = fuzzy_twin(X, a, U, m, 0.8, np.zeros(len(X)))
    one = fcm.fcm_statistics_serial(X, a, s, U, power, 0.8)
    for found, right in zip(one, expected, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-10)
    np.testing.assert_allclose(fcm.fcm_memberships_serial(X, U, power, 0.8), mu, rtol=1e-10)
    for found, same in zip(
        fcm.fcm_statistics_parallel(X, a, s, U, power, 0.8), one, strict=True
    ):
        np.testing.assert_array_equal(found, same)


@pytest.mark.kernels
def test_entropy_sums_and_memberships_equal_the_twin(rng):
    X, U, a, s = problem(rng, size(700, 40))
    expected, _ = entropy_twin(X, a, U, 0.7, 0.8, s)
    _, mu = entropy_twin(X, a, U, 0.7, 0.8, np.zeros(len(X)))
    one = entropy.entropy_statistics_serial(X, a, s, U, 0.7, 0.8)
    for found, right in zip(one, expected, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-10)
    found = entropy.entropy_memberships_serial(X, U, 0.7, 0.8)
    np.testing.assert_allclose(found, mu, rtol=1e-9, atol=1e-12)
    parallel = entropy.entropy_statistics_parallel(X, a, s, U, 0.7, 0.8)
    for found, same in zip(parallel, one, strict=True):
        np.testing.assert_array_equal(found, same)


@pytest.mark.kernels
def test_without_temperature_rows_are_noise_or_not(rng):
    X, U, *_ = problem(rng, size(300, 30))
    nearest = reference.squared_distances(X, U).min(axis=1)
    found = entropy.entropy_statistics_serial(X, NONE, NONE, U, 0.0, 0.8)
    assert 0 < (nearest < 0.8).sum() < len(X)
    assert found[0].sum() == (nearest < 0.8).sum()
    assert found[5] == pytest.approx(nearest[nearest < 0.8].sum())
    assert found[4] == pytest.approx(0.5 * np.minimum(nearest, 0.8).sum())


@pytest.mark.kernels
@pytest.mark.parametrize("is_full", [True, False])
def test_sums_of_components_equal_the_twin(rng, is_full):
    X, a = rng.normal(size=(size(300, 30), 2)) * 2.0, rng.uniform(0.5, 2.0, size(300, 30))
    U, S, shares = mixture(rng, 4, 2, is_full)
    factors, constants, _ = kernel_arguments(S, shares, is_full)
    parts, energy = (U, factors, constants), 3.5
    density = np.exp(-0.5 * energy)
    plain = gaussian_reference.memberships(X, U, S, shares)
    found, likelihood = gaussian.gaussian_statistics_serial(X, a, NONE, *parts, energy)
    # Of a row, the clusters keep what they had times the share that the noise leaves them.
    *_, alone = gaussian.gaussian_statistics_serial(X, NONE, NONE, *parts, np.inf)
    sums = np.array(
        [
            np.exp(
                -gaussian.gaussian_statistics_serial(one[None], NONE, NONE, *parts, np.inf)[1]
            )
            for one in X
        ]
    )
    assert alone == pytest.approx(-np.log(sums).sum())
    mu = plain * (sums / (sums + density))[:, None]
    assert likelihood == pytest.approx(-a @ np.log(sums + density), rel=1e-10)
    held, f = a[:, None] * mu, X[:, None, :] - U
    right = packed_sums(
        held.sum(axis=0),
        (held * mu).sum(axis=0),
        np.einsum("ij,ijf->jf", held, f),
        np.einsum("ij,ijf,ijg->jfg", held, f, f),
        is_full,
    )
    np.testing.assert_allclose(found, right, rtol=1e-8, atol=1e-9)
    same, term = gaussian.gaussian_statistics_parallel(X, a, NONE, *parts, energy)
    np.testing.assert_array_equal(found, same)
    assert term == likelihood
    shown = gaussian.gaussian_memberships_serial(X, *parts, energy)
    np.testing.assert_allclose(shown, mu, rtol=1e-9, atol=1e-12)
    labels = np.where(mu.max(axis=1) > 1.0 - mu.sum(axis=1), mu.argmax(axis=1), -1)
    assert -1 in labels
    np.testing.assert_array_equal(gaussian.classify_serial(X, *parts, energy), labels)


@pytest.mark.parametrize("m", [2.0, 1.6])
def test_the_data_term_is_that_of_the_judge(rng, m):
    X, U, a, _ = problem(rng, size(200, 30))
    model = FuzzyMemberships(m, noise=0.7)
    expected = objective.objective(X, U, 0.0, fuzzifier=m, sample_weight=a, noise=np.sqrt(0.7))
    assert model.statistics(X, a, U).data_term == pytest.approx(expected, rel=1e-11)
    mu = objective.memberships(X, U, m, noise=np.sqrt(0.7))
    np.testing.assert_allclose(model.memberships(X, U), mu, rtol=1e-10)


def components(rng, U, noise):
    S = np.tile([1.0, 0.0, 1.0], (len(U), 1)) * rng.uniform(0.2, 1.0)
    shares = np.full(len(U), 1.0 / len(U))
    blur = np.full(2, 1e-6)
    return FullGaussian(S, shares, blur, 2, scale=0.3, strength=4.0, noise=noise)


@pytest.mark.parametrize("kind", ["fcm", "entropy", "gaussian"])
def test_the_objective_never_rises(rng, kind):
    for _ in range(size(40, 3)):
        X, U, a, _ = problem(rng, int(rng.integers(20, 150)), 2, int(rng.integers(2, 9)))
        noise = rng.uniform(0.05, 2.0)
        model = FuzzyMemberships(rng.uniform(1.3, 3.0), noise=noise)
        if kind == "entropy":
            model = FixedTemperature(rng.uniform(0.05, 1.0), 2, noise=noise)
        if kind == "gaussian":
            model = components(rng, U, 8.0 * noise)
        solver = Solver(ArrayRows(X, a), model, tol=1e-12, max_iter=60)
        state, settled = solver.settle(solver.start(U), rng.uniform(0.0, 2.0), lambda *_: None)
        assert state.statistics.mass.sum() < a.sum()
        values, numbers = np.array(settled.history).T
        rises = np.diff(values)[np.diff(numbers) == 0]
        assert (rises <= 1e-12 * max(1.0, np.abs(values).max())).all()


class FixedTemperature(EntropyMemberships):
    """Which has an objective: adapting the temperature changes it."""

    adapts = False


@pytest.mark.parametrize("noise", ["auto", 1.5])
@pytest.mark.parametrize("kind", [FuzzyMemberships, EntropyMemberships])
def test_a_row_of_weight_two_is_the_row_twice(X, kind, noise):
    rule = Noise(None if noise == "auto" else noise**2, 2)
    start = X[::60].copy()
    one, two = (
        Solver(rows, kind().with_noise(rule))
        for rows in (ArrayRows(np.repeat(X, 2, axis=0), NONE), ArrayRows(X, np.full(300, 2.0)))
    )
    (one, _), (two, _) = (s.settle(s.start(start), 0.0, lambda *_: None) for s in (one, two))
    assert one.model.noise == pytest.approx(two.model.noise, rel=1e-9)
    np.testing.assert_allclose(one.centroids, two.centroids, rtol=1e-9)


# Estimators


@pytest.fixture(scope="module")
def noisy():
    """Five clusters and 60 rows that belong nowhere, and which those are."""
    rng = np.random.default_rng(3)
    X, _ = make_blobs(300, centers=5, cluster_std=0.5, random_state=7)
    return np.vstack([X, rng.uniform(-25.0, 25.0, (60, 2))]), np.arange(360) >= 300


@pytest.fixture(scope="module", params=MODELS_OF_USERS)
def fitted(request, noisy):
    checks = 1 if request.param == "auto" else 0
    model = CAFHFCM(membership=request.param, noise="auto", n_restarts=checks, random_state=0)
    return model.fit(noisy[0])


def test_rows_that_belong_nowhere_get_a_label_of_their_own(fitted, noisy):
    X, is_noise = noisy
    called = fitted.labels_ == -1
    assert fitted.n_clusters_ == 5
    assert (called & is_noise).sum() >= 0.8 * is_noise.sum()
    assert (called & ~is_noise).sum() <= 0.15 * called.sum()
    np.testing.assert_array_equal(fitted.predict(X), fitted.labels_)
    mu, rest = fitted.memberships_, fitted.noise_membership_
    np.testing.assert_allclose(mu.sum(axis=1) + rest, 1.0)
    np.testing.assert_array_equal(fitted.predict_proba(X), mu)
    np.testing.assert_array_equal(rest > mu.max(axis=1), called)
    np.testing.assert_array_equal(mu.argmax(axis=1)[~called], fitted.labels_[~called])
    sizes = np.bincount(fitted.labels_[~called])
    assert (np.diff(sizes) <= 0).all()
    assert np.isfinite(fitted.score(X))


def test_it_is_stored(fitted, noisy, tmp_path):
    fitted.save(tmp_path / "m.fcaf")
    loaded = fastcaf.load(tmp_path / "m.fcaf")
    np.testing.assert_array_equal(loaded.labels_, fitted.labels_)
    np.testing.assert_array_equal(loaded.predict(noisy[0]), fitted.labels_)
    np.testing.assert_array_equal(loaded.predict_proba(noisy[0]), fitted.memberships_)
    for one, other in zip(loaded.path_.levels, fitted.path_.levels, strict=True):
        assert one.model == other.model
        assert one.noise_mass == other.noise_mass


def test_cuts_know_it(fitted, noisy):
    cut = fitted.cut(n_clusters=4)
    assert cut.n_clusters == 4
    assert {-1, 0, 1, 2} <= set(cut.labels.tolist()) <= {-1, 0, 1, 2, 3}
    np.testing.assert_array_equal(cut.predict(noisy[0]), cut.labels)
    assert (cut.memberships.sum(axis=1) < 0.5).any()


def test_it_is_shown(fitted, noisy):
    n = int((fitted.labels_ < 0).sum())
    assert f"{n} rows of noise" in fitted.summary()
    np.testing.assert_array_equal(shown_rows(fitted, None, 999).labels, fitted.labels_)
    for picture in (plot.scatter, plot.membership_map, plot.cluster_sizes):
        ax = picture(fitted)
        ax.figure.canvas.draw()
    bars = ax.patches[: fitted.n_clusters_]
    assert sum(bar.get_height() for bar in bars) == 360 - n
    content = page_content(fitted)
    assert content["paths"][0]["noise"] == 1
    assert "rows of noise" in content["headline"]


@pytest.mark.parametrize("membership", MODELS_OF_USERS)
def test_infinitely_far_is_off(X, membership):
    options = {"membership": membership, "n_restarts": 0, "random_state": 0}
    one, two = (CAFHFCM(noise=noise, **options).fit(X) for noise in (None, np.inf))
    np.testing.assert_array_equal(one.cluster_centers_, two.cluster_centers_)
    assert one.objective_ == two.objective_
    assert not one.noise_membership_.any()
    assert one.labels_.min() == 0


@pytest.mark.parametrize("membership", ["fcm", "entropy"])
@pytest.mark.parametrize("noise", ["auto", 3.0])
def test_it_moves_scales_and_turns_with_the_rows(noisy, membership, noise):
    X, _ = noisy

    def fit(rows, noise):
        options = {"membership": membership, "n_clusters": 5, "random_state": 0}
        return CAFHFCM(noise=noise, init="bisection", **options).fit(rows)

    one = fit(X, noise)
    larger = fit(8.0 * X, noise if noise == "auto" else 8.0 * noise)
    np.testing.assert_array_equal(larger.labels_, one.labels_)
    assert larger.noise_distance_ == pytest.approx(8.0 * one.noise_distance_, rel=1e-9)
    turned = fit(X[:, ::-1] * [1.0, -1.0] + 7.0, noise)
    assert turned.noise_distance_ == pytest.approx(one.noise_distance_, rel=0.02)
    assert ((turned.labels_ < 0) == (one.labels_ < 0)).mean() > 0.98
    if noise != "auto":
        assert one.noise_distance_ == pytest.approx(noise)


@pytest.mark.parametrize("membership", MODELS_OF_USERS)
@pytest.mark.parametrize("d", [2, 8])
def test_clean_clusters_keep_their_rows(membership, d):
    X, _ = make_blobs(600, d, centers=4, cluster_std=0.6, random_state=d)
    model = CAFHFCM(membership=membership, noise="auto", n_restarts=0, random_state=0).fit(X)
    assert model.n_clusters_ == 4
    assert (model.labels_ < 0).mean() < 0.01


def test_other_ways_in_say_the_same(noisy):
    X, _ = noisy
    options = {"membership": "entropy", "noise": "auto", "n_clusters": 5, "random_state": 0}
    plain = CAFHFCM(**options).fit(X)
    single = CAFHFCM(**options).fit(X.astype(np.float32))
    few = CAFHFCM(representatives=150, **options).fit(X)
    rows = RowBlocks(lambda: iter([X[:100], X[100:]]))
    blocks = CAFHFCM(representatives=150, **options).fit(rows)
    one_thread = CAFHFCM(n_jobs=1, **options).fit(X)
    np.testing.assert_array_equal(one_thread.cluster_centers_, plain.cluster_centers_)
    np.testing.assert_array_equal(blocks.labels_, few.labels_)
    np.testing.assert_array_equal(blocks.predict(rows), blocks.labels_)
    assert (single.labels_ == plain.labels_).mean() > 0.99
    assert ((few.labels_ < 0) == (plain.labels_ < 0)).mean() > 0.95


@pytest.mark.parametrize("noise", ["auto", 4.0])
def test_fuzzy_c_means_has_it_too(noisy, noise):
    X, is_noise = noisy
    model = FuzzyCMeans(5, noise=noise, init="random", n_init=5, random_state=0).fit(X)
    called = model.labels_ < 0
    assert model.n_clusters_ == 5
    assert (called & is_noise).sum() >= 0.7 * is_noise.sum()
    assert (called & ~is_noise).sum() <= 0.15 * called.sum()
    means = np.array([X[model.labels_ == j].mean(axis=0) for j in range(5)])
    assert np.abs(model.cluster_centers_ - means).max() < 0.2


def test_the_command_line_has_it(noisy, tmp_path, capsys):
    file = tmp_path / "rows.csv"
    np.savetxt(file, noisy[0], delimiter=",")
    folder = tmp_path / "out"
    asked = ["cluster", str(file), "--noise", "auto", "--membership", "entropy"]
    assert main([*asked, "--out", str(folder)]) == 0
    assert "rows of noise" in capsys.readouterr().out
    labels = np.loadtxt(folder / "labels.csv", delimiter=",", skiprows=1)
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["noise_rows"] == (labels[:, 0] == -1).sum() > 0
    assert (labels[labels[:, 0] == -1, 1] > 0.4).all()
    assert main(["predict", str(folder), str(file), "--out", str(tmp_path / "new")]) == 0
    again = np.loadtxt(tmp_path / "new" / "labels.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(again, labels)


# Refusals


@pytest.mark.parametrize(
    ("noise", "said"), [(0.0, "above 0"), (-1.0, "above 0"), ("far", "auto")]
)
@pytest.mark.parametrize("kind", [CAFHFCM, FuzzyCMeans])
def test_impossible_distances_are_refused(X, kind, noise, said):
    with pytest.raises(ValueError, match=f"noise must be.*{said}"):
        kind(noise=noise).fit(X)


@pytest.mark.parametrize("membership", MODELS_OF_USERS)
def test_a_distance_that_leaves_no_rows_is_refused(X, membership):
    with pytest.raises(ValueError, match="no row to any cluster"):
        CAFHFCM(membership=membership, noise=1e-9, n_start=4, random_state=0).fit(X)


def test_a_model_without_noise_says_so(X, monkeypatch):
    class Plain(FuzzyMemberships):
        name = "plain"
        has_noise = False

    monkeypatch.setitem(MODELS, "plain", Plain)
    monkeypatch.setattr(search_options, "MEMBERSHIPS", ("fcm", "plain"))
    with pytest.raises(
        ValueError, match=r"'plain', which has no noise cluster: take one of 'fcm'"
    ):
        CAFHFCM(membership="plain", noise="auto").fit(X)
    with pytest.raises(ValueError, match="no noise cluster"):
        Plain().with_noise(Noise(None))
