"""Union-find against a slow, obvious closure of the pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from fastcaf.kernels.pairs.union_find import find, number_components, union

pytestmark = pytest.mark.kernels


def joined(n, pairs):
    parent = np.arange(n)
    for i, j in pairs:
        union(parent, i, j)
    labels = np.empty(n, np.int64)
    count = number_components(parent, labels)
    return parent, labels, count


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=25))
@settings(deadline=None)
def test_components_equal_the_twin(pairs):
    parent, labels, count = joined(12, pairs)
    expected = reference.components(12, pairs)
    np.testing.assert_array_equal(labels, expected)
    assert count == expected.max() + 1
    for i in range(12):
        assert find(parent, i) == np.flatnonzero(labels == labels[i])[0]


@pytest.mark.parametrize("order", [1, -1])
def test_a_long_chain_is_one_set_with_the_lowest_root(order):
    pairs = [(i, i + 1) for i in range(99)][::order]
    parent, labels, count = joined(100, pairs)
    assert count == 1
    assert not labels.any()
    assert find(parent, 99) == 0
