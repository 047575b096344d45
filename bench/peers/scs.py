"""The centroid problem as a cone programme: cvxpy writes it down, SCS solves it.

Only SCS is on the clock (its set-up and its iterations); cvxpy's translation is not.
"""

from collections.abc import Callable

import cvxpy as cp
import numpy as np
import scs
from cvxpy.reductions.solvers.conic_solvers.scs_conif import dims_to_solver_dict

EPS = 1e-9


def problem(
    weight: np.ndarray, means: np.ndarray, gamma: float
) -> tuple[cp.Problem, cp.Variable]:
    """1/2 sum_j w_j ||u_j - m_j||^2 + gamma sum_{k<l} ||u_k - u_l||."""
    U = cp.Variable(means.shape)
    first, second = np.triu_indices(len(means), 1)
    pull = cp.sum_squares(cp.multiply(np.sqrt(weight)[:, None], U - means))
    apart = cp.sum(cp.norm(U[first] - U[second], 2, axis=1))
    return cp.Problem(cp.Minimize(0.5 * pull + gamma * apart)), U


def fuse(weight: np.ndarray, means: np.ndarray, gamma: float) -> Callable[[], np.ndarray]:
    """The centroids, to eps 1e-9."""
    task, U = problem(weight, means, gamma)
    data, chain, inverse = task.get_problem_data(cp.SCS, solver_opts={"use_quad_obj": True})
    cone = dims_to_solver_dict(data["dims"])
    given = {key: data[key] for key in ("P", "A", "b", "c") if key in data}

    def run() -> np.ndarray:
        solver = scs.SCS(
            given, cone, eps_abs=EPS, eps_rel=EPS, max_iters=1_000_000, verbose=False
        )
        answer = solver.solve()
        assert answer["info"]["status"] == "solved", answer["info"]["status"]
        task.unpack_results(answer, chain, inverse)
        return U.value

    return run
