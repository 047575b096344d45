"""The tree of merges, its linkage matrix, and cuts."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.cluster.hierarchy import dendrogram, fcluster, is_monotonic, is_valid_linkage

from fastcaf import CAFHFCM
from fastcaf.fusion.cuts import beyond_path, level_at_gamma, level_at_number
from fastcaf.fusion.hierarchy import Merge, Tree, linkage_matrix


@pytest.fixture(scope="module", params=[True, False], ids=["pruned", "exact"])
def fitted(request, iris):
    return CAFHFCM(prune=request.param, random_state=0).fit(iris)


def test_linkage_is_valid_and_usable_by_scipy(fitted):
    n = len(fitted.path_.start)
    assert fitted.linkage_.shape == (n - 1, 4)
    assert is_valid_linkage(fitted.linkage_)
    assert is_monotonic(fitted.linkage_)
    assert sorted(dendrogram(fitted.linkage_, no_plot=True)["leaves"]) == list(range(n))
    for c in range(1, n + 1):
        sets = fcluster(fitted.linkage_, c, "maxclust")
        # equal heights cannot be cut apart by height, so scipy may return fewer
        assert len(np.unique(sets)) <= c


def test_fcluster_at_a_level_gives_its_sets(fitted):
    path = fitted.path_
    for level in path.levels[1:]:
        sets = fcluster(fitted.linkage_, level.gamma, "distance")
        assert len(np.unique(sets)) == level.n_clusters


@pytest.mark.parametrize("gamma", [0.0, 0.2, [0.05, 0.1, 0.12]])
def test_unfinished_paths_have_complete_trees_too(iris, gamma):
    model = CAFHFCM(gamma=gamma, random_state=0).fit(iris)
    assert model.path_.n_clusters[-1] > 1
    assert is_valid_linkage(model.linkage_)
    assert is_monotonic(model.linkage_)
    beyond = [merge for merge in model.path_.merges if merge.kind == "beyond"]
    assert len(beyond) == model.path_.n_clusters[-1] - 1
    assert all(merge.gamma >= model.path_.gammas[-1] for merge in beyond)


def test_the_estimated_height_of_the_last_two_is_exact():
    """Two centroids alone have a closed form: they fuse at D / (1/w_1 + 1/w_2)."""
    tree = Tree(2)
    tree.complete(0.1, np.array([[0.0], [3.0]]), np.array([2.0, 6.0]))
    assert tree.merges[0].gamma == pytest.approx(3.0 / (1 / 2 + 1 / 6))


def test_every_number_has_a_cut(fitted):
    for c in range(1, len(fitted.path_.start) + 1):
        cut = level_at_number(fitted.path_, c)
        assert len(np.unique(cut.centroids, axis=0)) == c
        assert np.isfinite(cut.centroids).all()
        visited = c in fitted.path_.n_clusters
        assert cut.exact == visited


def test_gammas_of_cuts_fall_with_the_number_of_clusters(fitted):
    gammas = [level_at_number(fitted.path_, c).gamma for c in range(1, len(fitted.path_.start))]
    assert (np.diff(gammas) <= 0.0).all()


def test_a_skipped_number_is_made_by_the_first_merges_of_the_next_level(fitted):
    """Rule: from the last level with more clusters, nearest centroids first."""
    path = fitted.path_
    counts = path.n_clusters
    jump = int(np.flatnonzero(counts[:-1] - counts[1:] >= 2)[0])
    before = path.levels[jump]
    cut = level_at_number(path, before.n_clusters - 1)
    merge = path.merges[len(path.start) - before.n_clusters]
    kept = [before.nodes.tolist().index(n) for n in (merge.first, merge.second)]
    untouched = np.delete(before.centroids, kept, axis=0)
    assert all((cut.centroids == place).all(axis=1).any() for place in untouched)
    w, places = before.weight[kept], before.centroids[kept]
    if merge.kind == "dropped":
        expected = places[[merge.first, merge.second].index(merge.survivor)]
    else:
        expected = w @ places / w.sum()
    assert np.abs(cut.centroids - expected).max(axis=1).min() < 1e-12
    assert not cut.exact
    assert sorted(cut.nodes) == path.tree.alive_at(cut.n_clusters).tolist()
    assert cut.n_iter == cut.n_sweeps == len(cut.history) == 0
    assert cut.weight.sum() == pytest.approx(before.weight.sum())


@pytest.mark.parametrize("weights", ["uniform", "mass", "neighbours"])
def test_clusters_of_a_level_in_another_order(iris, weights):
    path = CAFHFCM(fusion_weights=weights, membership="fcm", random_state=0).fit(iris).path_
    level = path.levels[3]
    order = np.argsort(level.mass)
    for name in ("centroids", "nodes", "weight", "mass", "pair_mass"):
        column = getattr(level, name)
        expected = column[order] if len(column) else column
        np.testing.assert_array_equal(getattr(level.ordered(order), name), expected)
    pairs = level.pair_weights[np.ix_(order, order)]
    np.testing.assert_array_equal(level.ordered(order).pair_weights, pairs)


def test_cut_at_a_gamma_is_the_last_level_not_beyond_it(fitted):
    path = fitted.path_
    middle = (path.gammas[5] + path.gammas[6]) / 2
    np.testing.assert_array_equal(
        level_at_gamma(path, middle).centroids, path.levels[5].centroids
    )
    assert len(level_at_gamma(path, 1e9).centroids) == 1


def test_cut_beyond_an_unfinished_path_is_refused(iris):
    path = CAFHFCM(gamma=1.0, random_state=0).fit(iris).path_
    with pytest.raises(ValueError, match="path ends at gamma = 1"):
        level_at_gamma(path, 2.0)


def test_numbers_below_the_end_of_a_path_are_cut_by_the_completed_tree(iris):
    path = CAFHFCM(gamma=1.0, random_state=0).fit(iris).path_
    for c in range(1, path.n_clusters[-1]):
        assert len(level_at_number(path, c).centroids) == c
        assert "path ends at gamma = 1" in beyond_path(path, c)
    assert beyond_path(path, path.n_clusters[-1]) == ""


def test_several_merges_at_one_gamma_are_ordered_by_distance():
    tree = Tree(5)
    places = np.array([[0.0], [1.0], [10.0], [10.5], [40.0]])
    tree.fuse(2.0, places, np.array([0, 0, 1, 1, 2]))
    assert [(m.first, m.second, m.distance) for m in tree.merges] == [
        (2, 3, 0.5),
        (0, 1, 1.0),
    ]
    assert tree.alive == [6, 5, 4]


def test_a_dropped_node_goes_to_the_nearest_which_stays():
    tree = Tree(3)
    tree.drop(1.0, np.array([[0.0], [5.0], [6.0]]), 1)
    (merge,) = tree.merges
    assert (merge.first, merge.second, merge.survivor, merge.kind) == (1, 2, 2, "dropped")
    assert tree.alive == [0, 3]


def chain():
    """0 takes in 1, which is dropped; then 2 and 3 fuse, and all become one."""
    dropped = Merge(1.0, 0, 1, 1.0, (1, 1), "dropped", survivor=0)
    return [dropped, Merge(2.0, 2, 3, 1.0, (1, 1)), Merge(3.0, 4, 5, 1.0, (2, 2))]


def test_nodes_and_ancestors_at_every_number_of_clusters():
    tree = Tree(4, chain())
    assert [tree.alive_at(c).tolist() for c in (4, 3, 2, 1)] == [
        [0, 1, 2, 3], [2, 3, 4], [4, 5], [6],
    ]  # fmt: skip
    assert tree.ancestor_at(2).tolist() == [4, 4, 5, 5, 4, 5, -1]
    assert tree.ancestor_at(2, dropped=False).tolist() == [4, -1, 5, 5, 4, 5, -1]
    assert tree.ancestor_at(1, dropped=False).tolist() == [6, -1, 6, 6, 6, 6, 6]
    assert [node for node, _ in tree.merges_between(3, 1)] == [5, 6]


def test_what_adds_up_is_summed_from_the_nodes_that_are_known():
    tree = Tree(4, chain())
    assert tree.sums({}).tolist() == [1, 1, 1, 1, 2, 2, 4]
    assert tree.sums({0: 5.0, 4: 7.0}).tolist() == [5, 1, 1, 1, 7, 2, 9]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"first": 3, "second": 2}, "nodes 3 and 2"),
        ({"second": 5}, "nodes 2 and 5"),
        ({"first": 0}, "merged already"),
        ({"sizes": (2, 1)}, "do not add up"),
        ({"survivor": 3}, "node 3 cannot survive"),
        ({"kind": "dropped"}, "node -1 cannot survive"),
    ],
)
def test_merges_that_make_no_tree_are_refused(change, message):
    first, second, third = chain()
    with pytest.raises(ValueError, match=message):
        Tree(4, [first, replace(second, **change), third])


def test_linkage_of_a_single_centroid_is_empty():
    assert linkage_matrix([]).shape == (0, 4)
