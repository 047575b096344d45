"""What a user would do instead, by theme; yardsticks last."""

from __future__ import annotations

from bench.selection.peers_density import DENSITY
from bench.selection.peers_mixture import MIXTURES
from bench.selection.peers_splitting import SPLITTING
from bench.selection.peers_sweep import SWEEPS
from bench.selection.peers_told import YARDSTICKS

PEERS = (*SWEEPS, *DENSITY, *MIXTURES, *SPLITTING, *YARDSTICKS)

__all__ = ["PEERS", "YARDSTICKS"]
