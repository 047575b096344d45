"""What a long fit shows of itself."""

import io
import logging
import re
import sys

import pytest
from tables_on_disk import write_table

from fastcaf import CAFHFCM, FuzzyCMeans
from fastcaf.cli.commands import main

SHOWN = re.compile(r"(fcm|entropy): level (\d+), gamma ([^,]+), (\d+) clusters? left")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def on_terminal(monkeypatch):
    """In the test itself: pytest sets the streams anew after the fixtures."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


@pytest.fixture
def every_level(monkeypatch):
    """Bars that show each level, however fast they follow."""
    import tqdm

    class Eager(tqdm.tqdm):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, mininterval=0, **options)

    monkeypatch.setattr(tqdm, "tqdm", Eager)


def logged(caplog):
    return [record.getMessage() for record in caplog.records if record.name == "fastcaf"]


@pytest.mark.usefixtures("every_level")
def test_a_bar_for_each_path_on_a_terminal(X, monkeypatch, caplog):
    terminal = on_terminal(monkeypatch)
    model = CAFHFCM(random_state=0, verbose=1, selection="persistence").fit(X)
    seen = SHOWN.findall(terminal.getvalue())
    for name, path in model.paths_.items():
        mine = {int(level): int(left) for which, level, _, left in seen if which == name}
        assert list(mine) == list(range(1, len(path.levels) + 1))
        assert list(mine.values()) == path.n_clusters.tolist()
    assert [which for which, *_ in seen] == sorted([one[0] for one in seen], key="fe".find)
    gammas = [f"{gamma:.4g}" for gamma in model.paths_["fcm"].gammas]
    shown = dict.fromkeys(gamma for which, _, gamma, _ in seen if which == "fcm")
    assert list(shown) == list(dict.fromkeys(gammas))
    assert not logged(caplog)


@pytest.mark.usefixtures("every_level")
def test_notebooks_have_a_bar_too(X, monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    CAFHFCM(random_state=0, verbose=1, membership="fcm").fit(X)
    assert SHOWN.search(stream.getvalue())
    assert not logged(caplog)


def test_a_path_that_ends_early_leaves_its_bar_and_the_cursor_below(X, monkeypatch):
    terminal = on_terminal(monkeypatch)
    CAFHFCM(random_state=0, verbose=1, gamma=0.5).fit(X)
    text = terminal.getvalue()
    assert text.endswith("\n")
    last = text.rstrip("\n").split("\r")[-1]
    assert SHOWN.match(last)
    assert int(SHOWN.match(last)[4]) > 1


def test_two_logs_lines_on_a_terminal_too(X, monkeypatch, caplog):
    terminal = on_terminal(monkeypatch)
    model = CAFHFCM(random_state=0, verbose=2, membership="fcm").fit(X)
    assert len(logged(caplog)) == len(model.path_.levels)
    assert terminal.getvalue() == ""


def test_lines_where_there_is_no_terminal_or_no_tqdm(X, caplog, monkeypatch):
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr("fastcaf.runtime.progress.find_spec", lambda name: None)
    model = CAFHFCM(random_state=0, verbose=1, membership="fcm").fit(X)
    assert len(logged(caplog)) == len(model.path_.levels)
    assert terminal.getvalue() == ""
    caplog.clear()
    monkeypatch.undo()
    CAFHFCM(random_state=0, verbose=1, membership="fcm").fit(X)
    assert len(logged(caplog)) == len(model.path_.levels)


def test_the_command_line_shows_the_bar_on_a_terminal_only(
    tmp_path, X, capsys, monkeypatch, caplog
):
    file = str(write_table(tmp_path / "data.csv", X))
    assert main(["cluster", file]) == 0
    assert capsys.readouterr().err == ""
    stream = on_terminal(monkeypatch)
    assert main(["cluster", file]) == 0
    assert "entropy" in {one[0] for one in SHOWN.findall(stream.getvalue())}
    assert "left" not in capsys.readouterr().out
    assert not logged(caplog)


def test_logging_is_left_as_it_was(X, capsys):
    logger = logging.getLogger("fastcaf")
    before = list(logger.handlers), logger.level
    CAFHFCM(random_state=0, verbose=2, membership="fcm").fit(X)
    FuzzyCMeans(2, random_state=0, verbose=1).fit(X)
    assert (list(logger.handlers), logger.level) == before
