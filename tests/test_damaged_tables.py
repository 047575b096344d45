"""Files damaged in every way we could think of: a clear line, and nothing is run."""

import pickle
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from fastcaf.cli.commands import main

ROUNDS = 8  # of every kind of damage


class Malice:
    """Unpickling it leaves a file behind."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def rows_of(rng):
    return rng.normal(size=(12, 3)).round(3).tolist()


def text_of(rows, delimiter=","):
    return "\n".join(delimiter.join(map(str, row)) for row in rows) + "\n"


def with_cell(cell):
    """A table with one bad cell, anywhere."""

    def damage(rng):
        rows = rows_of(rng)
        rows[rng.integers(12)][rng.integers(3)] = cell
        return text_of(rows).encode()

    return damage


def truncated(rng):
    content = text_of(rows_of(rng)).encode()
    return content[: rng.integers(1, len(content))]


def overwritten(rng):
    content = bytearray(text_of(rows_of(rng)).encode())
    for place in rng.integers(len(content), size=5):
        content[place] = rng.integers(256)
    return bytes(content)


def wrong_width(rng):
    rows = rows_of(rng)
    row = rows[rng.integers(1, 12)]
    row.pop() if rng.random() < 0.5 else row.append(1.0)
    return text_of(rows).encode()


def mixed_delimiters(rng):
    lines = text_of(rows_of(rng)).splitlines()
    i = rng.integers(1, 12)
    lines[i] = lines[i].replace(",", rng.choice([";", "\t", "|", " "]))
    return "\n".join(lines).encode()


def open_quote(rng):
    lines = text_of(rows_of(rng)).splitlines()
    i = rng.integers(12)
    lines[i] = '"' + lines[i]
    return "\n".join(lines).encode()


def array_bytes(array, tmp):
    np.save(tmp, array, allow_pickle=True)
    return Path(tmp).read_bytes()


def parquet_bytes(rng, tmp):
    values = np.array(rows_of(rng))
    parquet.write_table(pyarrow.table({"a": values[:, 0], "b": values[:, 1]}), tmp)
    return bytearray(Path(tmp).read_bytes())


def cut_array(rng, tmp):
    content = array_bytes(np.array(rows_of(rng)), tmp)
    return content[: rng.integers(0, len(content) - 1)]


def huge_header(rng, tmp):
    content = array_bytes(np.array(rows_of(rng)), tmp)
    shape = rng.choice(["(9999999999999, 3)", "(12, 3,", "(-12, -3)", "('x', 3)", "(12.5, 3)"])
    header = content[10:128].decode().replace("(12, 3)", shape)
    return content[:10] + header.encode()[:118].ljust(118) + content[128:]


def wrong_type(rng, tmp):
    content = array_bytes(np.array(rows_of(rng)), tmp)
    return content.replace(b"'<f8'", bytes(rng.choice([b"'|O8'", b"'<x8'", b"'<M8'"])))


def overwritten_header(rng, tmp):
    content = bytearray(array_bytes(np.array(rows_of(rng)), tmp))
    for place in rng.integers(80, size=4):
        content[place] = rng.integers(256)
    return bytes(content)


def cut_parquet(rng, tmp):
    content = parquet_bytes(rng, tmp)
    return bytes(content[: rng.integers(0, len(content) - 1)])


def overwritten_parquet(rng, tmp):
    content = parquet_bytes(rng, tmp)
    for place in rng.integers(len(content), size=20):
        content[place] = rng.integers(256)
    return bytes(content)


CELLS = [
    "x", "nan", "inf", "-Infinity", "1e400", "", "1,5", "=1+1", "1_000", "0x1f", "1e", "--1",
    "None", "\x00", "1\x002", "\N{BYTE ORDER MARK}", "1" * 200_000, "1 2", "2020-01-01",
    "@cmd|' /C calc'!A0", "__import__('os').mkdir('gone')", "+-1", "1.2.3", "%s%n",
]  # fmt: skip
SURE = {
    **{f"cell {cell[:12]!r}": with_cell(cell) for cell in CELLS},
    "width": wrong_width,
    "delimiters": mixed_delimiters,
    "empty": lambda rng: b"",
    "blank": lambda rng: b"\n \n\t\n" * 9,
    "header only": lambda rng: b"a,b,c\n",
    "words": lambda rng: b"a,b\nc,d\ne,f\n",
    "bytes": lambda rng: rng.bytes(500),
    "zeros": lambda rng: b"\x00" * 500,
    "long line": lambda rng: b"x" * 3_000_000,
    "many cells": lambda rng: b"1," * 99_999 + b"x\n",
    "utf-16": lambda rng: text_of(rows_of(rng)).encode("utf-16"),
    "utf-32": lambda rng: text_of(rows_of(rng)).encode("utf-32"),
    "json": lambda rng: str({"rows": rows_of(rng)}).encode(),
    "html": lambda rng: b"<table><tr><td>1</td></tr></table>",
}
# These may leave a table of numbers.
PERHAPS = {
    "truncated": truncated,
    "overwritten": overwritten,
    "open quote": open_quote,
    "digit": with_cell("\N{ARABIC-INDIC DIGIT ONE}"),
    "quote": with_cell('"'),
}
BINARY = {
    "cut.npy": cut_array,
    "huge.npy": huge_header,
    "type.npy": wrong_type,
    "cut.parquet": cut_parquet,
}
BINARY_PERHAPS = {"header.npy": overwritten_header, "bytes.parquet": overwritten_parquet}


def judge(file, capsys, sure):
    """Refused in one clear line, or a table of numbers was left."""
    code = main(["cluster", str(file)])
    printed = capsys.readouterr()
    lines = printed.err.splitlines()
    assert "Traceback" not in printed.err
    if code == 2:
        assert len(lines) == 1, printed.err
        assert lines[0].startswith("fastcaf: ")
        assert str(file) in lines[0]
        assert len(lines[0]) < 700
        assert printed.out == ""
        assert not file.with_name(f"{file.stem}.clusters").exists()
    else:
        assert code == 0, printed.err
        assert not sure, "should have been refused"
        assert all(line.startswith("fastcaf: warning: ") for line in lines)
    return code


@pytest.fixture
def fast_fits(monkeypatch):
    """Where a table is left, few levels will do."""
    from fastcaf import CAFHFCM

    fit = CAFHFCM.fit

    def short(self, *arguments):
        return fit(self.set_params(gamma=0.0, membership="fcm", max_iter=3), *arguments)

    monkeypatch.setattr(CAFHFCM, "fit", short)


@pytest.mark.filterwarnings("default")
@pytest.mark.usefixtures("fast_fits")
@pytest.mark.parametrize("kind", [*SURE, *PERHAPS])
def test_damaged_texts(tmp_path, capsys, kind):
    damage = SURE.get(kind) or PERHAPS[kind]
    codes = []
    for seed in range(ROUNDS):
        file = tmp_path / f"table{seed}.csv"
        file.write_bytes(damage(np.random.default_rng(seed)))
        codes.append(judge(file, capsys, kind in SURE))
    assert 2 in codes or kind in ("digit", "truncated", "quote")


@pytest.mark.filterwarnings("default")
@pytest.mark.usefixtures("fast_fits")
@pytest.mark.parametrize("kind", [*BINARY, *BINARY_PERHAPS])
def test_damaged_arrays_and_parquet(tmp_path, capsys, kind):
    damage = BINARY.get(kind) or BINARY_PERHAPS[kind]
    ending = Path(kind).suffix
    for seed in range(ROUNDS):
        content = damage(np.random.default_rng(seed), str(tmp_path / f"sound{ending}"))
        file = tmp_path / f"damaged{seed}{ending}"
        file.write_bytes(content)
        judge(file, capsys, kind in BINARY)


@pytest.mark.parametrize("ending", [".npy", ".csv", ".parquet", ".txt"])
def test_nothing_in_a_file_is_run(tmp_path, capsys, ending):
    marker = tmp_path / "touched"
    malice = Malice(marker)
    pickle.loads(pickle.dumps(malice))  # so that the trap would work
    marker.unlink()
    sound = str(tmp_path / "sound.npy")
    contents = [
        pickle.dumps(malice),
        array_bytes(np.array([[malice, 1.0], [2.0, 3.0]], dtype=object), sound),
        array_bytes(np.array(malice, dtype=object), sound),
    ]
    for i, content in enumerate(contents):
        file = tmp_path / f"evil{i}{ending}"
        file.write_bytes(content)
        judge(file, capsys, sure=True)
        assert not marker.exists()


def test_there_are_enough_of_them():
    assert ROUNDS * len({**SURE, **PERHAPS, **BINARY, **BINARY_PERHAPS}) >= 200
