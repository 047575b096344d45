"""Convex clustering on a graph: kernels against NumPy twins, the solver against others."""

import cvxpy
import numpy as np
import pytest
from conftest import size
from scipy.spatial.distance import pdist

import reference
from fastcaf import ConvexClustering
from fastcaf import convex_objective as judge
from fastcaf.fusion.centroid_problem import no_multipliers, solve_centroids
from fastcaf.fusion.convex_path import leaf_labels
from fastcaf.fusion.convex_problem import FusedGraph
from fastcaf.fusion.edges import Edges, all_pairs, neighbours
from fastcaf.kernels.edges import admm
from fastcaf.kernels.edges.centroid_update import (
    apply_laplacian,
    laplacian_diagonal,
    solve_edge_u_step,
)
from fastcaf.kernels.edges.problem import (
    EdgeProblem,
    dual_value,
    multiplier_sums,
    primal_value,
)
from fastcaf.kernels.edges.prox_multipliers import update_edge_multipliers


def random_graph(rng, n, *, uniform=False):
    """Rows, weights, and edges: all pairs, or the neighbours of each row."""
    X, w = rng.normal(size=(n, int(rng.integers(1, 6)))), rng.uniform(0.5, 3.0, n)
    edges = all_pairs(n) if uniform else neighbours(X, w, int(rng.integers(2, 6)), 2.0)
    return X, w, edges


def random_state(rng, n=12):
    """A problem, its penalties, and a state of ADMM in the middle of nowhere."""
    X, w, edges = random_graph(rng, n)
    radius = 0.3 * edges.weight
    problem = EdgeProblem(w, X, edges.first, edges.second, radius)
    u, multipliers = rng.normal(size=X.shape), rng.normal(size=(len(radius), X.shape[1]))
    return problem, 2.0 * edges.weight, u, multipliers


def incidence(problem):
    A = np.zeros((len(problem.first), len(problem.w)))
    for e, (k, j) in enumerate(zip(problem.first, problem.second, strict=True)):
        A[e, k], A[e, j] = 1.0, -1.0
    return A


def ends_of(edges):
    return np.column_stack([edges.first, edges.second])


def gap_of(graph, w, X, found, gamma):
    """The duality gap of a solution for rows that have not fused, by plain NumPy."""
    u, multipliers = found.graph.centroids, found.graph.multipliers
    ends = ends_of(graph.edges)
    return judge.duality_gap(X, u, multipliers, gamma, ends, graph.edges.weight, w)


def conic(X, w, edges, gamma):
    """The centroids by a solver for cones."""
    U = cvxpy.Variable(X.shape)
    A = np.zeros((len(edges.weight), len(X)))
    A[np.arange(len(A)), edges.first], A[np.arange(len(A)), edges.second] = 1.0, -1.0
    lengths = cvxpy.norm(A @ U, 2, axis=1)
    data = 0.5 * cvxpy.sum(cvxpy.multiply(w[:, None], cvxpy.square(U - X)))
    problem = cvxpy.Problem(cvxpy.Minimize(data + gamma * edges.weight @ lengths))
    problem.solve(solver="SCS", eps_abs=1e-9, eps_rel=1e-9, max_iters=200_000)
    return U.value


# Kernels


@pytest.mark.kernels
def test_a_sweep_is_the_prox_and_the_multiplier_step(rng):
    problem, beta, u, multipliers = random_state(rng)
    A = incidence(problem)
    y = A @ u - multipliers / beta[:, None]
    v = [reference.prox(one, r / b) for one, r, b in zip(y, problem.radius, beta, strict=True)]
    expected = multipliers + beta[:, None] * (np.array(v) - A @ u)
    z = np.empty_like(u)
    ends = problem.first, problem.second
    update_edge_multipliers(*ends, problem.radius, beta, u, multipliers, z)
    np.testing.assert_allclose(multipliers, expected, atol=1e-12)
    np.testing.assert_allclose(z, A.T @ expected, atol=1e-12)
    again = np.empty_like(u)
    multiplier_sums(*ends, multipliers, again)
    np.testing.assert_allclose(again, z, atol=1e-12)


@pytest.mark.kernels
def test_the_u_step_is_a_dense_solve(rng):
    problem, beta, u, multipliers = random_state(rng)
    A = incidence(problem)
    matrix = np.diag(problem.w) + A.T @ np.diag(beta) @ A
    ends = problem.first, problem.second
    diagonal = laplacian_diagonal(problem.w, *ends, beta)
    np.testing.assert_allclose(diagonal, np.diag(matrix))
    image = np.empty_like(u)
    product = apply_laplacian(problem.w, *ends, beta, u, image)
    np.testing.assert_allclose(image, matrix @ u)
    assert product == pytest.approx((u * (matrix @ u)).sum())
    z_old = A.T @ multipliers
    z = np.empty_like(u)
    update_edge_multipliers(*ends, problem.radius, beta, u, multipliers, z)
    right = problem.w[:, None] * problem.m + A.T @ np.diag(beta) @ A @ u - z_old + 2.0 * z
    expected, room = np.linalg.solve(matrix, right), np.empty((3, *u.shape))
    steps = solve_edge_u_step(problem, beta, diagonal, z_old, z, u, room, 1e-12, 200)
    assert 0 < steps < 200
    np.testing.assert_allclose(u, expected, atol=1e-9)


@pytest.mark.kernels
def test_two_steps_solve_a_complete_graph(rng):
    X, edges = rng.normal(size=(15, 3)), all_pairs(15)
    w, beta, z = np.ones(15), np.full(len(edges.weight), 0.7), rng.normal(size=(15, 3))
    problem = EdgeProblem(w, X, edges.first, edges.second, edges.weight)
    diagonal = laplacian_diagonal(w, edges.first, edges.second, beta)
    u, room = np.zeros_like(X), np.empty((3, 15, 3))
    assert solve_edge_u_step(problem, beta, diagonal, z, z, u, room, 1e-9, 50) <= 2
    matrix = np.eye(15) * (1.0 + 0.7 * 15) - 0.7
    np.testing.assert_allclose(u, np.linalg.solve(matrix, X + z), atol=1e-9)


@pytest.mark.kernels
def test_values_of_primal_and_dual_are_those_of_the_judge(rng):
    problem, beta, u, multipliers = random_state(rng)
    ends, z = np.column_stack([problem.first, problem.second]), np.empty_like(u)
    graph = ends, problem.radius, problem.w
    assert primal_value(problem, u) == pytest.approx(judge.primal(problem.m, u, 1.0, *graph))
    assert judge.dual(problem.m, multipliers, 1.0, *graph) == -np.inf
    update_edge_multipliers(*ends.T, problem.radius, beta, u, multipliers, z)
    expected = judge.dual(problem.m, multipliers, 1.0, *graph)
    assert dual_value(problem, z) == pytest.approx(expected)
    assert primal_value(problem, u) >= dual_value(problem, z)


@pytest.mark.kernels
def test_sets_are_joined_along_edges_with_slack_only():
    line = np.array([0, 1, 2]), np.array([1, 2, 3])
    u = np.array([[0.0], [0.0], [0.0], [9.0]])
    problem = EdgeProblem(np.ones(4), u, *line, np.ones(3))
    multipliers, labels = np.array([[0.5], [1.0], [0.2]]), np.empty(4, dtype=np.int64)
    # The second is on the boundary, the ends of the third are far apart.
    assert admm.fused_sets(problem, u, multipliers, 0.1, labels) == 3
    assert labels.tolist() == [0, 0, 1, 2]
    moved, out = np.array([[0.0], [4.0], [5.0], [0.0]]), np.empty_like(u)
    admm.means_of_sets(np.array([1.0, 3.0, 1.0, 1.0]), u + moved, labels, 3, out)
    assert out.ravel().tolist() == [3.0, 3.0, 5.0, 9.0]


# The solver


@pytest.mark.parametrize("uniform", [True, False])
def test_against_a_conic_solver(rng, uniform):
    fused = 0
    for _ in range(15):
        n = int(rng.integers(3, 41))
        X, w, edges = random_graph(rng, n, uniform=uniform)
        gamma = pdist(X).mean() / edges.pull.mean() * 10.0 ** rng.uniform(-1.0, 1.0)
        graph = FusedGraph.of_rows(X, w, edges)
        found = graph.solve(gamma, tolerance=1e-9, max_sweeps=200_000)
        gap = gap_of(graph, w, X, found, gamma)
        assert -1e-12 <= gap <= 1e-9
        assert found.duality_gap == pytest.approx(gap, abs=1e-12)
        options = gamma, ends_of(edges), edges.weight, w
        best = judge.primal(X, conic(X, w, edges, gamma), *options)
        assert judge.primal(X, found.graph.centroids, *options) == pytest.approx(best, rel=1e-7)
        fused += found.labels.max() + 1 < n
    assert 3 <= fused <= 15


def test_a_hundred_random_problems_are_certified(rng):
    for _ in range(size(100, 3)):
        X, w, edges = random_graph(rng, int(rng.integers(2, 80)))
        w *= 10.0 ** rng.uniform(-1, 1, len(w))
        gamma = w.mean() * pdist(X).mean() / edges.pull.mean() * 10.0 ** rng.uniform(-3, 1)
        graph = FusedGraph.of_rows(X, w, edges)
        found = graph.solve(gamma, tolerance=1e-6, max_sweeps=200_000)
        assert -1e-12 <= gap_of(graph, w, X, found, gamma) <= 1e-6


def test_two_rows_fuse_where_they_must():
    graph = FusedGraph.of_rows(np.array([[0.0], [10.0]]), np.array([1.0, 3.0]), all_pairs(2))
    assert graph.fusion_bounds() == pytest.approx([7.5])
    apart = graph.solve(7.4, tolerance=1e-12)
    np.testing.assert_allclose(apart.graph.centroids.ravel(), [7.4, 10 - 7.4 / 3], rtol=1e-6)
    assert apart.labels.tolist() == [0, 1]
    together = graph.solve(7.6, tolerance=1e-12)
    np.testing.assert_allclose(together.graph.centroids.ravel(), 7.5, rtol=1e-6)
    assert together.labels.tolist() == [0, 0]


def test_nothing_fuses_below_the_bounds(rng):
    for _ in range(size(20, 2)):
        X, w, edges = random_graph(rng, 20)
        graph = FusedGraph.of_rows(X, w, edges)
        least = graph.fusion_bounds().min()
        assert graph.solve(0.999 * least, tolerance=1e-10).labels.max() == 19


def test_a_contracted_problem_has_the_same_solution(rng):
    for uniform in (True, False):
        X, w, edges = random_graph(rng, 30, uniform=uniform)
        graph = FusedGraph.of_rows(X, w, edges)
        gamma = 0.5 * pdist(X).mean() / edges.pull.mean()
        first = graph.solve(gamma, tolerance=1e-11)
        while first.labels.max() == 29:
            gamma *= 1.1
            first = graph.solve(gamma, tolerance=1e-11)
        small = first.graph.contracted(first.labels)
        assert len(small) < 30
        assert len(small.edges.weight) < len(edges.weight)
        again = small.solve(gamma, tolerance=1e-11)
        expanded = again.graph.centroids[first.labels]
        np.testing.assert_allclose(expanded, first.graph.centroids, atol=1e-4)
        ends = ends_of(edges)
        objective = judge.primal(X, expanded, gamma, ends, edges.weight, w)
        assert again.graph.objective(gamma) == pytest.approx(objective, rel=1e-9)


def test_contracted_edges_add_weights_and_multipliers():
    edges = Edges(4, np.array([0, 0, 1, 2]), np.array([1, 2, 3, 3]), np.array([1.0, 2, 3, 4]))
    multipliers = np.array([[1.0], [2.0], [3.0], [4.0]])
    found, added = edges.contracted(np.array([0, 1, 1, 0]), multipliers)
    # 0-1 and 0-2 lead from set 0 to set 1; 1-3 and 2-3 lead back.
    assert (found.n, found.first.tolist(), found.second.tolist()) == (2, [0], [1])
    assert found.weight.tolist() == [10.0]
    assert added.tolist() == [[1.0 + 2.0 - 3.0 - 4.0]]


# The path


def test_the_uniform_path_is_that_of_the_solver_of_caf_hfcm(rng):
    X = rng.normal(size=(25, 2)) + 3.0 * rng.integers(0, 3, (25, 1))
    model = ConvexClustering(weights="uniform", gamma_ratio=1.2, tol=1e-10, max_iter=200_000)
    path = model.fit(X).path_
    numbers = path.n_clusters
    for i, level in enumerate(path.levels[1:-1], 1):
        options = {"tolerance": 1e-10, "fusion_tolerance": 1e-10, "max_sweeps": 200_000}
        start = X, level.gamma, X, no_multipliers(*X.shape)
        expected = solve_centroids(np.ones(25), *start, **options)
        labels = leaf_labels(path.tree, level)[model._leaves]
        # Both are certified, and the objective is strongly convex with modulus 1.
        near = 2.0 * np.sqrt(2.0 * 1e-10 * level.objective)
        assert np.abs(level.centroids[labels] - expected.centroids).max() <= near
        # Two rows may be fused by one solver just before they are by the other.
        assert numbers[i + 1] <= expected.n_sets <= numbers[i - 1]
    assert len(np.unique(numbers)) >= 3
    assert numbers[-1] == 1


@pytest.mark.parametrize("uniform", [True, False])
def test_levels_of_a_path_are_solutions(rng, uniform):
    X = rng.normal(size=(60, 2)) + 4.0 * rng.integers(0, 2, (60, 1))
    weights = "uniform" if uniform else "neighbours"
    model = ConvexClustering(weights=weights, n_neighbors=35, tol=1e-9).fit(X)
    path, edges = model.path_, all_pairs(60)
    if not uniform:
        edges = neighbours(X, np.ones(60), 35, 2.0)
    for level in path.levels[1::4]:
        U = level.centroids[leaf_labels(path.tree, level)[model._leaves]]
        options = level.gamma, ends_of(edges), edges.weight
        value = judge.primal(X, U, *options)
        assert level.objective == pytest.approx(value, rel=1e-9)
        found = FusedGraph.of_rows(X, np.ones(60), edges).solve(level.gamma, tolerance=1e-9)
        assert value == pytest.approx(
            judge.primal(X, found.graph.centroids, *options), rel=1e-7
        )
