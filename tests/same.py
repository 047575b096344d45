"""Whether two fits hold the same, to the last bit."""

from dataclasses import fields, is_dataclass

import numpy as np


def assert_same(one, other, where="model"):
    """Values of equal types that are equal to the last bit, all the way down."""
    if isinstance(one, float) and isinstance(other, float):  # NumPy's or Python's
        assert np.array_equal(one, other, equal_nan=True), where
        return
    assert type(one) is type(other), where
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype, where
        np.testing.assert_array_equal(one, other, err_msg=where)
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), where
        for i, (mine, its) in enumerate(zip(one, other, strict=True)):
            assert_same(mine, its, f"{where}[{i}]")
    elif isinstance(one, dict):
        assert list(one) == list(other), where
        for key in one:
            assert_same(one[key], other[key], f"{where}[{key}]")
    elif is_dataclass(one):
        for field in fields(one):
            mine, its = getattr(one, field.name), getattr(other, field.name)
            assert_same(mine, its, f"{where}.{field.name}")
    else:
        assert one == other, where
