"""Levels of a fitted path: given numbers and gammas, and cuts."""

import pickle
import warnings

import numpy as np
import pytest
from scipy.cluster.hierarchy import is_valid_linkage
from scipy.spatial.distance import pdist
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from fastcaf import CAFHFCM, BeyondPathWarning, EmptyClustersWarning, load
from fastcaf.objective import objective

# Levels of the path


@pytest.mark.parametrize("number", [1, 2, 4, 5, 12, 20])
def test_a_given_number_of_clusters_is_kept(X, number):
    model = CAFHFCM(n_clusters=number, random_state=0, selection="persistence").fit(X)
    assert model.n_clusters_ == number
    assert len(np.unique(model.cluster_centers_, axis=0)) == number
    assert model.memberships_.shape == (len(X), number)


def test_a_given_number_does_not_change_the_paths(X, path_model):
    model = CAFHFCM(n_clusters=7, random_state=0, selection="persistence").fit(X)
    assert list(model.paths_) == list(path_model.paths_) == ["fcm", "entropy"]
    for name, path in model.paths_.items():
        np.testing.assert_array_equal(path.gammas, path_model.paths_[name].gammas)
        assert path.merges == path_model.paths_[name].merges


@pytest.mark.parametrize("gamma", [0.0, 0.5, 2.0, 30])
def test_a_given_gamma_is_the_last_level(X, gamma):
    model = CAFHFCM(gamma=gamma, random_state=0).fit(X)
    assert model.gamma_ == pytest.approx(gamma, rel=1e-12)
    assert model.path_.gammas[-1] == model.gamma_
    assert model.n_clusters_ == model.path_.n_clusters[-1] > 1
    assert is_valid_linkage(model.linkage_)
    expected = objective(X, model.cluster_centers_, gamma)
    assert model.objective_ == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("gamma", [1e6, [1e6], [1e9, 2e9]])
@pytest.mark.parametrize("selection", ["auto", "plateau"])
def test_a_gamma_beyond_the_path_gives_one_cluster_and_says_so(X, gamma, selection):
    with pytest.warns(BeyondPathWarning, match="lies beyond the end of the path: from"):
        model = CAFHFCM(gamma=gamma, selection=selection, random_state=0).fit(X)
    assert model.n_clusters_ == model.path_.n_clusters[-1] == 1
    assert not model.labels_.any()


def test_an_array_of_gammas_is_visited_as_it_is(X):
    gammas = [0.1, 0.5, 3.0, 20.0]
    model = CAFHFCM(gamma=gammas, random_state=0).fit(X)
    np.testing.assert_allclose(model.path_.gammas[-4:], gammas, rtol=1e-12)
    # What leads up to the first of them is the automatic series, from gamma = 0.
    assert model.path_.gammas[0] == 0.0
    assert (model.path_.gammas[:-4] < 0.1 * (1 - 1e-12)).all()
    assert model.path_.n_clusters[-1] > 1
    assert model.gamma_ in model.path_.gammas
    assert is_valid_linkage(model.linkage_)


def test_an_array_of_gammas_from_0_has_no_others(X):
    gammas = [0.0, 0.02, 0.03, 0.05, 0.08]
    model = CAFHFCM(gamma=gammas, random_state=0).fit(X)
    np.testing.assert_allclose(model.path_.gammas, gammas, rtol=1e-12)


def test_an_array_of_gammas_ends_at_one_cluster(X):
    gammas = np.array([1.0, 3.0, 1e4, 2e4, 3e4])
    model = CAFHFCM(gamma=gammas, random_state=0).fit(X)
    np.testing.assert_allclose(model.path_.gammas[-3:], gammas[:3], rtol=1e-12)
    assert model.path_.n_clusters[-1] == 1
    assert model.path_.n_clusters[-2] > 1


def test_an_array_of_gammas_goes_with_a_number(X):
    model = CAFHFCM(n_clusters=5, gamma=[1.0, 3.0, 20.0], random_state=0).fit(X)
    assert model.path_.n_clusters[-2:].tolist() == [5, 5]
    assert model.n_clusters_ == 5
    assert model.gamma_ == pytest.approx(3.0, rel=1e-12)  # the lower of the two in the middle


def test_given_starting_centroids_are_used(X):
    start = X[::20]
    model = CAFHFCM(init=start, selection="persistence").fit(X)
    np.testing.assert_allclose(model.path_.start, start, rtol=1e-12)
    assert model.n_clusters_ == 5


@pytest.mark.parametrize(("n_start", "number"), [(1.0, 17), (3.0, 51), (2.5, 43), (9, 9)])
def test_the_starting_number_is_the_documented_one(X, n_start, number):
    assert (
        len(
            CAFHFCM(n_start=n_start, random_state=0, selection="persistence").fit(X).path_.start
        )
        == number
    )


def test_the_users_own_rule_chooses(X):
    def nearest_to_seven(run):
        assert 1.0 <= run.effective_dimension <= 2.0
        return -abs(run.n_clusters - 7)

    model = CAFHFCM(selection=nearest_to_seven, random_state=0).fit(X)
    assert model.n_clusters_ == 7
    assert model.selection_[0].score == 0


# Cuts


def quiet_cut(model, c):
    """A cut of one path, whether or not it has so many clusters with rows of their own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyClustersWarning)
        return model.cut(n_clusters=c, membership=model.membership_)


@pytest.mark.parametrize("prune", [True, False])
def test_cuts_have_the_number_asked_for_or_say_so(X, prune):
    model = CAFHFCM(random_state=0, prune=prune, selection="persistence").fit(X)
    visited = set(model.path_.n_clusters.tolist())
    assert len(visited) < 34  # some are skipped, so that merges must be carried out
    for c in range(1, 35):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            cut = model.cut(n_clusters=c)
        n = cut.n_clusters
        assert [one.category for one in told] == [EmptyClustersWarning] * (n < c)
        assert all(f"{n} clusters instead of {c}" in str(one.message) for one in told)
        assert n == c or c > 5
        assert len(np.unique(cut.cluster_centers, axis=0)) == n
        assert cut.cluster_masses.shape == (n,)
        sizes = np.bincount(cut.labels, minlength=n)
        assert len(sizes) == n
        assert sizes.min() > 0
        if cut.exact:
            assert c in model.paths_[cut.membership].n_clusters
            assert (np.diff(sizes) <= 0).all()  # largest first


def test_a_number_that_one_path_does_not_have_is_cut_on_the_other():
    wine = StandardScaler().fit_transform(load_wine().data)
    model = CAFHFCM(random_state=0, selection="persistence").fit(wine)
    assert model.membership_ == "fcm"
    for c in range(3, 9):
        cut = model.cut(n_clusters=c)
        assert cut.n_clusters == len(np.unique(cut.labels)) == c
    assert model.cut(n_clusters=4).membership == "entropy"
    with pytest.warns(EmptyClustersWarning, match="4 clusters, but only 3 differ clearly"):
        assert model.cut(n_clusters=4, membership="fcm").n_clusters == 4


def test_wine_has_no_empty_and_no_twin_clusters():
    wine = StandardScaler().fit_transform(load_wine().data)
    for c in range(2, 9):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model = CAFHFCM(c, random_state=0, selection="persistence").fit(wine)
        found = len(np.unique(model.labels_))
        assert found == model.n_clusters_
        assert (found < c) == any(one.category is EmptyClustersWarning for one in told)
        within = np.linalg.norm(wine - model.cluster_centers_[model.labels_], axis=1)
        assert pdist(model.cluster_centers_).min() > 0.09 * within.mean()


def test_gammas_of_cuts_fall_with_their_number(path_model):
    gammas = [quiet_cut(path_model, c).gamma for c in range(1, 35)]
    assert (np.diff(gammas) <= 0).all()


def test_masses_of_cuts_add_up_to_the_number_of_rows(path_model, X):
    for c in range(1, 35):
        cut = quiet_cut(path_model, c)
        if cut.n_clusters == c:  # none was left out
            assert cut.cluster_masses.sum() == pytest.approx(len(X), rel=1e-9), c


def test_the_cut_at_the_number_found_is_the_model(path_model):
    assert path_model.gamma_ == path_model.path_.gammas[path_model.selection_[0].level]
    cut = path_model.cut(n_clusters=path_model.n_clusters_)
    assert cut.exact
    assert cut.gamma == path_model.gamma_
    np.testing.assert_array_equal(cut.labels, path_model.labels_)
    np.testing.assert_array_equal(cut.memberships, path_model.memberships_)
    np.testing.assert_array_equal(cut.cluster_centers, path_model.cluster_centers_)
    np.testing.assert_allclose(cut.cluster_masses, path_model.cluster_masses_, rtol=1e-9)


@pytest.mark.parametrize("number", [3, 4, 20])
def test_a_cut_is_the_fit_with_that_number(X, path_model, number):
    same_path = {"membership": path_model.membership_, "random_state": 0}
    cut, model = (
        path_model.cut(n_clusters=number),
        CAFHFCM(number, **same_path, selection="persistence").fit(X),
    )
    # A level that is reported settles further.
    np.testing.assert_allclose(cut.cluster_centers, model.cluster_centers_, atol=5e-2)
    assert np.mean(cut.labels == model.labels_) > 0.99
    assert cut.gamma == model.gamma_


def test_a_cut_at_a_gamma_is_the_last_level_up_to_it(path_model):
    gammas = path_model.path_.gammas
    for i in (0, 5, 30):
        for gamma in (gammas[i], (gammas[i] + gammas[i + 1]) / 2):
            cut = path_model.cut(gamma=gamma)
            assert cut.gamma == gammas[i]
            assert cut.n_clusters == path_model.path_.n_clusters[i]
            assert cut.exact
    assert path_model.cut(gamma=1e9).n_clusters == 1


def test_candidates_of_the_other_path_are_cut_there(X, path_model):
    both = CAFHFCM(random_state=0, selection="persistence").fit(X)
    for one in both.selection_:
        cut = both.cut(n_clusters=one.n_clusters, membership=one.membership)
        level = both.paths_[one.membership].levels[one.level]
        assert cut.gamma == level.gamma
        np.testing.assert_array_equal(np.sort(cut.cluster_masses), np.sort(level.mass))
    assert {one.membership for one in both.selection_} == {"fcm", "entropy"}
    with pytest.raises(ValueError, match="membership must be"):
        both.cut(n_clusters=2, membership="kernel")


@pytest.mark.parametrize("number", [1, 4, 5])
def test_cuts_predict_like_models(path_model, X, number):
    cut = path_model.cut(n_clusters=number)
    np.testing.assert_array_equal(cut.predict(X), cut.labels)
    np.testing.assert_array_equal(cut.predict_proba(X), cut.memberships)
    np.testing.assert_array_equal(cut.memberships.argmax(axis=1), cut.labels)
    np.testing.assert_allclose(cut.memberships.sum(axis=1), 1.0, rtol=1e-12)
    assert set(cut.labels) == set(range(number))


def test_cuts_do_not_change_the_model(path_model, X):
    before = pickle.dumps(path_model)
    for level in ({"n_clusters": 3}, {"n_clusters": 4}, {"gamma": 1.0}):
        cut = path_model.cut(**level)
        assert cut.labels.shape == (len(X),)
        assert cut.memberships.shape == (len(X), cut.n_clusters)
        cut.predict(X)
    assert pickle.dumps(path_model) == before


@pytest.mark.parametrize(
    ("level", "error", "message"),
    [
        ({}, ValueError, "either n_clusters or gamma, got n_clusters=None and gamma=None"),
        ({"n_clusters": 3, "gamma": 1.0}, ValueError, "got n_clusters=3 and gamma=1.0"),
        ({"n_clusters": 0}, ValueError, "n_clusters must be at least 1, got 0"),
        ({"n_clusters": 35}, ValueError, "between 1 and the 34 starting centroids, got 35"),
        ({"n_clusters": 2.5}, TypeError, r"n_clusters must be a whole number, got 2\.5"),
        ({"gamma": -1.0}, ValueError, r"gamma must be at least 0\.0, got -1\.0"),
        ({"gamma": np.nan}, ValueError, "gamma must be finite, got nan"),
        ({"gamma": "1"}, TypeError, "gamma must be a number, got '1'"),
    ],
)
def test_bad_cuts_name_the_value(path_model, level, error, message):
    with pytest.raises(error, match=message):
        path_model.cut(**level)


def test_cuts_beyond_a_given_path_name_its_end(X):
    model = CAFHFCM(gamma=[1.0, 2.0], random_state=0).fit(X)
    with pytest.raises(ValueError, match=r"ends at gamma = 2 .*before 3\. .*larger gamma"):
        model.cut(gamma=3.0)


@pytest.mark.filterwarnings("ignore::fastcaf.FastcafWarning")
def test_cuts_count_the_weights_of_the_rows(X, tmp_path):
    weights = np.random.default_rng(0).integers(0, 4, len(X)).astype(float)
    model = CAFHFCM(random_state=0, selection="persistence").fit(X, sample_weight=weights)
    model.save(tmp_path / "m.fcaf", rows=True)
    loaded, copies = load(tmp_path / "m.fcaf"), np.repeat(X, weights.astype(int), axis=0)
    repeated = CAFHFCM(random_state=0, selection="persistence").fit(copies)
    for c in range(2, 15):
        cut, again = model.cut(n_clusters=c), loaded.cut(n_clusters=c)
        np.testing.assert_array_equal(cut.labels, again.labels)
        np.testing.assert_array_equal(cut.cluster_masses, again.cluster_masses)
        assert cut.cluster_masses.sum() == pytest.approx(weights.sum())
        other = repeated.cut(n_clusters=c)
        np.testing.assert_allclose(cut.cluster_centers, other.cluster_centers, atol=1e-6)
        sizes = np.bincount(cut.labels, weights, cut.n_clusters)
        assert (np.diff(sizes) <= 0).all()
        assert sizes.min() > 0


def test_rows_of_weight_zero_do_not_change_the_number(iris):
    rng = np.random.default_rng(112)
    X = np.random.default_rng(13).normal(size=(120, 6))
    weights = (rng.random(120) < 0.4).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = CAFHFCM(gamma=1e-4, random_state=13).fit(X, sample_weight=weights)
        alone = CAFHFCM(gamma=1e-4, random_state=13).fit(X[weights > 0])
    assert found.n_clusters_ == alone.n_clusters_ == len(np.unique(found.labels_))
    np.testing.assert_array_equal(found.labels_[weights > 0], alone.labels_)
