"""The same rows from an array, a memory map and in blocks; and bad blocks."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from test_threads import stored_arrays

from fastcaf import CAFHFCM, RowBlocks
from fastcaf.data import reading
from fastcaf.data import row_blocks as blocks

R = 200


@pytest.fixture
def X():
    centers = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0], [6.0, 7.0]])
    return make_blobs([900, 800, 700, 600], centers=centers, random_state=0)[0]


@pytest.fixture
def small_limits(monkeypatch):
    """Blocks of 512 rows, and memory maps that are large above 1,000."""
    monkeypatch.setattr(blocks, "ROWS_AT_ONCE", 512)
    monkeypatch.setattr(reading, "LARGE_MAP", 1000)


def assert_equal_bits(one, other):
    """Everything but the rows themselves, which only some sources keep."""
    first, second = stored_arrays(one), stored_arrays(other)
    for name in (first.keys() | second.keys()) - {"_training_rows", "_training_weights"}:
        np.testing.assert_array_equal(first[name], second[name], err_msg=name)


def mapped(X, folder):
    np.save(folder / "rows.npy", X)
    return np.load(folder / "rows.npy", mmap_mode="r")


def fit(X, **options):
    return CAFHFCM(random_state=0, **{"representatives": R, **options}).fit(X)


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_array_map_and_blocks_give_equal_bits(X, tmp_path, dtype):
    X = X.astype(dtype)
    weights = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    for options in ({}, {"sample_weight": weights}):
        one, other, third, lean = (
            CAFHFCM(random_state=0, representatives=R, store_memberships=keep).fit(
                rows, **options
            )
            for rows, keep in (
                (X, True),
                (mapped(X, tmp_path), True),
                (RowBlocks([X[:100], X[100:101], X[101:2000], X[2000:]]), True),
                (X, False),
            )
        )
        assert one.n_clusters_ == 4
        assert (
            one.representatives_
            == other.representatives_
            == third.representatives_
            == lean.representatives_
        )
        for model in (other, third, lean):
            assert_equal_bits(one, model)
            np.testing.assert_array_equal(model.predict(X), one.labels_)


@pytest.mark.usefixtures("small_limits")
def test_integers_in_a_map_become_float64(X, tmp_path):
    whole = (100 * X).astype(np.int32)
    assert_equal_bits(fit(mapped(whole, tmp_path)), fit(whole))


@pytest.mark.usefixtures("small_limits")
def test_a_map_is_never_read_whole(X, tmp_path, monkeypatch):
    rows = mapped(X, tmp_path)
    largest = []
    checked = blocks._checked

    def watched(block, *rest):
        largest.append(len(block))
        return checked(block, *rest)

    monkeypatch.setattr(blocks, "_checked", watched)
    model = fit(rows)
    assert max(largest) == 512
    np.testing.assert_array_equal(model.predict(rows), model.labels_)
    with pytest.raises(AttributeError, match="predict_proba"):
        _ = model.memberships_
    with pytest.raises(AttributeError, match="predict_proba"):
        _ = model.cut(n_clusters=2).labels
    np.testing.assert_array_equal(
        model.cut(n_clusters=2).predict(rows), model.cut(n_clusters=2).predict(X)
    )
    assert len(pickle.dumps(model)) < 40 * X.nbytes


def test_few_rows_in_blocks_are_followed_whole(X):
    few = X[::2]
    model, expected = (
        CAFHFCM(random_state=0).fit(rows) for rows in (RowBlocks([few[:5], few[5:]]), few)
    )
    assert model.representatives_ is None
    assert_equal_bits(model, expected)
    np.testing.assert_array_equal(model.memberships_, expected.memberships_)


def test_any_cut_is_recut_to_the_same_blocks(X, monkeypatch):
    monkeypatch.setattr(blocks, "ROWS_AT_ONCE", 700)
    expected = [X[i : i + 700] for i in range(0, len(X), 700)]
    for size in (1, 699, 700, 701, 5000):
        found = list(blocks.recut(X[i : i + size] for i in range(0, len(X), size)))
        assert list(map(len, found)) == list(map(len, expected))
        np.testing.assert_array_equal(np.concatenate(found), X)


def test_a_reader_may_use_one_buffer_for_all_blocks(X):
    def read():
        buffer = np.empty((300, 2))
        for i in range(0, len(X), 300):
            buffer[:] = X[i : i + 300]
            yield buffer

    assert_equal_bits(fit(RowBlocks(read)), fit(X, store_memberships=False))


def test_feature_numbers_are_checked(X):
    model = fit(RowBlocks([X[:1000], X[1000:]]))
    assert model.n_features_in_ == 2
    np.testing.assert_array_equal(model.predict(RowBlocks([X[:9], X[9:]])), model.labels_)
    with pytest.raises(ValueError, match="3 features"):
        model.predict(RowBlocks([np.ones((4, 3))]))


def bad(X, what):
    first, second = X[:1500].copy(), X[1500:].copy()
    if what == "columns":
        second = second[:, :1]
    elif what == "nan":
        second[7, 1] = np.nan
    elif what == "infinity":
        second[7, 0] = -np.inf
    elif what == "empty":
        second = second[:0]
    elif what == "flat":
        second = second[:, 0]
    elif what == "words":
        second = second.astype(str)
    elif what == "precision":
        first = first.astype(np.float32)
    return [] if what == "none" else [first, second]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("columns", "Block 1 of X has 1 columns, but the first has 2"),
        ("nan", r"contains NaN: row 1507 \(in block 1\), column 1"),
        ("infinity", r"contains infinity: row 1507 \(in block 1\), column 0"),
        ("empty", r"Block 1 of X has shape \(0, 2\)"),
        ("flat", r"Block 1 of X has shape \(1500,\)"),
        ("words", "numbers are needed"),
        ("precision", "Block 1 of X is float64, but the first is float32"),
        ("none", "X has no blocks"),
    ],
)
def test_bad_blocks(X, what, message):
    with pytest.raises(ValueError, match=message):
        fit(RowBlocks(bad(X, what)))


@pytest.mark.usefixtures("small_limits")
def test_bad_maps(X, tmp_path):
    X[2500, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN: row 2500"):
        fit(mapped(X, tmp_path))
    with pytest.raises(ValueError, match="2-D"):
        fit(mapped(X[:, 0], tmp_path))


def test_what_is_no_source(X):
    with pytest.raises(TypeError, match="read only once"):
        RowBlocks(iter([X]))
    with pytest.raises(TypeError, match="iterable of 2-D arrays"):
        RowBlocks(3)
    with pytest.raises(ValueError, match="representatives=None"):
        fit(RowBlocks([X]), representatives=None)


def test_weights_have_one_entry_for_each_row(X):
    with pytest.raises(ValueError, match="3000 rows"):
        CAFHFCM(representatives=R).fit(RowBlocks([X]), sample_weight=np.ones(2999))
    scaled = CAFHFCM(random_state=0, representatives=R).fit(RowBlocks([X]), sample_weight=2.0)
    np.testing.assert_allclose(scaled.cluster_masses_.sum(), 6000.0)


def test_blocks_that_change_between_readings_are_found(X):
    readings = []

    def read():
        readings.append(1)
        return [X] if len(readings) < 4 else [X[:-1]]

    with pytest.raises(ValueError, match="when it was first read"):
        fit(RowBlocks(read))


def test_constant_columns_are_told(X):
    from fastcaf import DegenerateDataWarning

    flat = np.column_stack([X, np.full(len(X), 1 / 3)])
    with pytest.warns(DegenerateDataWarning, match="constant columns"):
        fit(flat)


def test_equal_rows_are_one_cluster():
    from fastcaf import DegenerateDataWarning

    with pytest.warns(DegenerateDataWarning, match="only one distinct row"):
        model = fit(np.full((3000, 2), 0.1))
    assert model.n_clusters_ == 1


def test_how_often_blocks_are_read(X):
    """Once to look at the rows, once for the cells; then to polish, for sums and labels."""
    readings = []

    def read():
        readings.append(1)
        return [X[:700], X[700:]]

    model = fit(RowBlocks(read))
    assert model.representatives_.polished
    # The chosen level: its sums before the first iteration, one more for every iteration, and
    # the labels.
    assert len(readings) == 2 + 1 + model.representatives_.n_iter + 1
    assert len(readings) <= 7  # the mixture makes three steps of EM on all rows at the most
    readings.clear()
    model.predict(RowBlocks(read))
    assert len(readings) == 1
    readings.clear()
    small = fit(RowBlocks(read), representatives=len(X))
    assert small.representatives_ is None
    assert len(readings) == 1
