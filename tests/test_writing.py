"""Files appear whole or not at all, where the path leads; nobody sees them in the making."""

import ast
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tables_on_disk import refused, write_table

import fastcaf
from fastcaf import CAFHFCM, FuzzyCMeans
from fastcaf.cli.commands import main
from fastcaf.storage.writing import destination, replacing

ROOT = Path(fastcaf.__file__).parent
X = np.random.default_rng(0).normal(size=(60, 2)).round(4)
QUICK = ["--n-clusters", "2", "--membership", "fcm"]


@pytest.fixture(scope="module")
def model():
    return CAFHFCM(2, membership="fcm", random_state=0).fit(X)


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "data.csv", X)


def save(model, place):
    model.save(place)


def explore(model, place):
    model.explore(place)


def cluster_page(model, place):
    table = write_table(place.parent / "of_page.csv", X)
    assert main(["cluster", str(table), *QUICK, "--html", str(place)]) == 0


def cluster_picture(model, place):
    table = write_table(place.parent / "of_picture.csv", X)
    picture = place.with_suffix(".png")
    place.rename(picture)
    assert main(["cluster", str(table), *QUICK, "--plot", str(picture)]) == 0
    picture.rename(place)


WRITERS = [save, explore, cluster_page, cluster_picture]


def mode_of(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


@pytest.mark.parametrize("write", WRITERS)
def test_links_stay_and_lead_to_the_file(tmp_path, model, write):
    (tmp_path / "far").mkdir()
    target, link, first = (tmp_path / name for name in ("far/file", "link", "first"))
    target.write_text("old", encoding="utf-8")
    target.chmod(0o600)
    link.symlink_to("far/file")
    first.symlink_to(link)
    write(model, first)
    assert first.is_symlink()
    assert link.is_symlink()
    assert target.stat().st_size > 1000
    assert mode_of(target) == 0o600
    assert os.listdir(tmp_path / "far") == ["file"]


def test_a_link_to_a_file_that_is_not_there_yet(tmp_path, model):
    link = tmp_path / "link"
    link.symlink_to("later")
    model.save(link)
    assert link.is_symlink()
    assert fastcaf.load(tmp_path / "later").n_clusters_ == 2


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o700])
def test_the_mode_of_a_file_stays(tmp_path, mode):
    place = tmp_path / "file"
    place.touch()
    place.chmod(mode)
    with replacing(place) as stream:
        stream.write(b"new")
    assert place.read_bytes() == b"new"
    assert mode_of(place) == mode


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_mode_of_any_other(tmp_path, mask):
    before = os.umask(mask)
    try:
        with replacing(tmp_path / "file") as stream:
            stream.write(b"new")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "file") == 0o666 & ~mask


def make_fifo(place):
    os.mkfifo(place)


def make_socket(place):
    here = os.getcwd()
    os.chdir(place.parent)  # names of sockets are short
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(place.name)
    finally:
        os.chdir(here)


def make_folder(place):
    place.mkdir()


@pytest.mark.parametrize(
    ("make", "word"),
    [(make_fifo, "a pipe"), (make_socket, "a socket"), (make_folder, "is a folder")],
    ids=["pipe", "socket", "folder"],
)
@pytest.mark.parametrize("linked", [False, True], ids=["itself", "link"])
def test_what_is_no_regular_file_is_refused_and_stays(
    tmp_path, capsys, monkeypatch, model, table, make, word, linked
):
    monkeypatch.setattr(CAFHFCM, "fit", None)  # before any work
    place = tmp_path / "special"
    make(place)
    kind = stat.S_IFMT(os.lstat(place).st_mode)
    given = tmp_path / "given"
    given.symlink_to(place) if linked else place.rename(given)
    for write in (model.save, model.explore):
        with pytest.raises(OSError, match=word):
            write(given)
    for option in ("--html", "--plot"):
        assert word in refused(capsys, main, "cluster", table, option, given)
    out = tmp_path / "data.clusters"
    out.mkdir()
    (out / "memberships.csv").symlink_to(given)
    assert word in refused(capsys, main, "cluster", table)
    assert [one.name for one in out.iterdir()] == ["memberships.csv"]
    assert stat.S_IFMT(os.stat(given).st_mode) == kind


def test_devices_and_streams_are_refused(tmp_path):
    with pytest.raises(OSError, match="no regular file but a device"):
        destination("/dev/null")
    # Sent to a file, the standard output is a regular one: it would lose what is said later.
    program = "from fastcaf.storage.writing import destination; destination('/dev/stdout')"
    with (tmp_path / "out").open("wb") as out:
        done = subprocess.run(
            [sys.executable, "-c", program], stdout=out, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert b"no regular file but a stream" in done.stderr


@pytest.mark.parametrize("length", [245, 255])
def test_names_of_any_length(tmp_path, model, length):
    place = tmp_path / ("x" * (length - 5) + ".fcaf")
    model.save(place)
    model.save(place)
    assert fastcaf.load(place).n_clusters_ == 2
    assert os.listdir(tmp_path) == [place.name]


def test_the_results_of_a_command_go_where_links_lead(tmp_path, table):
    out, far = tmp_path / "data.clusters", tmp_path / "far"
    out.mkdir(), far.mkdir()
    (out / "labels.csv").symlink_to(far / "labels.csv")
    (out / "means.csv").touch(0o600)
    (out / "model.fcaf").touch(0o640)
    for _ in range(2):
        assert main(["cluster", str(table), *QUICK]) == 0
        assert (out / "labels.csv").is_symlink()
        assert (far / "labels.csv").read_text(encoding="utf-8").startswith("label,")
        assert (mode_of(out / "means.csv"), mode_of(out / "model.fcaf")) == (0o600, 0o640)
        assert mode_of(out / "path.json") == mode_of(far / "labels.csv") == mode_of(table)
        assert len(os.listdir(out)) == 8
    assert os.listdir(far) == ["labels.csv"]


# In the making


def modes_below(folder):
    return {path.name: mode_of(path) for path in folder.rglob("*")}


def test_nobody_else_sees_a_file_in_the_making(tmp_path):
    (tmp_path / "file").touch(0o644)
    with replacing(tmp_path / "file") as stream:
        stream.write(b"secret")
        (folder,) = (one for one in tmp_path.iterdir() if one.name != "file")
        assert mode_of(folder) == 0o700
        assert set(modes_below(folder).values()) == {0o600}
    assert os.listdir(tmp_path) == ["file"]


def test_nobody_else_sees_results_in_the_making(tmp_path, table, monkeypatch):
    seen = {}

    def look(files, folder):
        (part,) = folder.iterdir()
        seen.update(modes_below(part), folder=mode_of(part))
        raise OSError("enough")

    monkeypatch.setattr("fastcaf.cli.commands.output.publish", look)
    assert main(["cluster", str(table), *QUICK]) == 2
    assert seen.pop("folder") == 0o700
    assert len(seen) == 9  # and the lock
    assert set(seen.values()) == {0o600}
    assert not (tmp_path / "data.clusters").exists()


def test_an_error_leaves_all_as_it_was(tmp_path):
    place = tmp_path / "file"
    place.write_bytes(b"old")
    with pytest.raises(RuntimeError), replacing(place) as stream:
        stream.write(b"new")
        raise RuntimeError
    assert place.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


KILLED = """
import os, signal, sys
from fastcaf.storage.writing import replacing
with replacing(sys.argv[1]) as stream:
    stream.write(b"half of it")
    stream.flush()
    print("writing", flush=True)
    sys.stdin.read(1)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_left_goes_and_what_a_living_one_has_stays(tmp_path):
    place = tmp_path / "file"
    place.write_bytes(b"old")
    command = [sys.executable, "-c", KILLED, str(place)]
    streams = {name: subprocess.PIPE for name in ("stdin", "stdout")}
    with subprocess.Popen(command, **streams) as process:
        assert process.stdout.readline() == b"writing\n"
        before = set(os.listdir(tmp_path))
        assert len(before) == 2
        with replacing(tmp_path / "other") as stream:  # lives, and so does the process
            stream.write(b"whole")
        assert set(os.listdir(tmp_path)) == before | {"other"}
        process.communicate(b"x")
    assert process.returncode == -9
    (left,) = before - {"file"}
    assert mode_of(tmp_path / left) == 0o700
    assert set(modes_below(tmp_path / left).values()) == {0o600}
    assert place.read_bytes() == b"old"
    FuzzyCMeans(2, random_state=0).fit(X).save(tmp_path / "model.fcaf")
    assert set(os.listdir(tmp_path)) == {"file", "other", "model.fcaf"}


def test_only_our_folders_are_removed(tmp_path):
    own = ".fastcaf-0123456789abcdef.part"
    (tmp_path / "theirs").mkdir()
    (tmp_path / own).symlink_to("theirs")
    kept = [".fastcaf-0123.part", ".fastcaf", "theirs.part", "fastcaf-0123456789abcdef.part"]
    for name in kept:
        (tmp_path / name).mkdir()
    (tmp_path / own.replace("f.part", "e.part")).write_bytes(b"a file")
    (tmp_path / own.replace("0123", "ffff")).mkdir()  # killed before it had a lock
    before = set(os.listdir(tmp_path))
    with replacing(tmp_path / "file") as stream:
        stream.write(b"new")
    assert set(os.listdir(tmp_path)) == before - {own.replace("0123", "ffff")} | {"file"}


ELSEWHERE = {"write_text", "write_bytes", "mkdtemp", "NamedTemporaryFile", "tofile", "fdopen"}


def test_nothing_is_written_elsewhere():
    """Streams that are closed are opened in ``terminal.py``, as the null device.

    Compiled kernels are no data of users, and below all other rooms.
    """
    writers = {ROOT / "storage/writing.py", ROOT / "kernels/cache_files.py"}
    for path in sorted({*ROOT.rglob("*.py")} - writers):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute):
                assert node.attr not in ELSEWHERE, path
                assert (getattr(node.value, "id", ""), node.attr) != ("os", "replace"), path
            if isinstance(node, ast.Name) and node.id == "open":
                assert path.name == "terminal.py", path
