"""The membership models that there are: the one place to name a new one."""

from __future__ import annotations

from fastcaf.memberships.base import MembershipModel
from fastcaf.memberships.entropy import EntropyMemberships
from fastcaf.memberships.fcm import FuzzyMemberships

__all__ = ["AUTO", "MODELS"]

MODELS: dict[str, type[MembershipModel]] = {
    model.name: model for model in (FuzzyMemberships, EntropyMemberships)
}
AUTO = ("fcm", "entropy")  # the paths that membership="auto" follows
