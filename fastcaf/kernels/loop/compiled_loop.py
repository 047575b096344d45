"""Whole stretches of the iteration in compiled code, for rows that are few and in memory.

A pass over 150 rows takes five microseconds, and so does calling a kernel from Python.  What
is decided between two passes is decided in ``iteration.py``, here as for many rows.
"""

from fastcaf.kernels.jit import kernel
from fastcaf.kernels.loop.iteration import (
    FUSED,
    GO_ON,
    OBJECTIVE,
    REJECTED,
    TINY,
    accept_step,
    propose_serial,
    squared_change,
)
from fastcaf.kernels.rows.entropy import entropy_statistics_serial
from fastcaf.kernels.rows.fcm import fcm_statistics_serial

# Kinds of models.  Their parameters: the power; the temperature and the number of features;
# both end with the squared distance of the noise.
FCM, ENTROPY = range(2)


@kernel
def adapted_temperature(nearest, mass, d):
    """Twice the variance of a feature around the nearest centroids."""
    total = 0.0
    for j in range(mass.shape[0]):
        total += mass[j]
    return 2.0 * (nearest / max(total, TINY)) / d  # all rows may be noise


@kernel
def alternate(x, row_weights, scatter, kind, parameters, sums, known, state, settings, history):
    """Up to ``history.shape[0]`` passes.

    ``kind`` and ``parameters`` are the model's; where it adapts, they are written to.

    ``sums`` at the state's U are weight, sums, mass, squares, data term and nearest, unless
    they are not ``known``.  OUT state, history (the objective after each pass).  Returns the
    sums at the new U, how it ended, and how many passes were made.
    """
    limit, passes, status = history.shape[0], 0, GO_ON
    # One call of each: what is called twice is compiled twice.
    while not known or (passes < limit and (status == GO_ON or status == REJECTED)):
        if known and status == GO_ON:
            old, left = parameters[0], limit - passes
            if settings.adapts:
                parameters[0] = adapted_temperature(sums[5], sums[2], parameters[1])
            drift = squared_change(old, parameters[0])
            status = propose_serial(sums[0], sums[1], state, settings, drift, left)
            if status == FUSED:
                break
        if kind == FCM:
            sums = fcm_statistics_serial(
                x, row_weights, scatter, state.u, parameters[0], parameters[1]
            )
        else:
            sums = entropy_statistics_serial(
                x, row_weights, scatter, state.u, parameters[0], parameters[2]
            )
        if known:
            status = accept_step(sums[4], state, settings)
            history[passes] = state.numbers[OBJECTIVE]
            passes += 1
        known = True
    return sums, status, passes
