"""All methods, and how the command line names them."""

from __future__ import annotations

from bench.selection.answer import Method
from bench.selection.ours import DEFAULT, OURS
from bench.selection.peers import PEERS, YARDSTICKS

METHODS = (*OURS, *PEERS)
GROUPS = {"ours": OURS, "peers": PEERS, "yardsticks": YARDSTICKS, "all": METHODS}
TOLD = frozenset(method.name for method in METHODS if method.told)

__all__ = ["DEFAULT", "GROUPS", "METHODS", "TOLD", "named", "usable"]


def named(names: list[str]) -> list[Method]:
    """Methods of names and groups, each once."""
    known = {method.name: (method,) for method in METHODS} | GROUPS
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise SystemExit(f"Unknown methods {unknown}; known: {', '.join(known)}.")
    chosen = {method.name for name in names for method in known[name]}
    return [method for method in METHODS if method.name in chosen]


def usable(methods: list[Method]) -> list[Method]:
    """Those that can run here; the others are left out with a message."""
    found = []
    for method in methods:
        try:
            method.check()
        except (ImportError, TypeError, ValueError) as error:
            print(f"{method.name} is left out: {error}")
        else:
            found.append(method)
    return found
