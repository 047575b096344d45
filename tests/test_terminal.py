"""What reaches the terminal, whoever reads it, and what a command's end means."""

import io
import os
import shlex
import signal
import subprocess
import sys
import unicodedata
import zipfile
from pathlib import Path

import numpy as np
import pytest
from tables_on_disk import write_table

import fastcaf
from fastcaf import CAFHFCM, ModelFileError
from fastcaf.cli.commands import main, output
from fastcaf.cli.commands.errors import exit_code_of
from fastcaf.exceptions import printable

ROOT = Path(fastcaf.__file__).parent.parent
X = np.random.default_rng(0).normal(size=(60, 2)).round(4)
QUICK = ["--n-clusters", "2", "--membership", "fcm"]
# Escape; a bell; a sequence in one character; right to left; an isolate; a line of its own.
HOSTILE = "a\x1b[31m\x07\x9b2J\u202eb\u2066c\u2028d\r\x00"


def assert_harmless(text):
    bad = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert [one for one in text if one != "\n" and unicodedata.category(one) in bad] == []


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "data.csv", X)


# What names may do


def test_text_of_people_stays():
    for text in ("höhe", "長さ", "\u0645\u06cc\u200c\u062e\u0648", "a b", "naïve €"):
        assert printable(text) == text
    assert printable("a\x1b\n\u202e\ud800") == r"a\x1b\n\u202e\ud800"
    assert printable("a\nb", keep="\n") == "a\nb"


def test_names_of_columns_are_shown_without_what_terminals_obey(tmp_path, capsys):
    names = [f"a{one}z" for one in HOSTILE]
    file = tmp_path / "data.csv"
    quoted = ['"' + name + '"' for name in [*names, 'line\nfastcaf: written: "" elsewhere']]
    rows = np.random.default_rng(0).normal(size=(40, len(quoted)))
    rows[:20] += 50.0
    lines = [",".join(map(repr, row)) for row in rows.tolist()]
    file.write_bytes("\n".join([",".join(quoted), *lines]).encode())
    assert main(["cluster", str(file), *QUICK]) == 0
    printed = capsys.readouterr()
    assert_harmless(printed.out + printed.err)
    assert r"a\x1bz" in printed.out
    assert "\nfastcaf: written" not in printed.out
    for options in (["--columns", "nowhere"], ["--id", names[0]]):
        code = main(["cluster", str(file), *QUICK, *options])
        printed = capsys.readouterr()
        assert code == (2 if "--columns" in options else 0)
        assert_harmless(printed.out + printed.err)


@pytest.mark.parametrize("content", [f"1,{HOSTILE}\n2,3", f"x,{HOSTILE}\n1,2\n1,\x1b[31m"])
def test_errors_about_hostile_cells(tmp_path, capsys, content):
    file = tmp_path / "data.csv"
    file.write_bytes(content.encode())
    for options in ([], ["--columns", "1"], ["--id", "x"], ["--debug"]):
        try:
            assert main(["cluster", str(file), *options]) == 2
        except ValueError as error:  # with --debug; Python shows the message
            assert_harmless(str(error))
        printed = capsys.readouterr()
        assert_harmless(printed.out + printed.err)


def test_arguments_may_be_the_names_of_other_peoples_files(tmp_path, capsys):
    file = tmp_path / HOSTILE.replace("\0", "")
    assert main(["cluster", str(file)]) == 2
    with pytest.raises(SystemExit):
        main(["cluster", "data.csv", str(file)])
    write_table(file, X)
    assert main(["cluster", str(file), *QUICK]) == 0
    printed = capsys.readouterr()
    assert_harmless(printed.out + printed.err)


def test_hostile_model_files(tmp_path, capsys):
    CAFHFCM(2, membership="fcm", random_state=0).fit(X).save(tmp_path / "good.fcaf")
    for old in ('"fastcaf": "', '"verdict": "', '"membership": "', '"nodes'):
        place = tmp_path / "evil.fcaf"
        with (
            zipfile.ZipFile(tmp_path / "good.fcaf") as good,
            zipfile.ZipFile(place, "w") as bad,
        ):
            for name in good.namelist():
                data = good.read(name).decode("latin-1")
                if name == "model.json":
                    data = data.replace(old, old + r"\u001b[31m\u202e")
                bad.writestr(name, data.encode("latin-1"))
        try:
            fastcaf.load(place)
        except ModelFileError as error:
            assert_harmless(str(error))
        assert main(["tree", str(place)]) in (0, 2)
        printed = capsys.readouterr()
        assert_harmless(printed.out + printed.err)


# Who reads


class Left(io.TextIOWrapper):
    """A pipe whose reader has left."""

    def __init__(self):
        super().__init__(io.BytesIO())

    def write(self, text):
        raise BrokenPipeError


def test_files_are_written_even_if_nobody_reads_what_is_said(tmp_path, table, monkeypatch):
    monkeypatch.setattr(sys, "stdout", Left())
    page, picture = tmp_path / "a.html", tmp_path / "a.svg"
    options = ["--html", str(page), "--plot", str(picture)]
    assert main(["cluster", str(table), *QUICK, *options]) == 141
    assert len(os.listdir(tmp_path / "data.clusters")) == 8
    assert page.exists()
    assert picture.exists()


SAYS = """
import os, sys
from fastcaf.cli.commands.errors import CommandError, exit_code_of, tell
from fastcaf.cli.commands.terminal import say
def run():
    with open("file", "w") as file:
        assert file.fileno() > 2, file.fileno()
        say("hidden h\\u00f6he")
        print("\\u00fcber")
        tell("l\\u00e4ngs")
        file.write("whole")
    if "fail" in sys.argv:
        raise CommandError("no")
    return 0
sys.exit(exit_code_of(run, debug=False))
"""


@pytest.mark.parametrize(
    ("ending", "code", "out", "err"),
    [
        (">&-", 141, b"", "fastcaf: längs\n"),
        ("2>&-", 0, "hidden höhe\nüber\n", b""),
        ("fail <&- >&- 2>&-", 2, b"", b""),
        (
            ">/dev/full",
            2,
            b"",
            "fastcaf: längs\nfastcaf: the output cannot be written: No space left on device\n",
        ),
        ("ascii", 0, b"hidden h\\xf6he\n\\xfcber\n", b"fastcaf: l\\xe4ngs\n"),
    ],
)
def test_streams_that_are_closed_full_or_plain(tmp_path, ending, code, out, err):
    command = f"exec {shlex.quote(sys.executable)} -c {shlex.quote(SAYS)} {ending}"
    variables = {
        "LC_ALL": "C",
        "PYTHONUTF8": "1",
        "PYTHONUNBUFFERED": "",
        "PYTHONPATH": str(ROOT),
    }
    if ending == "ascii":
        variables |= {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        ["sh", "-c", command],
        env={**os.environ, **variables},
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    expected = [one.encode() if isinstance(one, str) else one for one in (out, err)]
    assert [done.stdout, done.stderr] == expected
    assert done.returncode == code
    assert (tmp_path / "file").read_bytes() == b"whole"


def test_no_standard_input(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["cluster", "-"]) == 2
    assert "it is closed" in capsys.readouterr().err


# How it ends; tests of signals during a long fit are in test_interruption.py


@pytest.fixture(params=["SIGTERM", "SIGHUP"])
def number(request):
    return getattr(signal, request.param)


def test_signals_before_there_is_a_result(tmp_path, capsys, table, monkeypatch, number):
    def stop(*arguments):
        signal.raise_signal(number)

    monkeypatch.setattr("fastcaf.fusion.fixed_gamma.Solver.settle", stop)
    assert main(["cluster", str(table)]) == 128 + number
    assert "no result is written" in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["data.csv"]
    assert signal.getsignal(number) is signal.SIG_DFL


def test_signals_while_files_move_to_their_places(tmp_path, table, monkeypatch, number):
    publish = output.publish

    def interrupted(files, folder):
        signal.raise_signal(number)
        publish(files, folder)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(output, "publish", interrupted)
    page = tmp_path / "a.html"
    assert main(["cluster", str(table), *QUICK, "--html", str(page)]) == 128 + number
    assert len(os.listdir(tmp_path / "data.clusters")) == 8
    assert page.exists()


def test_signals_that_are_ignored_or_handled_stay_so():
    """As with nohup, or where a program with handlers of its own calls the command line."""
    came = []
    for handler in (signal.SIG_IGN, lambda number, frame: came.append(number)):
        before = signal.signal(signal.SIGHUP, handler)
        try:
            assert (
                exit_code_of(lambda: signal.raise_signal(signal.SIGHUP) or 0, debug=False) == 0
            )
            assert signal.getsignal(signal.SIGHUP) is handler
        finally:
            signal.signal(signal.SIGHUP, before)
    assert came == [signal.SIGHUP]


def test_a_terminal_that_closes_may_say_so_twice():
    kept = []

    def run():
        try:
            signal.raise_signal(signal.SIGHUP)
        except KeyboardInterrupt:
            signal.raise_signal(signal.SIGHUP)
            kept.append("what was reached")
        return 3

    assert exit_code_of(run, debug=False) == 129
    assert kept == ["what was reached"]
