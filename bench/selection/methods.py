"""All methods, and how the command line names them."""

from __future__ import annotations

from bench.selection.answer import Method
from bench.selection.ours import DEFAULT, OURS
from bench.selection.peers import PEERS

METHODS = (*OURS, *PEERS)
GROUPS = {"ours": OURS, "peers": PEERS, "all": METHODS}

__all__ = ["DEFAULT", "GROUPS", "METHODS", "named"]


def named(names: list[str]) -> list[Method]:
    """Methods of names and groups, each once."""
    known = {method.name: (method,) for method in METHODS} | GROUPS
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise SystemExit(f"Unknown methods {unknown}; known: {', '.join(known)}.")
    chosen = {method.name for name in names for method in known[name]}
    return [method for method in METHODS if method.name in chosen]
