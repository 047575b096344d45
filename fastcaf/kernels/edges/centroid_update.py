"""The U-step of ADMM on edges: a sparse Laplacian system, by conjugate gradients.

With L = sum_e beta_e (e_k - e_l)(e_k - e_l)^T the next U is the last one plus the solution of

    (diag(w) + L) delta = w (M - U) + 2 z - z_old,

z and z_old being the sums of the multipliers after the sweep and before it.  Near the solution
delta is small, and a few steps from 0 are enough; on a complete graph with equal weights two
are exact.  A factor of the matrix would be exact too, but of neighbours in more than three
features it fills up.
"""

from fastcaf.kernels.jit import kernel


@kernel
def laplacian_diagonal(w, first, second, beta):
    """Diagonal of diag(w) + L."""
    diagonal = w.copy()
    for e in range(first.shape[0]):
        diagonal[first[e]] += beta[e]
        diagonal[second[e]] += beta[e]
    return diagonal


@kernel
def apply_laplacian(w, first, second, beta, p, out):
    """Apply the matrix: out = (diag(w) + L) p.  Returns <p, out>."""
    d = p.shape[1]
    for j in range(p.shape[0]):
        for f in range(d):
            out[j, f] = w[j] * p[j, f]
    for e in range(first.shape[0]):
        k, j = first[e], second[e]
        for f in range(d):
            pull = beta[e] * (p[k, f] - p[j, f])
            out[k, f] += pull
            out[j, f] -= pull
    value = 0.0
    for j in range(p.shape[0]):
        for f in range(d):
            value += p[j, f] * out[j, f]
    return value


@kernel
def solve_edge_u_step(problem, beta, diagonal, z_old, z, u, room, accuracy, max_steps):
    """The next U, to a relative ``accuracy`` of its step.  Returns the steps made.

    IN z_old, z.  IN/OUT u: the last U, then the next.  ``room`` (3 x K x d) is written to.
    """
    w, m = problem.w, problem.m
    n, d = u.shape
    residual, direction, image = room[0], room[1], room[2]
    size = 0.0
    for j in range(n):
        for f in range(d):
            value = w[j] * (m[j, f] - u[j, f]) + 2.0 * z[j, f] - z_old[j, f]
            residual[j, f] = value
            direction[j, f] = value / diagonal[j]
            size += value * direction[j, f]
    enough = accuracy * accuracy * size
    steps = 0
    while size > enough and steps < max_steps:
        curvature = apply_laplacian(w, problem.first, problem.second, beta, direction, image)
        length, new_size = size / curvature, 0.0
        for j in range(n):
            for f in range(d):
                u[j, f] += length * direction[j, f]
                residual[j, f] -= length * image[j, f]
                new_size += residual[j, f] * residual[j, f] / diagonal[j]
        ratio = new_size / size
        for j in range(n):
            for f in range(d):
                direction[j, f] = residual[j, f] / diagonal[j] + ratio * direction[j, f]
        size = new_size
        steps += 1
    return steps
