"""The paper's method: its memberships, from random rows.  (Our default follows two paths.)"""

from __future__ import annotations

from typing import Any

from fastcaf import CAFHFCM


def paper_caf(**parameters: Any) -> CAFHFCM:
    """CAF-HFCM as printed, but for pruning, which each experiment states."""
    return CAFHFCM(membership="fcm", init="random", **parameters)
