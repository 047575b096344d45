"""The membership models that there are: the one place to name a new one."""

from __future__ import annotations

from fastcaf.memberships.base import MembershipModel
from fastcaf.memberships.entropy import EntropyMemberships
from fastcaf.memberships.fcm import FuzzyMemberships
from fastcaf.memberships.gaussian import FullGaussian, SphericalGaussian
from fastcaf.memberships.kernel import KernelMemberships

__all__ = ["AUTO", "MEMBERSHIPS", "MODELS", "PATHS"]

MODELS: dict[str, type[MembershipModel]] = {
    model.name: model
    for model in (
        FuzzyMemberships,
        KernelMemberships,
        EntropyMemberships,
        SphericalGaussian,
        FullGaussian,
    )
}
# As users choose them; "gaussian" is "full" or "spherical", by its covariance type.
MEMBERSHIPS = ("auto", "fcm", "entropy", "kernel", "gaussian")
# The paths that membership="auto" follows: entropy memberships, on standardised features too
# where these have very different spreads, and components merged from where those paths are.
AUTO = ("entropy", "spherical", "full", "standardised", "standardised full")
PATHS = tuple(dict.fromkeys((*MODELS, *AUTO)))  # names that paths may have
