"""Checks of parameters and input, with messages that carry the value and the way out."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_array

from fastcaf._typing import FloatArray
from fastcaf.exceptions import FractionalWeightsWarning, warn

__all__ = [
    "COVARIANCE_TYPES",
    "FUSION_WEIGHTS",
    "LARGEST_FUZZIFIER",
    "check_automatic",
    "check_bandwidth",
    "check_choice",
    "check_copies",
    "check_flag",
    "check_fuzzifier",
    "check_gammas",
    "check_integer",
    "check_jobs",
    "check_noise",
    "check_number",
    "check_representatives",
    "check_rule",
    "check_starting_number",
    "check_time_limit",
    "check_weights",
]


COVARIANCE_TYPES = ("full", "spherical")
FUSION_WEIGHTS = ("uniform", "mass", "neighbours")  # of pairs of centroids in the penalty
MOST_COPIES = 1e100  # that weights may stand for
FEW_COPIES = 0.1  # of a row on the mean: weights below are no numbers of copies
LARGEST_FUZZIFIER = 100.0


def check_integer(name: str, value: Any, *, least: int) -> int:
    """A whole number, not below ``least``."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(
            f"{name} must be a whole number, got {value!r} of type {type(value).__name__}."
        )
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}.")
    return int(value)


def check_number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    least: float | None = None,
    most: float | None = None,
) -> float:
    """A finite number within bounds."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(
            f"{name} must be a number, got {value!r} of type {type(value).__name__}."
        )
    number = float(value)
    if not np.isfinite(number):
        raise ValueError(f"{name} must be finite, got {number}.")
    if most is not None and number > most:
        raise ValueError(f"{name} must be at most {most}, got {number}.")
    if above is not None and number <= above:
        raise ValueError(f"{name} must be above {above}, got {number}.")
    if least is not None and number < least:
        raise ValueError(f"{name} must be at least {least}, got {number}.")
    return number


def check_choice(name: str, value: Any, choices: Sequence[str], *, other: str = "") -> str:
    """One of several words."""
    if not isinstance(value, str) or value not in choices:
        offered = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {offered}{other}; got {value!r}.")
    return value


def check_fuzzifier(value: Any) -> float:
    """The exponent m; far above 1 all memberships are equal up to rounding."""
    return check_number("fuzzifier", value, above=1.0, most=LARGEST_FUZZIFIER)


def check_automatic(value: Any, check: Callable[[Any], float]) -> None:
    """The word "auto", or what ``check`` accepts."""
    if not (isinstance(value, str) and value == "auto"):
        check(value)


def check_bandwidth(value: Any) -> float:
    """The width of a kernel, a length in the units of the rows."""
    return check_number("bandwidth", value, above=0.0)


def check_flag(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}.")
    return bool(value)


def check_jobs(n_jobs: Any) -> int | None:
    """None, or a whole number other than 0."""
    if n_jobs is None:
        return None
    jobs = check_integer("n_jobs", n_jobs, least=-(2**31))
    if jobs == 0:
        raise ValueError("n_jobs must not be 0: use 1 for one thread, -1 for all.")
    return jobs


def check_time_limit(time_limit: Any) -> float | None:
    """None, or seconds."""
    return None if time_limit is None else check_number("time_limit", time_limit, above=0.0)


def check_noise(noise: Any) -> float | str | None:
    """None, "auto", or the distance of the noise cluster; infinitely far is none."""
    if noise is None or (isinstance(noise, str) and noise == "auto"):
        return noise
    if isinstance(noise, str):
        check_choice("noise", noise, ["auto"], other=", None or a distance")
    if isinstance(noise, Real) and noise == np.inf:
        return None
    return check_number("noise", noise, above=0.0)


def check_starting_number(n_start: Any) -> int | float:
    """A whole number of centroids, or a factor of sqrt(n) in [1, 3]."""
    if isinstance(n_start, Integral) and not isinstance(n_start, bool | np.bool_):
        return check_integer("n_start", n_start, least=1)
    factor = check_number("n_start", n_start)
    if not 1.0 <= factor <= 3.0:
        raise ValueError(
            f"n_start as a float is a factor of sqrt(n) in [1, 3], got {factor}. For an "
            "absolute number of starting centroids give an int."
        )
    return factor


def check_representatives(representatives: Any) -> int | str | None:
    """None, "auto", or a number of representatives."""
    if representatives is None:
        return None
    if isinstance(representatives, str):
        return check_choice(
            "representatives", representatives, ["auto"], other=", None or a whole number"
        )
    return check_integer("representatives", representatives, least=1)


def check_gammas(gamma: Any) -> FloatArray | float | None:
    """None, one gamma, or an increasing array of them."""
    if gamma is None:
        return None
    if isinstance(gamma, Real) and not isinstance(gamma, bool | np.bool_):
        return check_number("gamma", gamma, least=0.0)
    try:
        gammas = np.asarray(gamma, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(
            f"gamma must be None, a number or an increasing array of numbers, got {gamma!r}."
        ) from None
    if gammas.ndim != 1 or len(gammas) == 0:
        raise ValueError(
            f"An array of gammas must be 1-d and not empty, got shape {gammas.shape}."
        )
    if not np.isfinite(gammas).all():
        raise ValueError("gamma must not contain NaN or infinity.")
    if gammas.min() < 0.0:
        raise ValueError(f"gamma must not be negative, got {gammas.min()}.")
    falls = np.flatnonzero(np.diff(gammas) <= 0.0)
    if len(falls):
        i = int(falls[0])
        raise ValueError(
            "gammas must increase: merges are permanent, so a path cannot go back. Got "
            f"{gammas[i]} before {gammas[i + 1]} at position {i}; np.unique sorts them."
        )
    return gammas


def check_weights(sample_weight: Any, rows: Sized) -> FloatArray:
    """Row weights; empty where every row counts 1."""
    if sample_weight is None:
        return np.empty(0)
    if isinstance(sample_weight, Real):
        sample_weight = np.full(len(rows), float(sample_weight))
    weights = check_array(
        sample_weight,
        ensure_2d=False,
        dtype=np.float64,
        input_name="sample_weight",
    )
    if weights.shape != (len(rows),):
        raise ValueError(
            f"sample_weight must have one entry for each of the {len(rows)} rows of X, "
            f"got shape {weights.shape}."
        )
    if weights.min() < 0.0:
        raise ValueError(
            f"sample_weight must not be negative, got {weights.min()} at row "
            f"{int(np.argmin(weights))}."
        )
    if weights.max() == 0.0:
        raise ValueError("sample_weight is zero for every row: at least one must be positive.")
    if (weights == 1.0).all():
        return np.empty(0)
    return weights


def check_copies(weights: FloatArray) -> None:
    """Whether row weights are numbers of copies: few enough to count, and not shares."""
    total, n = float(weights.sum()), np.count_nonzero(weights)
    if not total <= MOST_COPIES:
        raise ValueError(
            f"sample_weight adds up to {total:.3g}: weights are copies of rows, and more than "
            f"{MOST_COPIES:g} cannot be counted. Divide them by a constant."
        )
    if total < FEW_COPIES * n:
        warn(
            f"sample_weight adds up to {total:.3g} for {n} rows of positive weight. Weights "
            "are copies of rows; these are taken as shares: a row of mean weight "
            f"({total / n:.3g}) counts as one. Divide them by their mean to say so.",
            FractionalWeightsWarning,
        )


def check_rule(
    selection: Any, rules: dict[str, Callable[..., float]], also: Sequence[str] = ()
) -> Callable[..., float]:
    """A rule by name, or the user's own; ``also`` names what else might have been given."""
    if callable(selection):
        return selection
    name = check_choice("selection", selection, [*also, *rules], other=" or a callable")
    return rules[name]
