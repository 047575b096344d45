"""Damaged and forged model files: one clear error, nothing is run, memory is bounded."""

import io
import json
import os
import pickle
import random
import re
import struct
import threading
import tracemalloc
import warnings
import zipfile
import zlib
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import fastcaf
from fastcaf import CAFHFCM, RLFCM, FuzzyCMeans, ModelFileError

X = make_blobs(100, 2, centers=3, cluster_std=0.6, random_state=1)[0]
NEW = np.random.default_rng(5).normal(scale=6.0, size=(30, 2))
SEED = 20240
MAKERS = {
    "CAFHFCM": lambda: CAFHFCM(init=X[:9], gamma_ratio=1.6, selection="persistence").fit(X),
    "FuzzyCMeans": lambda: FuzzyCMeans(3, random_state=0).fit(X),
    "RLFCM": lambda: RLFCM(r1_time=100, r2_time=10).fit(X),
}


class Whole:
    """A good file, its members, and what its model predicts."""

    def __init__(self, model, folder):
        self.place = folder / "model.fcaf"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.save(self.place, rows=not isinstance(model, RLFCM))
        self.data = self.place.read_bytes()
        with zipfile.ZipFile(self.place) as archive:
            self.members = {name: archive.read(name) for name in archive.namelist()}
        self.expected = model.predict_proba(NEW)

    @property
    def document(self):
        return json.loads(self.members["model.json"])


@pytest.fixture(scope="module")
def wholes(tmp_path_factory):
    return {name: Whole(make(), tmp_path_factory.mktemp(name)) for name, make in MAKERS.items()}


@pytest.fixture(params=MAKERS)
def whole(request, wholes):
    return wholes[request.param]


def packed(members, compression=zipfile.ZIP_STORED):
    """A zip of these members: a dict, or pairs where names occur twice."""
    pairs = members.items() if isinstance(members, dict) else members
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", compression) as archive:
        warnings.simplefilter("ignore")  # of names that occur twice
        for name, data in pairs:
            archive.writestr(name, data)
    return stream.getvalue()


def attempt(data, folder):
    """Load; the error, or None and the model's predictions.  Anything else is a failure."""
    place = folder / "damaged.fcaf"
    place.write_bytes(data)
    tracemalloc.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = fastcaf.load(place)
            return None, model.predict_proba(NEW)
    except ModelFileError as error:
        return error, None
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 4_000_000 + 40 * len(data), f"{peak} bytes for a file of {len(data)}"


def refused(data, folder):
    """The error of a file that must not be loaded."""
    error, _ = attempt(data, folder)
    assert error is not None, "a damaged file was loaded"
    assert "damaged.fcaf" in str(error)
    assert len(str(error)) < 1000
    return error


# Damage by chance


def test_truncated_anywhere(whole, tmp_path):
    generator = random.Random(SEED)
    n = len(whole.data)
    cuts = {0, 1, 3, 4, 30, n - 1, n - 2, n - 22, n - 23}
    cuts |= {generator.randrange(n) for _ in range(60)}
    for cut in sorted(cuts):
        refused(whole.data[:cut], tmp_path)


def test_bytes_changed_anywhere(whole, tmp_path):
    generator = random.Random(SEED + 1)
    refusals = 0
    for _ in range(100):
        data = bytearray(whole.data)
        for _ in range(generator.choice([1, 1, 1, 3])):
            data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
        error, found = attempt(bytes(data), tmp_path)
        refusals += error is not None
        if error is None:  # in a date, for instance
            np.testing.assert_array_equal(found, whole.expected)
    assert refusals > 70


def test_every_byte_of_the_directory(wholes, tmp_path):
    """The end of the file, where sizes and places of the members stand."""
    whole = wholes["RLFCM"]
    begin = whole.data.index(b"PK\x01\x02")
    for where in range(begin, len(whole.data)):
        data = bytearray(whole.data)
        data[where] ^= 0xFF
        error, found = attempt(bytes(data), tmp_path)
        if error is None:
            np.testing.assert_array_equal(found, whole.expected)


def test_pieces_moved_and_zeroed(whole, tmp_path):
    generator = random.Random(SEED + 2)
    n = len(whole.data)
    for _ in range(40):
        a, b = sorted(generator.randrange(n) for _ in range(2))
        variants = [
            whole.data[:a] + bytes(b - a) + whole.data[b:],
            whole.data[:a] + whole.data[b:],
            whole.data[:b] + whole.data[a:],
            whole.data[a:] + whole.data[:a],
        ]
        data = generator.choice(variants)
        error, found = attempt(data, tmp_path)
        if error is None:
            np.testing.assert_array_equal(found, whole.expected)


# Things that are no model files


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK",
        b"PK\x03\x04",
        b"PK\x05\x06" + bytes(18),
        b"x,y\n1,2\n",
        bytes(1000),
        bytes(range(256)) * 40,
        pickle.dumps({"format": "fastcaf model"}),
    ],
)
def test_other_files(data, tmp_path):
    refused(data, tmp_path)


def test_what_is_no_file(tmp_path):
    for place in (tmp_path, tmp_path / "missing.fcaf", tmp_path / ("x" * 300)):
        with pytest.raises(ModelFileError, match="cannot be opened"):
            fastcaf.load(place)


def test_archives_of_others(whole, tmp_path):
    refused(packed({}), tmp_path)
    refused(packed({"inner.fcaf": whole.data}), tmp_path)
    refused(packed({"model.json": whole.data}), tmp_path)
    stream = io.BytesIO()
    np.savez(stream, centers=X)
    refused(stream.getvalue(), tmp_path)


# Members


def test_members_that_are_missing_or_do_not_belong(whole, tmp_path):
    for name, data in whole.members.items():
        rest = {other: its for other, its in whole.members.items() if other != name}
        assert name in str(refused(packed(rest), tmp_path))
        refused(packed(rest | {name + "x": data}), tmp_path)
        refused(packed([*whole.members.items(), (name, data)]), tmp_path)
        refused(packed(whole.members | {name: b""}), tmp_path)
        refused(packed(whole.members | {name: data[:-1]}), tmp_path)
        refused(packed(whole.members | {name: data + b"\0"}), tmp_path)
    for name in ("../evil.npy", "/etc/evil", "extra.npy", "centers.npy/"):
        data = refused(packed(whole.members | {name: b"evil"}), tmp_path)
        assert "does not belong" in str(data) or "damaged" in str(data)
    assert {one.name for one in tmp_path.iterdir()} == {"damaged.fcaf"}


def test_members_in_another_order_are_the_same_file(whole, tmp_path):
    error, found = attempt(packed(dict(reversed(whole.members.items()))), tmp_path)
    assert error is None
    np.testing.assert_array_equal(found, whole.expected)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compressed_members_are_refused_unread(whole, tmp_path, method):
    """A small file could hold any number of zeros."""
    bomb = bytes(30_000_000)
    for name in ("model.json", "centers.npy"):
        data = packed(whole.members | {name: bomb}, method)
        assert len(data) < 200_000
        assert "is compressed" in str(refused(data, tmp_path))


@pytest.mark.parametrize("claim", [2**31, 2**32 - 2])
def test_sizes_beyond_the_file(whole, tmp_path, claim):
    data = bytearray(whole.data)
    entry = data.index(b"PK\x01\x02")
    data[entry + 20 : entry + 28] = struct.pack("<LL", claim, claim)
    assert "claim" in str(refused(bytes(data), tmp_path))


def array_file(array, **options):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, **options)
    return stream.getvalue()


def header_file(text, data=b"", version=(1, 0)):
    text += " " * (-(len(text) + 11) % 64) + "\n"
    size = struct.pack("<H" if version == (1, 0) else "<L", len(text))
    return b"\x93NUMPY" + bytes(version) + size + text.encode() + data


class Evil:
    """Creates a file when it is unpickled."""

    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return (open, (self.place, "w"))


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_pickles_are_never_run(whole, tmp_path):
    place = tmp_path / "evil"
    evil = np.array([Evil(str(place))], dtype=object)
    payload = array_file(evil, allow_pickle=True)
    np.load(io.BytesIO(payload), allow_pickle=True)
    assert place.exists(), "the payload must be one that works"
    place.unlink()
    for name in whole.members:
        for data in (payload, pickle.dumps(Evil(str(place)))):
            refused(packed(whole.members | {name: data}), tmp_path)
            refused(data, tmp_path)
    assert not place.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda a: a.astype(np.float32 if a.dtype != np.float32 else np.float64),
        lambda a: a.astype(np.complex128),
        lambda a: a.astype("S4"),
        lambda a: a.astype("U4"),
        lambda a: a.astype(a.dtype.newbyteorder(">")) if a.itemsize > 1 else a.astype(">i4"),
        lambda a: a[..., None],
        lambda a: a.reshape(-1, 1, 1),
        lambda a: np.concatenate([a, a[-1:]]) if len(a) else np.zeros((1, *a.shape[1:])),
        lambda a: np.array(3.0),
        lambda a: a.astype([("x", "f8")]),
        lambda a: a.astype("M8[s]"),
    ],
)
def test_arrays_of_another_type_or_shape(whole, tmp_path, wrong):
    for name, data in whole.members.items():
        if name.endswith(".npy"):
            array = wrong(np.load(io.BytesIO(data)))
            refused(packed(whole.members | {name: array_file(array)}), tmp_path)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_in_any_array(whole, tmp_path, bad):
    found = 0
    for name, data in whole.members.items():
        array = np.load(io.BytesIO(data)) if name.endswith(".npy") else np.empty(0)
        if array.dtype.kind != "f":
            continue
        for where in {0, array.size - 1} if array.size else ():
            one = array.copy()
            one.flat[where] = bad
            message = str(refused(packed(whole.members | {name: array_file(one)}), tmp_path))
            place = list(map(int, np.unravel_index(where, one.shape)))
            assert f"{name.removesuffix('.npy')} is not finite: {bad} at {place}" in message
            found += 1
    assert found >= 4


@pytest.mark.parametrize(
    "bad", ["1e999", "-1e999", "NaN", '"inf"', '"nan"', '{"float": "inf"}']
)
def test_numbers_that_are_not_finite_anywhere_in_the_text(whole, tmp_path, bad):
    document = whole.document
    for path in places(document):
        value = document
        for key in path:
            value = value[key]
        if isinstance(value, float):
            text = json.dumps(changed(whole.document, path, "HERE")).replace('"HERE"', bad)
            error, _ = attempt(packed(whole.members | {"model.json": text}), tmp_path)
            # A parameter may be any text; no fit takes this one.
            assert error is not None or (path[0] == "parameters" and bad in ('"inf"', '"nan"'))


@pytest.mark.filterwarnings("ignore::fastcaf.FastcafWarning")
def test_files_have_no_words_for_numbers(tmp_path):
    """What is not there is null; and what the files of all kinds of fits hold is finite."""
    for model in (
        CAFHFCM(random_state=0).fit(X),
        CAFHFCM(random_state=0, gamma=0.0).fit(X),
        CAFHFCM(1, random_state=0).fit(X[:1]),
        CAFHFCM(random_state=0, membership="fcm", representatives=50).fit(X * 1e150),
    ):
        whole = Whole(model, tmp_path)
        words = re.findall(
            r'"-?(?:inf|nan|infinity)"', whole.members["model.json"].decode(), re.I
        )
        assert words == []
        for name, data in whole.members.items():
            if name.endswith(".npy"):
                assert np.isfinite(np.load(io.BytesIO(data))).all(), name


def test_a_model_that_is_not_finite_is_not_saved(tmp_path):
    model = CAFHFCM(random_state=0).fit(X)
    for change in (
        lambda: setattr(model, "objective_", np.nan),
        lambda: setattr(model, "selection_", [replace(model.selection_[0], score=np.nan)]),
        lambda: model.path_.levels[0].centroids.__setitem__((0, 0), np.inf),
    ):
        before = model.objective_, model.selection_
        change()
        with pytest.raises(
            ModelFileError, match=r"was not written: .* is not finite: (nan|inf)"
        ):
            model.save(tmp_path / "model.fcaf")
        model.objective_, model.selection_ = before
    assert not list(tmp_path.iterdir())


# Pipes and streams


def through_a_pipe(data, load):
    """What ``load`` makes of the reading end of a pipe."""
    reading, writing = os.pipe()

    def write():
        with open(writing, "wb") as stream, suppress(BrokenPipeError):
            stream.write(data)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        with open(reading, "rb") as stream:
            return load(stream)
    finally:
        thread.join()


def test_models_come_through_pipes_and_streams(whole):
    def by_name(stream):
        return fastcaf.load(f"/dev/fd/{stream.fileno()}")

    for load in (fastcaf.load, by_name):
        model = through_a_pipe(whole.data, load)
        np.testing.assert_array_equal(model.predict_proba(NEW), whole.expected)
    for stream in (io.BytesIO(whole.data), whole.place.open("rb")):
        with stream:
            model = fastcaf.load(stream)
        np.testing.assert_array_equal(model.predict_proba(NEW), whole.expected)


def test_pipes_that_hold_something_else(whole):
    for data in (b"", b"PK", b"x,y\n" * 100_000, whole.data[:-30]):
        with pytest.raises(ModelFileError, match="cannot be loaded"):
            through_a_pipe(data, fastcaf.load)
    for given in (io.StringIO("PK"), whole.place.open(encoding="latin-1"), None, 3):
        with pytest.raises(ModelFileError, match="a file that was opened to read bytes"):
            fastcaf.load(given)
        if given not in (None, 3):
            given.close()


@pytest.mark.parametrize(
    "text",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999, 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, -2), }",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 2L), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (3, 2), }",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3, 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), 'x': __import__('os')}",
        "[" * 5000,
        "{'descr': '\\d', 'fortran_order': False, 'shape': (3, 2), }",
        "",
    ],
)
def test_headers_that_lie(whole, tmp_path, text):
    for version in ((1, 0), (2, 0), (3, 0), (9, 9)):
        data = header_file(text, bytes(48), version)
        refused(packed(whole.members | {"centers.npy": data}), tmp_path)


# The text


def places(value, path=()):
    """All places in a JSON value."""
    yield path
    if isinstance(value, dict | list):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(child, (*path, key))


def changed(document, path, new):
    """The document with another value at one place."""
    if not path:
        return new
    parent = document
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = new
    return document


NONSENSE = [
    None, True, -1, 0, 10**12, 10**400, -1.5, 1e308, "", "evil", "../x", [], {}, [[]], [None],
    {"array": "<f8", "shape": [10**12]}, {"array": "|O", "shape": [1]}, {"float": "NaN"},
    {"tuple": 3}, "x" * 10_000,
]  # fmt: skip


def test_values_of_wrong_types_anywhere_in_the_text(whole, tmp_path):
    """Some places take any value: notes, scores, parameters of the next fit."""
    generator = random.Random(SEED + 3)
    refusals = 0
    everywhere = sorted(places(whole.document), key=str)
    for path in generator.sample(everywhere, min(len(everywhere), 40)):
        for new in generator.sample(NONSENSE, 5):
            text = json.dumps(changed(whole.document, path, new))
            error, found = attempt(packed(whole.members | {"model.json": text}), tmp_path)
            refusals += error is not None
            if error is None and path[0] not in ("coordinates", "model", "r1", "r2"):
                np.testing.assert_array_equal(found, whole.expected)
    assert refusals > 50


@pytest.mark.parametrize(
    ("path", "new", "message"),
    [
        (["version"], 1, r"format 1, written by .* reads format 4 only: fit the model again"),
        (["version"], 5, r"format 5, written by fastcaf .*newer"),
        (["version"], 10**9, "newer"),
        (["version"], 0, "version"),
        (["version"], "1", "version"),
        (["format"], "other", "not a fastcaf model"),
        (["class"], "os.system", "class"),
        (["class"], "object", "class"),
        (["class"], "Pipeline", "class"),
        (["class"], ["CAFHFCM"], "class"),
        (["n_rows"], 10**12, "labels"),
        (["n_rows"], 99, "labels"),
        (["n_features"], 3, "shape"),
        (["n_clusters"], 10**9, "labels"),
        (["feature_names"], ["a"], "1 names for 2 features"),
        (["feature_names"], [1, 2], "list of texts"),
        (["output"], "evil", "output"),
        (["rows"], "|O", "rows"),
        (["parameters", "n_jobs"], "all", "n_jobs"),
        (["parameters", "n_jobs"], 0, "n_jobs"),
        (["parameters", "__class__"], 1, "no parameter"),
        (["parameters", "self"], 1, "no parameter"),
    ],
)
def test_the_message_says_what_is_wrong(whole, tmp_path, path, new, message):
    text = json.dumps(changed(whole.document, path, new))
    error = refused(packed(whole.members | {"model.json": text}), tmp_path)
    with pytest.raises(ModelFileError, match=message):
        raise error


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"null",
        b"[]",
        b"\xff\xfe",
        b"{" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a": ' * 50_000 + b"1" + b"}" * 50_000,
        b"9" * 10_000,
        b'{"format": NaN}',
        b'{"format": "fastcaf model", "format": "fastcaf model"}',
        "{}".encode("utf-16"),
    ],
)
def test_texts_that_are_no_documents(whole, tmp_path, text):
    refused(packed(whole.members | {"model.json": text}), tmp_path)


def test_literals_that_json_does_not_have(whole, tmp_path):
    text = whole.members["model.json"].decode()
    for old, new in [('"tol": ', '"tol": NaN, "x": '), ('"tol": ', '"tol": -Infinity, "x": ')]:
        assert old in text
        bad = text.replace(old, new, 1)
        assert "no number" in str(
            refused(packed(whole.members | {"model.json": bad}), tmp_path)
        )


def test_a_text_that_is_too_long(whole, tmp_path):
    text = whole.members["model.json"] + b" " * 2**24
    assert "allowed" in str(refused(packed(whole.members | {"model.json": text}), tmp_path))


# Structures that contradict themselves, with checksums in order


def forged(whole, name, change):
    array = np.load(io.BytesIO(whole.members[name]))
    change(array)
    return packed(whole.members | {name: array_file(array)})


@pytest.mark.parametrize(
    ("name", "where", "new"),
    [
        ("labels", (0,), 200),
        ("masses", (0,), -1.0),
        ("confidences", (0,), np.nan),
        ("fcm_merge_counts", (0, 0), 10**15),
        ("fcm_merge_counts", (0, 1), -5),
        ("fcm_merge_counts", (3, 1), 1),
        ("fcm_merge_counts", (0, 2), 2),
        ("fcm_merge_counts", (0, 4), 7),
        ("fcm_merge_counts", (0, 5), 99),
        ("fcm_merge_numbers", (0, 0), np.nan),
        ("fcm_level_counts", (0, 0), 10**6),
        ("fcm_level_counts", (0, 0), 2**62),
        ("fcm_level_counts", (-1, 0), 9),
        ("fcm_level_counts", (0, 1), 2**62),
        ("fcm_level_counts", (0, 1), -(2**62)),
        ("fcm_level_counts", (0, 3), 2),
        ("fcm_level_numbers", (0, 0), 1e300),
        ("fcm_level_numbers", (0, 0), -1.0),
        ("fcm_parameters", (0, 0), 1.0),
        ("fcm_parameters", (0, 0), np.nan),
        ("entropy_parameters", (0, 0), -1.0),
        ("entropy_parameters", (0, 1), 0.0),
        ("entropy_parameters", (0, 1), np.inf),
        ("model_parameters", (0,), -1.0),
        ("fcm_nodes", (0,), 30),
        ("fcm_nodes", (0,), 1),
        ("fcm_weight", (0,), np.nan),
        ("fcm_centroids", (0, 0), np.inf),
        ("fcm_start", (0, 0), np.nan),
    ],
)
def test_structures_that_contradict_themselves(wholes, tmp_path, name, where, new):
    whole = wholes["CAFHFCM"]

    def change(array):
        assert array[where] != new
        array[where] = new

    refused(forged(whole, f"{name}.npy", change), tmp_path)


def test_proportions_and_frames_that_cannot_be(wholes, tmp_path):
    refused(forged(wholes["RLFCM"], "proportions.npy", lambda a: a.__imul__(2)), tmp_path)
    whole = wholes["FuzzyCMeans"]
    for scale in (0.0, -2.0, 3.0, 5e-324 * 3):
        document = whole.document
        document["coordinates"]["scale"] = scale
        refused(packed(whole.members | {"model.json": json.dumps(document)}), tmp_path)


def test_a_checksum_alone_gives_damage_away(whole, tmp_path):
    """One bit of a number, nothing else out of order."""
    centers = whole.members["centers.npy"]
    where = whole.data.index(centers) + len(centers) - 3
    data = bytearray(whole.data)
    data[where] ^= 1
    assert "centers.npy' is damaged" in str(refused(bytes(data), tmp_path))
    assert zlib.crc32(centers) != zlib.crc32(centers[:-3] + data[where : where + 1])
