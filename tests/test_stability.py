"""How many starts lead to the number of clusters, and what is said of it."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import fastcaf
from fastcaf import CAFHFCM, Stability, UnstableNumberWarning
from fastcaf.data.reading import read_training
from fastcaf.selection import answer, stability


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(600, centers=5, cluster_std=0.6, random_state=1)[0]


@pytest.fixture(scope="module")
def spiral():
    """One curve: where it is cut depends on the start."""
    t = np.random.default_rng(0).uniform(0.5, 4.0 * np.pi, 400)
    noise = np.random.default_rng(1).normal(scale=0.4, size=(400, 2))
    return np.column_stack([t * np.cos(t), t * np.sin(t)]) + noise


def test_clear_clusters_are_found_by_every_start(blobs):
    model = CAFHFCM(random_state=0).fit(blobs)
    assert model.stability_ == Stability(5, (5, 5, 5, 5))
    assert model.verdict_.startswith("Clear")
    assert model.verdict_.endswith("Found by 5 of 5 starts.")
    assert model.doubts_ == []


def test_a_curve_is_never_called_clear(spiral):
    with pytest.warns(UnstableNumberWarning, match=r"found by \d of 5 starts, the others find"):
        model = CAFHFCM(random_state=0).fit(spiral)
    assert model.stability_.is_doubtful
    assert len(set(model.stability_.others)) > 1  # starts differ
    assert model.verdict_.startswith("Doubtful")


@pytest.mark.parametrize(
    ("others", "confirmed", "is_doubtful"),
    [
        ((3, 3, 3, 3), 5, False),
        ((3, 4, 3, 3), 4, False),
        ((3, 4, 3, 2), 3, True),
        ((2,), 1, True),
    ],
)
def test_two_of_five_are_a_doubt(others, confirmed, is_doubtful):
    one = Stability(3, others)
    assert (one.confirmed, one.is_doubtful) == (confirmed, is_doubtful)
    assert str(one).startswith(f"found by {confirmed} of {1 + len(others)} starts")


def test_the_words_of_a_doubt(blobs, monkeypatch):
    """The same answer, with starts that disagree."""
    monkeypatch.setattr(answer, "stability_of", lambda *given: Stability(5, (5, 6, 4, 5)))
    with pytest.warns(UnstableNumberWarning, match=r"5 clusters: found by 3 of 5"):
        model = CAFHFCM(random_state=0).fit(blobs)
    assert model.verdict_ == "Doubtful: found by 3 of 5 starts, the others find 4 or 6."


def test_checks_change_nothing_else(blobs):
    with_checks = CAFHFCM(random_state=0).fit(blobs)
    without = CAFHFCM(random_state=0, n_restarts=0).fit(blobs)
    assert without.stability_ is None
    np.testing.assert_array_equal(with_checks.cluster_centers_, without.cluster_centers_)
    np.testing.assert_array_equal(with_checks.memberships_, without.memberships_)


@pytest.mark.parametrize(
    "options",
    [{"n_clusters": 4}, {"gamma": 1.0}, {"membership": "fcm"}, {"selection": "persistence"}],
)
def test_nobody_is_asked_where_the_rule_did_not_choose(blobs, options):
    assert CAFHFCM(random_state=0, **options).fit(blobs).stability_ is None


def test_the_number_of_checks(blobs):
    assert CAFHFCM(random_state=0, n_restarts=2).fit(blobs).stability_.n_starts == 3
    with pytest.raises(ValueError, match="n_restarts"):
        CAFHFCM(n_restarts=-1).fit(blobs)


def test_gaussian_memberships_are_checked_too(blobs):
    model = CAFHFCM(random_state=0, membership="gaussian").fit(blobs)
    assert model.stability_ == Stability(5, (5, 5, 5, 5))


def test_features_of_different_units(blobs):
    model = CAFHFCM(random_state=0).fit(blobs * [1.0, 1000.0])
    assert model.stability_ == Stability(5, (5, 5, 5, 5))


def test_many_rows_are_sampled(blobs, monkeypatch):
    rows = make_blobs(5000, centers=5, cluster_std=0.6, random_state=1)[0]
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 5000)
    sizes = []
    judge = stability.Judge

    def spy(sample, noise):
        sizes.append(len(sample.rows.in_memory().rows))
        return judge(sample, noise)

    monkeypatch.setattr(stability, "Judge", spy)
    model = CAFHFCM(random_state=0).fit(rows, sample_weight=weights)
    assert sizes == [2000] * 4
    assert model.stability_.confirmed == 5


def test_a_sample_is_of_the_rows_and_knows_itself():
    rows = np.repeat(np.arange(10.0), 30)[:, None]
    generator = np.random.RandomState(0)
    weights = np.arange(1.0, 301.0)
    training = read_training(CAFHFCM(), rows, weights, None, generator, keep=True)
    assert training.n_distinct == 10
    assert training.sample(300, generator) is training
    sample = training.sample(3, generator)
    assert sample.n_distinct <= 3
    drawn = sample.rows.in_memory()
    whole = training.rows.in_memory()
    places = [int(np.flatnonzero(whole.row_weights == one)[0]) for one in drawn.row_weights]
    np.testing.assert_array_equal(drawn.rows, whole.rows[places])
    assert len(whole.rows) == 300  # the training rows are as they were


def test_ctrl_c_during_the_checks_keeps_the_answer(blobs, monkeypatch):
    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(answer, "stability_of", interrupted)
    with pytest.warns(fastcaf.InterruptedFitWarning, match="stability_ is None"):
        model = CAFHFCM(random_state=0).fit(blobs)
    assert model.n_clusters_ == 5
    assert model.stability_ is None


def test_saved_and_loaded(blobs, tmp_path):
    for n_restarts in (2, 0):
        model = CAFHFCM(random_state=0, n_restarts=n_restarts).fit(blobs)
        model.save(tmp_path / "model.fcaf")
        assert fastcaf.load(tmp_path / "model.fcaf").stability_ == model.stability_


@pytest.mark.parametrize("n", [1, 2, 3, 5, 12])
def test_few_rows(n):
    rows = np.random.default_rng(n).normal(size=(n, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fastcaf.FastcafWarning)
        model = CAFHFCM(random_state=0).fit(rows)
    assert model.stability_ is None or model.stability_.n_clusters == model.n_clusters_


def test_nearly_the_same_number_is_no_doubt():
    assert not Stability(100, (99, 101, 100, 97)).is_doubtful
    assert not Stability(100, (99, 101, 100, 96)).is_doubtful
    assert Stability(100, (99, 101, 96, 104)).is_doubtful
    assert Stability(30, (29, 31, 30, 30)).is_doubtful


def test_half_as_many_checks_where_clusters_are_many():
    places = 6.0 * np.array([(i, j) for i in range(8) for j in range(7)])
    X, _ = make_blobs(2000, centers=places, cluster_std=0.5, random_state=0)
    model = CAFHFCM(random_state=0).fit(X)
    assert model.n_clusters_ == 56
    assert model.stability_.n_starts == 3
