"""Ctrl-C in the middle of long work: what was reached is kept."""

import fcntl
import json
import os
import re
import signal
import struct
import subprocess
import sys
import termios
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from tables_on_disk import read_columns

from fastcaf import CAFHFCM, FuzzyCMeans, InterruptedFitWarning, warm_up
from fastcaf.fusion.iteration import Iteration
from fastcaf.runtime.threads import interruptible
from fastcaf.selection import search

HERE = Path(__file__).parent
# Paths of some seconds: more than a signal takes to arrive.
MANY = {"n_samples": 1500, "centers": 9, "n_features": 4, "cluster_std": 3.0, "random_state": 0}


def environment():
    paths = [str(HERE.parent), str(HERE), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


FIT = f"""
import json, warnings
from sklearn.datasets import make_blobs
from fastcaf import CAFHFCM
X, _ = make_blobs(**{MANY!r})
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model = CAFHFCM(random_state=0, verbose=2, gamma_ratio=1.02).fit(X)
print(json.dumps([
    model.n_clusters_,
    len(model.labels_),
    len(set(model.predict(X).tolist())),
    len(model.cut(n_clusters=20).cluster_centers),
    [path.interrupted for path in model.paths_.values()],
    [len(path.levels) for path in model.paths_.values()],
    [one.category.__name__ for one in caught],
    model.summary(),
]))
"""


def test_a_fit_in_python():
    command = [sys.executable, "-c", FIT]
    streams = {name: subprocess.PIPE for name in ("stdout", "stderr")}
    with subprocess.Popen(command, env=environment(), text=True, **streams) as process:
        levels = 0
        for line in process.stderr:
            levels += "clusters, objective" in line
            if levels == 4:
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    n_clusters, n_rows, n_predicted, n_cut, interrupted, n_levels, caught, summary = json.loads(
        out
    )
    assert n_rows == 1500
    assert 1 < n_predicted <= n_clusters
    assert n_cut == 20
    assert interrupted == [True]
    assert 4 <= n_levels[0] < 50
    assert "InterruptedFitWarning" in caught
    assert "Unfinished: only the levels reached" in summary
    assert "Note: Interrupted at gamma" in summary


def interrupted_program(until, *arguments, number=signal.SIGINT):
    """Plateau on a terminal of its own; a signal when the terminal shows ``until``."""
    ours, its = os.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("4H", 24, 120, 0, 0))  # lines, columns
    command = [sys.executable, "-m", "fastcaf", *map(str, arguments)]
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=its, text=True
    ) as process:
        os.close(its)
        shown = ""
        while not re.search(until, shown):
            shown += os.read(ours, 4096).decode(errors="replace")
        process.send_signal(number)
        try:
            while more := os.read(ours, 4096):
                shown += more.decode(errors="replace")
        except OSError:  # as Linux has it when the other end is closed
            pass
        out = process.stdout.read()
        code = process.wait(120)
    os.close(ours)
    return code, out, shown


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    file = tmp_path_factory.mktemp("many") / "many.npy"
    np.save(file, make_blobs(**MANY)[0])
    return file


@pytest.mark.parametrize(
    ("number", "expected"), [("SIGINT", 3), ("SIGTERM", 143), ("SIGHUP", 129)]
)
def test_the_command_line_writes_what_was_reached(tmp_path, many, number, expected):
    folder = tmp_path / "answer"
    arguments = ["cluster", many, "--rule", "persistence", "--out", folder]
    code, out, shown = interrupted_program(
        r"level [3-9],", *arguments, number=getattr(signal, number)
    )
    assert code == expected, shown
    assert "fastcaf: warning: Interrupted at gamma" in shown
    assert "fastcaf: interrupted: the files hold the levels reached" in shown
    assert "Traceback" not in shown
    assert f"written: {folder}" in out
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert summary["interrupted"] is True
    paths = json.loads((folder / "path.json").read_text(encoding="utf-8"))["paths"]
    last = list(paths.values())[-1]
    assert last["interrupted"] is True
    assert last["levels"][-1]["n_clusters"] > 1
    labels = read_columns(folder / "labels.csv")["label"]
    assert len(labels) == 1500
    assert 1 < len(set(labels)) <= summary["n_clusters"]
    assert len(os.listdir(folder)) == 8
    assert (folder / "model.fcaf").exists()


def test_the_command_line_says_when_there_is_nothing_to_keep(
    tmp_path, many, capsys, monkeypatch
):
    from fastcaf.cli.commands import main

    monkeypatch.setattr("fastcaf.fusion.fixed_gamma.Solver.settle", stop)
    assert main(["cluster", str(many), "--out", str(tmp_path / "answer")]) == 130
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == (
        "fastcaf: interrupted before there was a result; no result is written\n"
    )
    assert not (tmp_path / "answer").exists()


def stop(*arguments):
    signal.raise_signal(signal.SIGINT)


def stop_at(monkeypatch, owner, name, call):
    """Ctrl-C at the ``call``-th call of a function, counted from 1."""
    calls, real = [], getattr(owner, name)

    def counted(*arguments, **options):
        calls.append(arguments)
        if len(calls) == call:
            signal.raise_signal(signal.SIGINT)
        return real(*arguments, **options)

    monkeypatch.setattr(owner, name, counted)


def test_the_first_path_is_kept_where_the_second_was_not_begun(X, monkeypatch):
    whole = CAFHFCM(random_state=0, membership="fcm").fit(X)
    stop_at(monkeypatch, search, "follow_path", 2)
    with pytest.warns(InterruptedFitWarning, match="with one cluster left"):
        model = CAFHFCM(random_state=0, selection="persistence").fit(X)
    assert list(model.paths_) == ["fcm"]
    assert model.path_.interrupted
    assert model.path_.gammas.tolist() == whole.path_.gammas.tolist()
    assert model.n_clusters_ == whole.n_clusters_


def test_fuzzy_c_means_keeps_the_centroids_reached(X, monkeypatch):
    longer = {"n_clusters": 4, "random_state": 0, "tol": 0.0, "max_iter": 150}
    stop_at(monkeypatch, Iteration, "run", 3)  # statistics of the start, fifty passes, and on
    with pytest.warns(InterruptedFitWarning, match="had not settled"):
        model = FuzzyCMeans(**longer).fit(X)
    assert not model.converged_
    assert model.n_iter_ == 50
    monkeypatch.undo()
    shorter = FuzzyCMeans(**{**longer, "max_iter": 50})
    with pytest.warns(match="had not settled"):
        shorter.fit(X)
    np.testing.assert_array_equal(model.cluster_centers_, shorter.cluster_centers_)
    np.testing.assert_array_equal(model.predict(X), shorter.labels_)
    assert model.objective_ == shorter.objective_


def test_fuzzy_c_means_keeps_the_starts_that_ended(X, monkeypatch):
    one = FuzzyCMeans(4, random_state=0).fit(X)
    stop_at(monkeypatch, Iteration, "run", 3)  # the second start
    with pytest.warns(InterruptedFitWarning, match="and settled"):
        many = FuzzyCMeans(4, random_state=0, n_init=5).fit(X)
    assert many.converged_
    assert many.objective_ <= one.objective_ * (1 + 1e-12)


def test_fuzzy_c_means_before_its_first_pass(X, monkeypatch):
    monkeypatch.setattr("fastcaf.fusion.fixed_gamma.Solver.start", stop)
    with pytest.raises(KeyboardInterrupt):
        FuzzyCMeans(4, random_state=0).fit(X)


def test_an_interrupt_that_numba_swallowed_is_one_still():
    """Numba returns a result with the exception set; Python makes a SystemError of that."""
    with pytest.raises(KeyboardInterrupt), interruptible():
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as stop:
            try:
                raise SystemError("returned a result with an exception set") from stop
            except SystemError as error:
                raise SystemError("returned a result with an exception set") from error


class MyError(Exception):
    pass


ALARMED = """
import signal
from sklearn.datasets import make_blobs
from fastcaf import CAFHFCM, FuzzyCMeans
class MyError(Exception): pass
def handler(signum, frame):
    print("raised")
    raise MyError("time is up")
signal.signal(signal.SIGALRM, handler)
X, _ = make_blobs(**{many!r})
runs = [
    lambda: FuzzyCMeans(30, tol=0.0, max_iter=10000, random_state=0).fit(X),
    lambda: CAFHFCM(selection="persistence", gamma_ratio=1.02, random_state=0).fit(X),
]
for run in runs:
    run()
    for after in range(1, 16):
        signal.setitimer(signal.ITIMER_REAL, 0.01 * after)
        try:
            run()  # faster machines may be done before
            signal.setitimer(signal.ITIMER_REAL, 0)
        except Exception as error:
            print(type(error).__name__, error)
"""


def test_what_a_signal_handler_raises_in_a_kernel_reaches_the_caller():
    result = subprocess.run(
        [sys.executable, "-c", ALARMED.format(many=MANY)],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    times = result.stdout.count("raised")
    assert times > 10
    assert result.stdout == times * "raised\nMyError time is up\n"


def test_the_exception_is_the_one_that_was_raised():
    mine = MyError("mine")
    with pytest.raises(MyError) as caught, interruptible():
        try:
            raise mine from ValueError("the reason")
        except MyError as stop:
            raise SystemError("returned a result with an exception set") from stop
    assert caught.value is mine
    assert isinstance(mine.__cause__, ValueError)


def test_other_system_errors_stay():
    with pytest.raises(SystemError, match="something else"), interruptible():
        raise SystemError("something else")


def test_ctrl_c_while_the_levels_are_judged_loses_none(monkeypatch):
    X, _ = make_blobs(200, centers=4, cluster_std=0.3, random_state=0)
    score_plateaus, calls = search.score_plateaus, []

    def interrupted_once(*arguments):
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return score_plateaus(*arguments)

    whole = CAFHFCM(random_state=0, selection="persistence").fit(X)
    monkeypatch.setattr(search, "score_plateaus", interrupted_once)
    model = CAFHFCM(random_state=0, selection="persistence").fit(X)
    assert len(calls) == 3
    np.testing.assert_array_equal(model.labels_, whole.labels_)


def test_ctrl_c_ends_the_warm_up(monkeypatch):
    """A fit keeps what it has, and the next one would begin."""
    fits = []

    def interrupted(model, X):
        fits.append(model)
        warnings.warn("Interrupted at gamma = 0", InterruptedFitWarning, stacklevel=2)
        return model

    monkeypatch.setattr(CAFHFCM, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        warm_up()
    assert len(fits) == 1
