"""Membership models, one a file."""

from fastcaf.memberships.base import MembershipModel, Statistics
from fastcaf.memberships.entropy import EntropyMemberships
from fastcaf.memberships.fcm import FuzzyMemberships
from fastcaf.memberships.registry import AUTO, MODELS

__all__ = [
    "AUTO",
    "MODELS",
    "EntropyMemberships",
    "FuzzyMemberships",
    "MembershipModel",
    "Statistics",
]
