"""Who drives the iteration changes nothing, and longer steps only save passes."""

import importlib
import pkgutil
import warnings

import numpy as np
import pytest
from conftest import size

import fastcaf
from fastcaf import kernels
from fastcaf.data.sources import ArrayRows
from fastcaf.fusion import iteration as alternation
from fastcaf.fusion.fixed_gamma import Solver
from fastcaf.fusion.iteration import Iteration, statistics_at
from fastcaf.kernels.loop.step_length import forget, step_length
from fastcaf.memberships import EntropyMemberships, FuzzyMemberships

MODELS = [FuzzyMemberships(), FuzzyMemberships(1.7), EntropyMemberships()]
by_model = pytest.mark.parametrize("model", MODELS, ids=["fcm", "fcm-1.7", "entropy"])


@pytest.fixture
def rows(blobs):
    X = blobs[0][: size(300, 30)]
    centred = X - X.mean(axis=0)
    return ArrayRows(centred / np.abs(centred).max(), np.empty(0))


def settled(rows, model, gamma, monkeypatch=None, **options):
    if monkeypatch is not None:
        monkeypatch.setattr(alternation, "PARALLEL_WORK", 0)
        monkeypatch.setattr(alternation, "PARALLEL_CENTROIDS", 0)
    merges = []
    solver = Solver(rows, model, **options)
    state, how = solver.settle(
        solver.start(rows.rows[:12].copy()), gamma, lambda places, sets: merges.append(sets)
    )
    return state, how, merges


@pytest.mark.kernels
@by_model
@pytest.mark.parametrize("gamma", [0.0, 0.02, 0.5])
def test_compiled_and_plain_loops_have_equal_bits(rows, model, gamma, monkeypatch):
    """Python asks for every pass where rows are many, and sweeps may be parallel there."""
    one, how, merges = settled(rows, model, gamma)
    other, again, merged = settled(rows, model, gamma, monkeypatch)
    np.testing.assert_array_equal(one.centroids, other.centroids)
    np.testing.assert_array_equal(one.multipliers, other.multipliers)
    assert one.model == other.model
    assert how == again
    assert [list(m) for m in merges] == [list(m) for m in merged]


@pytest.mark.kernels
@by_model
def test_sums_by_the_compiled_loop_are_those_of_the_source(rows, model):
    centroids = rows.rows[:7].copy()
    one, other = statistics_at(rows, model, centroids), rows.statistics(model, centroids)
    for here, there in zip(one.as_tuple(), other.as_tuple(), strict=True):
        np.testing.assert_array_equal(here, there)


def twin_of_the_length(w, u, g, last_u, last_r, longest):
    dr, du = (g - u) - last_r, u - last_u
    turned = -(w[:, None] * du * dr).sum()
    if turned <= 0.0:
        return longest
    return np.clip(turned / (w[:, None] * dr**2).sum(), 1.0, longest)


@pytest.mark.kernels
def test_length_of_a_step_equals_its_twin(rng):
    for _ in range(50):
        w, (u, g, last_u) = rng.uniform(0.1, 2, 4), rng.normal(size=(3, 4, 2))
        last_r = rng.choice([0.3, 1.0, 4.0]) * (g - u) + 0.1 * rng.normal(size=(4, 2))
        expected = twin_of_the_length(w, u, g, last_u, last_r, 10.0)
        memory = last_u.copy(), last_r.copy()
        assert step_length(w, u, g, *memory, 10.0) == pytest.approx(expected)
        np.testing.assert_array_equal(memory[0], u)
        np.testing.assert_array_equal(memory[1], g - u)
        forget(memory[0])
        assert step_length(w, u, g, *memory, 10.0) == 1.0


@pytest.mark.kernels
def test_one_rate_is_undone_in_one_step():
    """u -> 0.8 u has its fixed point at 0: five plain steps at once."""
    u = np.array([[1.0, -2.0]])
    first, r = u / 0.8, -0.2 * u / 0.8
    length = step_length(np.ones(1), u, 0.8 * u, first.copy(), r, 10.0)
    np.testing.assert_allclose(u + length * (-0.2 * u), 0.0, atol=1e-12)


@by_model
def test_longer_steps_save_passes_and_end_no_higher(rows, model):
    solver = Solver(rows, model.suited_to(np.ptp(rows.rows, axis=0)), tol=1e-7, max_iter=2000)
    found = {}
    for hasten in (False, True):
        start = solver.start(rows.rows[:12].copy())
        state, how = solver.settle(start, 1e-3, lambda places, sets: None, hasten=hasten)
        assert how.converged
        assert how.duality_gap <= 1e-6
        found[hasten] = len(how.history), state.objective(1e-3)
    assert found[True][0] < 0.7 * found[False][0]
    assert found[True][1] <= found[False][1] * 1.02


@pytest.mark.kernels
def test_a_rise_of_the_objective_is_taken_back(rows):
    """Steps far too long are refused, and the objective falls as it does without them."""
    model, start = FuzzyMemberships(), rows.rows[:12].copy()
    known = statistics_at(rows, model, start)
    iteration = Iteration(
        rows,
        start,
        np.zeros(2 * 12 * 11 // 2),
        objective=known.data_term,
        tol=1e-9,
        hasten=True,
    )
    iteration.settings = iteration.settings._replace(longest=1e4)
    objectives = iteration.run(model, known, 50).objectives
    assert (np.diff(objectives) <= 0.0).all()
    assert (np.diff(objectives) == 0.0).any()  # at least one was refused


def compiled_kernels():
    """Signatures that were compiled or loaded, of every kernel that can be called."""
    found = set()
    for module in pkgutil.walk_packages(kernels.__path__, kernels.__name__ + "."):
        for name, value in vars(importlib.import_module(module.name)).items():
            found |= {(name, str(s)) for s in getattr(value, "signatures", ())}
    return found


def test_warm_up_leaves_nothing_to_compile(iris):
    fastcaf.warm_up()
    warnings.simplefilter("ignore", fastcaf.FastcafWarning)  # noise has no structure
    before = compiled_kernels()
    assert len(before) > 20
    for X in (iris, np.random.default_rng(0).normal(size=(3000, 2))):
        fastcaf.CAFHFCM(random_state=0, max_iter=20).fit(X).predict(X)
    assert compiled_kernels() == before
