"""Entropy memberships: the kernel against a twin, laws, and what they are good for."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import reference
from fastcaf import CAFHFCM
from fastcaf.kernels.rows import distances
from fastcaf.kernels.rows import entropy as entropy_rows
from fastcaf.memberships import EntropyMemberships

NONE = np.empty(0)
DRIVERS = [entropy_rows.entropy_statistics_serial, entropy_rows.entropy_statistics_parallel]
CHUNK = distances.MIN_CHUNK


@pytest.mark.kernels
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("n", [1, 5, CHUNK, CHUNK + 1])
@pytest.mark.parametrize(("d", "K"), [(1, 1), (2, 3), (5, 9), (3, 33)])
def test_statistics_equal_the_twin(rng, driver, n, d, K):
    X, U, a = rng.normal(size=(n, d)), rng.normal(size=(K, d)), rng.uniform(0.5, 2, n)
    found = driver(X, a, NONE, U, 0.7, np.inf)
    for one, other in zip(found, reference.entropy_statistics(X, a, U, 0.7), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-10)


@pytest.mark.kernels
@pytest.mark.parametrize("driver", DRIVERS)
def test_rows_without_weights_and_float32(rng, driver):
    X, U = rng.normal(size=(700, 5)).astype(np.float32), rng.normal(size=(40, 5))
    none = np.empty(0, np.float32)
    found = driver(X, none, none, U, 0.7, np.inf)
    expected = reference.entropy_statistics(
        X.astype(float), np.ones(700), U.astype(np.float32).astype(float), 0.7
    )
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=3e-5, atol=3e-5 * np.abs(other).max())


@pytest.mark.kernels
def test_centroids_out_of_reach_are_left_out(rng):
    """Whole panels are skipped, and what is left is as exact as before."""
    U = np.repeat(1000.0 * np.arange(60.0)[:, None], 2, axis=1)
    X = U[rng.integers(60, size=300)] + rng.normal(size=(300, 2))
    found = entropy_rows.entropy_statistics_serial(X, NONE, NONE, U, 3.0, np.inf)
    for one, other in zip(
        found, reference.entropy_statistics(X, np.ones(300), U, 3.0), strict=True
    ):
        if np.isfinite(other).all():  # the twin's data term overflows
            np.testing.assert_allclose(one, other, rtol=1e-11)


@pytest.mark.kernels
def test_rows_at_distances_that_overflow_are_shared_equally():
    X, U = np.array([[1e200], [0.0]]), np.array([[0.0], [1.0], [2.0]])
    weight, _, _, _, term, _ = DRIVERS[0](X, NONE, NONE, U, 1e-3, np.inf)
    np.testing.assert_allclose(weight, [4 / 3, 1 / 3, 1 / 3])
    assert term == np.inf


@pytest.mark.kernels
def test_temperature_zero_gives_rows_to_their_nearest(rng):
    X, U = rng.normal(size=(40, 2)), rng.normal(size=(4, 2))
    mu = entropy_rows.entropy_memberships_serial(X, U, 0.0, np.inf)
    labels = reference.squared_distances(X, U).argmin(axis=1)
    np.testing.assert_array_equal(mu, np.eye(4)[labels])


@pytest.mark.kernels
def test_memberships_equal_the_twin_and_sum_to_one(rng):
    X, U = rng.normal(size=(30, 3)), rng.normal(size=(5, 3))
    D = reference.squared_distances(X, U)
    expected = np.exp(-D / 0.4) / np.exp(-D / 0.4).sum(axis=1, keepdims=True)
    mu = EntropyMemberships(0.4).memberships(X, U)
    np.testing.assert_allclose(mu, expected, atol=1e-12)
    np.testing.assert_allclose(mu.sum(axis=1), 1.0)


@pytest.mark.kernels
def test_merging_coinciding_centroids_leaves_the_data_term(rng):
    X, U = rng.normal(size=(30, 2)), np.array([[0.0, 0.0], [0.0, 0.0]])
    terms = [EntropyMemberships(0.5).statistics(X, NONE, c).data_term for c in (U, U[:1])]
    assert terms[0] == pytest.approx(terms[1])


@pytest.mark.kernels
def test_the_temperature_scales_itself(rng):
    X, U = rng.normal(size=(50, 4)), rng.normal(size=(3, 4))
    statistics = EntropyMemberships().statistics(X, NONE, U)
    expected = 2.0 * reference.squared_distances(X, U).min(axis=1).mean() / 4
    model = EntropyMemberships().suited_to(np.ptp(X, axis=0)).adapted(statistics)
    assert model.temperature == pytest.approx(expected)


@pytest.fixture(scope="module")
def model(iris):
    return CAFHFCM(membership="entropy", random_state=0).fit(iris)


def test_a_fit_predicts_with_the_temperature_of_its_level(model, iris):
    np.testing.assert_array_equal(model.memberships_, model.predict_proba(iris))
    np.testing.assert_array_equal(model.memberships_.argmax(axis=1), model.labels_)
    assert model.cut(n_clusters=4).memberships.shape == (150, 4)
    assert model.path_.n_clusters[-1] == 1


def test_threads_scale_and_weights_change_nothing(iris):
    X = np.unique(iris, axis=0)
    plain = CAFHFCM(membership="entropy", random_state=0, n_jobs=1).fit(X)
    threads = CAFHFCM(membership="entropy", random_state=0, n_jobs=2).fit(X)
    np.testing.assert_array_equal(plain.cluster_centers_, threads.cluster_centers_)
    scaled = CAFHFCM(membership="entropy", random_state=0).fit(4.0 * X)
    np.testing.assert_array_equal(4.0 * plain.cluster_centers_, scaled.cluster_centers_)
    twice = CAFHFCM(membership="entropy", random_state=0).fit(np.repeat(X, 2, axis=0))
    weighted = CAFHFCM(membership="entropy", random_state=0).fit(X, sample_weight=[2] * len(X))
    np.testing.assert_allclose(twice.cluster_centers_, weighted.cluster_centers_, atol=1e-6)


def test_high_dimensions_do_not_collapse():
    """In 64 dimensions fuzzy memberships with m = 2 are nearly equal, these are not."""
    X, y = make_blobs(300, 64, centers=6, cluster_std=4.0, random_state=0)
    entropy = CAFHFCM(n_clusters=6, membership="entropy", random_state=0).fit(X)
    assert adjusted_rand_score(y, entropy.labels_) > 0.95


def test_unknown_membership(iris):
    with pytest.raises(ValueError, match="membership must be one of 'auto', 'fcm', 'entropy'"):
        CAFHFCM(membership="hard").fit(iris)


@pytest.mark.filterwarnings("ignore::fastcaf.NoClearStructureWarning")  # m = 2, 64 dimensions
def test_auto_reports_the_better_of_both_paths(iris, blobs):
    high, _ = make_blobs(300, 64, centers=6, cluster_std=4.0, random_state=0)
    for X in (iris, blobs[0], high):
        both = {
            name: CAFHFCM(membership=name, random_state=0).fit(X) for name in ("fcm", "entropy")
        }
        auto = CAFHFCM(random_state=0, selection="persistence").fit(X)
        best = {name: model.selection_[0].score for name, model in both.items()}
        assert auto.selection_[0].score == max(best.values()) == best[auto.membership_]
        np.testing.assert_array_equal(auto.labels_, both[auto.membership_].labels_)
        for name, model in both.items():  # but for the level that each reports, which goes on
            mine, alone = auto.paths_[name].levels, model.path_.levels
            reported = {auto.gamma_, model.gamma_}
            kept = [i for i, level in enumerate(alone) if level.gamma not in reported]
            assert len(kept) >= len(alone) - 2
            assert [mine[i].n_iter for i in kept] == [alone[i].n_iter for i in kept]
    assert auto.membership_ == "entropy"
    assert auto.n_clusters_ == 6


def test_auto_cuts_at_a_number_where_clusters_stand_farther_apart(iris):
    auto = CAFHFCM(3, random_state=0, selection="persistence").fit(iris)
    assert auto.n_clusters_ == 3
    own = CAFHFCM(3, membership=auto.membership_, random_state=0).fit(iris)
    np.testing.assert_array_equal(auto.labels_, own.labels_)


def test_a_given_gamma_is_the_papers(iris):
    auto = CAFHFCM(gamma=4.3, random_state=0).fit(iris)
    assert auto.membership_ == "fcm"
    assert list(auto.paths_) == ["fcm"]
