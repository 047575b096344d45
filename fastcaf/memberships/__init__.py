"""Membership models, one a file."""

from fastcaf.memberships.base import MembershipModel, Statistics
from fastcaf.memberships.entropy import EntropyMemberships
from fastcaf.memberships.fcm import FuzzyMemberships
from fastcaf.memberships.gaussian import FullGaussian, GaussianMemberships, SphericalGaussian
from fastcaf.memberships.kernel import KernelMemberships
from fastcaf.memberships.registry import AUTO, MEMBERSHIPS, MODELS, PATHS

__all__ = [
    "AUTO",
    "MEMBERSHIPS",
    "MODELS",
    "PATHS",
    "EntropyMemberships",
    "FullGaussian",
    "FuzzyMemberships",
    "GaussianMemberships",
    "KernelMemberships",
    "MembershipModel",
    "SphericalGaussian",
    "Statistics",
]
