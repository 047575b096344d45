"""The cache of compiled kernels: damaged, full, not writable, or kept by another version."""

import fcntl
import os
import resource
import subprocess
import sys

import numba
import numpy as np
import pytest

from fastcaf import KernelCacheWarning
from fastcaf.cli.commands import doctor, main
from fastcaf.kernels import cache_files
from fastcaf.kernels.disk_cache import KernelCache
from fastcaf.kernels.jit import kernel


def a_kernel(x):
    return 2.0 * x


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty cache, and nothing said yet."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache_files, "complaints", [])
    (made,) = {KernelCache(a_kernel).cache_path}
    monkeypatch.setattr(cache_files, "folders", {made})
    return tmp_path / os.path.basename(made)


def in_a_new_process():
    """A kernel that is not yet compiled or loaded; how often it was loaded, once it has run."""
    compiled = kernel(a_kernel)
    assert compiled(4.0) == 8.0
    return sum(compiled.stats.cache_hits.values())


@pytest.fixture
def entry(folder):
    assert in_a_new_process() == 0
    (entry,) = folder.iterdir()
    assert in_a_new_process() == 1
    return entry


def halves(content):
    return content[: len(content) // 2]


DAMAGE = {
    "empty": lambda content: b"",
    "a few bytes": lambda content: content[:10],
    "cut in half": halves,
    "the last byte missing": lambda content: content[:-1],
    "one bit": lambda content: (
        halves(content)
        + bytes([content[len(content) // 2] ^ 1])
        + (content[len(content) // 2 + 1 :])
    ),
    "garbage": lambda content: np.random.default_rng(0).bytes(len(content)),
    "garbage in the code": lambda content: content[:5000] + bytes(len(content) - 5000),
    "zeros": lambda content: bytes(len(content)),
    "two in one": lambda content: content + content,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_entry_is_compiled_anew_with_a_warning_and_replaced(entry, damage):
    whole = entry.read_bytes()
    entry.write_bytes(damage(whole))
    with pytest.warns(KernelCacheWarning) as caught:
        assert in_a_new_process() == 0
    (message,) = {str(one.message) for one in caught}
    assert f"{entry.parent} is damaged ({entry.name}" in message
    assert "`fastcaf warm-up --clear`" in message
    assert in_a_new_process() == 1


def test_one_warning_in_a_process(entry):
    for _ in range(3):
        entry.write_bytes(b"")
        if not cache_files.complaints:
            with pytest.warns(KernelCacheWarning):
                in_a_new_process()
        else:
            in_a_new_process()
    assert len(cache_files.complaints) == 3


def test_a_checksum_that_fits_code_that_does_not_load(entry, monkeypatch):
    """As of a version of Numba that keeps its name and changes what it keeps."""
    monkeypatch.setattr(cache_files.pickle, "loads", lambda code: ("neither", "this", "nor"))
    with pytest.warns(KernelCacheWarning, match="cannot be read"):
        assert in_a_new_process() == 0


@pytest.mark.parametrize("part", ["version", "another kernel"])
def test_other_sources_are_no_damage(entry, monkeypatch, part):
    """Of another version of Numba; and as Numba itself would not notice, a changed callee."""
    if part == "version":
        monkeypatch.setattr(numba, "__version__", "0.0.1")
    else:
        monkeypatch.setattr(cache_files, "_sources", lambda: b"as they were before")
    before = entry.read_bytes()
    assert in_a_new_process() == 0
    assert list(entry.parent.iterdir()) == [entry]  # replaced: nothing piles up
    assert entry.read_bytes() != before
    assert in_a_new_process() == 1


def test_an_entry_that_cannot_be_read(entry):
    entry.unlink()
    entry.mkdir()
    with pytest.warns(KernelCacheWarning, match=r"cannot be read \(IsADirectoryError"):
        assert in_a_new_process() == 0


def test_a_folder_that_cannot_be_written(folder):
    compiled = kernel(a_kernel)
    folder.rmdir()
    folder.write_text("a file stands where the folder was")
    with pytest.warns(KernelCacheWarning, match=r"kernels in .* cannot be") as caught:
        assert compiled(4.0) == 8.0
    assert len(caught) == 1
    assert "NUMBA_CACHE_DIR" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_a_full_disk_leaves_nothing(folder):
    compiled = kernel(a_kernel)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))  # of a file, in bytes
    try:
        with pytest.warns(KernelCacheWarning, match=r"cannot be written \(OSError.*too large"):
            assert compiled(4.0) == 8.0
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(folder.iterdir()) == []


def test_what_a_signal_handler_raises_is_no_trouble_with_the_cache(entry, monkeypatch):
    class MyError(Exception):
        pass

    def handler(*arguments):
        raise MyError

    monkeypatch.setattr(cache_files.CheckedFiles, "load", handler)
    with pytest.raises(MyError):
        in_a_new_process()
    monkeypatch.undo()
    assert not cache_files.complaints


def test_what_a_killed_process_left_is_taken_over(entry):
    whole = entry.read_bytes()
    left = entry.rename(f"{entry}.tmp")
    left.write_bytes(whole + b"longer than what comes")
    assert in_a_new_process() == 0
    assert list(entry.parent.iterdir()) == [entry]
    assert in_a_new_process() == 1


def test_what_another_process_writes_now_is_left_alone(entry):
    left = entry.rename(f"{entry}.tmp")
    with open(left, "rb") as theirs:
        fcntl.flock(theirs, fcntl.LOCK_EX)
        before = left.read_bytes()
        assert in_a_new_process() == 0
        assert list(entry.parent.iterdir()) == [left]
        assert left.read_bytes() == before


def test_recompiling_forgets_the_entry(entry):
    KernelCache(a_kernel).flush()
    assert list(entry.parent.iterdir()) == []


MOVED = """
import numba.core.caching as caching
from numba.core import ccallback, dispatcher  # they import from it as well
{change}
import fastcaf
from fastcaf.kernels.small_matrices import cholesky
import numpy as np
assert cholesky(4.0 * np.eye(2)) is not None
print(type(cholesky._cache).__module__, type(cholesky._cache).__name__)
"""


@pytest.mark.parametrize(
    "change",
    [
        "del caching.FunctionCache",
        "del caching.NullCache",
        "caching.FunctionCache = type('FunctionCache', (), {})",
    ],
)
def test_numbas_own_cache_takes_over_where_its_classes_have_moved(folder, change):
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", MOVED.format(change=change)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder)},
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == "numba.core.caching FunctionCache\n"


def test_clear_empties_the_cache_of_ours_alone(entry, folder, monkeypatch, capsys):
    ours = ["old.f-1.py311.nbi", "old.f-1.py311.1.nbc", "a.f-1.kernel.nbc.tmp"]
    other = ["module.cpython-311.pyc", "notes.txt"]
    for name in ours + other:
        (folder / name).write_text("x")
    monkeypatch.setattr("fastcaf.cli.commands.warm_up.warm_up", lambda **options: None)
    assert main(["warm-up", "--clear"]) == 0
    assert "2 compiled kernels removed" in capsys.readouterr().out
    assert sorted(one.name for one in folder.iterdir()) == other


def test_kernels_of_users_are_not_ours(folder, monkeypatch):
    monkeypatch.setattr(cache_files, "folders", set())
    kernel(a_kernel)
    assert not cache_files.folders


def test_doctor_names_damaged_kernels_and_the_cure(entry, capsys, monkeypatch):
    monkeypatch.setattr(doctor, "_trial", lambda: [])
    entry.write_bytes(b"damaged")
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert (
        f"attention: 1 compiled kernels are damaged, such as {entry.name} in {entry.parent}"
        in out
    )
    assert "`fastcaf warm-up --clear`" in out


def test_doctor_tells_of_a_folder_that_cannot_be_written(folder, capsys, monkeypatch):
    monkeypatch.setattr(doctor, "_trial", lambda: [])
    monkeypatch.setattr(doctor, "cache_folder", lambda: folder / "file" / "in a file")
    (folder / "file").write_text("x")
    assert main(["doctor"]) == 1
    assert "attention: the cache of compiled kernels cannot be written: Not a dir" in (
        capsys.readouterr().out
    )
