"""Membership models, one a file."""

from fastcaf.memberships.base import MembershipModel, Statistics
from fastcaf.memberships.entropy import EntropyMemberships
from fastcaf.memberships.fcm import FuzzyMemberships

__all__ = ["EntropyMemberships", "FuzzyMemberships", "MembershipModel", "Statistics"]
