"""What the suite shares: peers that may be missing, and what the JSON says of the machine."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))  # ``bench`` is no installed package

import bench
from bench import peers, report


def pytest_collection_modifyitems(items):
    """Peers may warn as they like."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture
def peer():
    """A peer's file by name; the test is skipped where it is not installed."""

    def load(name):
        try:
            return peers.load(name)
        except peers.NotInstalled as why:
            pytest.skip(f"{name}: {why}")

    return load


def pytest_benchmark_update_machine_info(config, machine_info):
    """No names of hosts; the library versions instead."""
    for name in ("node", "release"):
        machine_info.pop(name, None)
    machine_info.get("cpu", {}).pop("flags", None)
    machine_info["versions"] = report.versions()
    machine_info["load before"] = report.machine()["load before"]


def pytest_benchmark_update_json(config, benchmarks, output_json):
    """Keep the file small: statistics, without every single round."""
    output_json["commit_info"] = {"fastcaf sources": bench.state_of_the_code()}
    for one in output_json["benchmarks"]:
        one["stats"].pop("data", None)
