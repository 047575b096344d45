"""``pytest bench/test_compare.py``: the comparison fails when it should, and only then."""

import json

import pytest

from bench.compare import main


@pytest.fixture
def file(tmp_path):
    def write(name, **seconds):
        benchmarks = [{"fullname": k, "stats": {"min": v}} for k, v in seconds.items()]
        path = tmp_path / name
        path.write_text(json.dumps({"benchmarks": benchmarks}))
        return str(path)

    return write


def test_a_regression_fails_and_is_named(file, capsys):
    before, after = file("a", row=1.0, path=2.0), file("b", row=1.1, path=2.6)
    assert main([before, after, "--most", "1.2"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "| path | 2 | 2.6 | 1.30 | slower |" in lines
    assert "| row | 1 | 1.1 | 1.10 |  |" in lines


def test_the_ratio_is_the_callers_choice(file):
    before, after = file("a", row=1.0), file("b", row=1.3)
    assert main([before, after, "--most", "1.31"]) == 0
    assert main([before, after, "--most", "1.29"]) == 1


def test_faster_is_fine_and_what_is_in_one_file_only_is_listed(file, capsys):
    before, after = file("a", row=1.0, old=1.0), file("b", row=0.1, fresh=9.0)
    assert main([before, after]) == 0
    out = capsys.readouterr().out
    assert "only before: old" in out
    assert "new: fresh" in out
    assert "0.10 | faster" in out


def test_a_slower_machine_is_no_regression_beside_a_reference(file):
    before, after = file("a", ours=1.0, kmeans=1.0), file("b", ours=2.0, kmeans=2.0)
    assert main([before, after]) == 1
    assert main([before, after, "--reference", "kmeans"]) == 0
    worse = file("c", ours=3.0, kmeans=2.0)
    assert main([before, worse, "--reference", "kmeans"]) == 1


def test_nothing_in_common_or_no_reference_is_an_error(file):
    before, after = file("a", row=1.0), file("b", path=1.0)
    assert main([before, after]) == 2
    with pytest.raises(SystemExit, match="no benchmark's name contains"):
        main([before, after, "--reference", "kmeans"])
