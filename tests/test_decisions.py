"""One cluster or several: every way to decide, on hand-made judgements."""

from types import SimpleNamespace

import numpy as np
import pytest

from fastcaf.selection.judge import SHALLOW, Judge, Judgement
from fastcaf.selection.likelihood_search import CLEAR, LEAST_GAIN, TAILED, decided

ROWS, FEATURES = 1000, 8
UNIT = np.sqrt(FEATURES / 2.0)
LITTLE, MUCH = 0.5 * LEAST_GAIN * UNIT * ROWS, 2.0 * LEAST_GAIN * UNIT * ROWS


def judgement(c, likelihood, depth=0.0, plain=None, score=None):
    grouping = SimpleNamespace(n_clusters=c, sums=np.ones((c, 1)))
    depths = np.full(c if c > 1 else 0, depth)
    score = likelihood / ROWS if score is None else score
    plain = likelihood if plain is None else plain
    heavy = plain < likelihood
    return Judgement(grouping, 0, heavy, likelihood, plain, 5.0, depths, depths, score)


def choice(*judged, mixture=None):
    """What is decided where the mixtures of each number have these likelihoods."""
    heard = mixture or {}
    judge = SimpleNamespace(
        n=ROWS, n_features=FEATURES, mixture_likelihood=lambda one: heard[one.n_clusters]
    )
    return decided(judge, list(judged))


def test_the_best_number_is_believed_where_it_gains_enough():
    found = choice(judgement(1, 0.0), judgement(3, MUCH), judgement(4, MUCH - 9.0))
    assert (found.chosen.n_clusters, found.heard, found.says_one) == (3, False, False)


def test_of_one_number_the_best_partition_counts():
    found = choice(judgement(1, 0.0), judgement(3, MUCH), judgement(3, 2.0 * MUCH))
    assert found.chosen.likelihood == 2.0 * MUCH
    assert len(found.ranking) == 2


@pytest.mark.parametrize("gain", [LITTLE, -LITTLE])
@pytest.mark.parametrize(
    ("depth", "mixture", "chosen"),
    [
        (0.8, {1: 0.0, 2: -1.0}, 1),  # both say one
        (0.8, {1: 0.0, 2: 1.0}, 2),  # the mixture asks for two, which have a valley
        (SHALLOW, {1: 0.0, 2: 1.0}, 1),  # ... and none
    ],
)
def test_where_little_is_gained_the_mixture_is_heard(gain, depth, mixture, chosen):
    found = choice(judgement(1, 0.0), judgement(2, gain, depth), mixture=mixture)
    assert (found.chosen.n_clusters, found.heard) == (chosen, True)
    assert found.says_one == (gain <= 0.0)
    assert found.mixture_says_one == (mixture[1] > mixture[2])


@pytest.mark.parametrize(("depth", "chosen"), [(0.9 * CLEAR, 2), (CLEAR, 1)])
def test_the_best_score_is_believed_where_its_valleys_are_clear(depth, chosen):
    """The mixture asks for four without a valley, and prefers two to one."""
    judged = judgement(1, 0.0), judgement(2, LITTLE, depth), judgement(4, 0.0, 1.0, score=-9.0)
    found = choice(*judged, mixture={1: 0.0, 2: 1.0, 4: 2.0})
    assert found.chosen.n_clusters == chosen


@pytest.mark.parametrize(
    ("gain", "depth", "chosen"),
    [(LITTLE, 0.8, 3), (-LITTLE, 0.8, 1), (LITTLE, SHALLOW, 1)],
)
def test_where_tails_are_heavy_no_mixture_of_gaussians_is_asked(gain, depth, chosen):
    plain = -2.0 * TAILED * UNIT * ROWS  # of one cluster: tails explain that much of it
    found = choice(judgement(1, 0.0, plain=plain), judgement(3, gain, depth))
    assert (found.chosen.n_clusters, found.heard) == (chosen, True)


def test_without_one_cluster_there_is_nothing_to_compare():
    assert choice(judgement(3, 1.0)).chosen.n_clusters == 3
    assert choice(judgement(1, 1.0)).chosen.n_clusters == 1


def test_valleys_decide_what_the_likelihood_can_hardly_tell():
    """Half a standard error of the likelihood weighs as much as a valley or none."""
    judge = SimpleNamespace(n=ROWS, n_features=FEATURES)
    missing = [Judge._shallowness(judge, depth) for depth in (0.0, 0.4, SHALLOW)]
    error = np.sqrt(FEATURES / (2.0 * ROWS))
    np.testing.assert_allclose(missing, 0.5 * error * np.array([0.0, 0.4, SHALLOW]))
    assert Judge._shallowness(judge, 1.0) == pytest.approx(0.5 * error - 20.0 * np.log(SHALLOW))
