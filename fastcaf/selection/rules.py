"""Which level of a path to report: one function a rule.

A rule gives every plateau of a path (``plateaus.py``) a score.  The largest wins, over all
paths that were followed, and the middle level of its plateau is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fastcaf.data.training_data import TrainingData
from fastcaf.fusion.level import Path
from fastcaf.selection.candidate import Candidate
from fastcaf.selection.indices import INDICES, Index
from fastcaf.selection.plateaus import Plateau, plateaus_of

__all__ = [
    "RULES",
    "Candidate",
    "Rule",
    "ScoredPlateau",
    "persistence",
    "plateau_length",
    "rank",
    "score_plateaus",
]

# A number of clusters this near the starting one says more of the start than of the data.
LARGEST_SHARE = 0.7
# A plateau that is longer than exp(3), a 20-fold range of gamma, is not better for it, unless
# the usual length is larger: where many clear clusters appear in one step of gamma it is.
LONG_PLATEAU = 3.0
# Weight of the separations against the persistence; flat between 1 and 3.
SEPARATION_WEIGHT = 2.0
# Below this separation clusters are not apart at all, and logarithms would say too much.
LEAST_SEPARATION = 0.05
# A gap of more deviations than this is not better for it.
WIDE_GAP = 5.0

Rule = Callable[[Plateau], float]


def persistence_terms(plateau: Plateau) -> dict[str, float]:
    """The parts of the default rule's score, by what they say of a plateau.

    A balanced set of c clusters at spacing D fuses near gamma = n D / c^2, and structureless
    data has D ~ c^(-1/d): (2 + 1/d) log(c_before / c) is the length that its plateaus have.
    Where pairs are weighed by mass, by n / 2c in a balanced set, it fuses near 2 D / c: 1, not
    2.
    """
    if plateau.gamma_start <= 0.0:
        return {"the path does not show where it begins": -np.inf}
    power = 1.0 if plateau.internal_level.by_mass else 2.0
    usual = (power + 1.0 / plateau.effective_dimension) * np.log(
        plateau.n_before / plateau.n_clusters
    )
    enough = max(LONG_PLATEAU, usual) if plateau.n_clusters > 1 else LONG_PLATEAU
    length = min(float(np.log(plateau.gamma_end / plateau.gamma_start)), enough)
    separations = np.maximum(
        [plateau.separation.mean, plateau.separation.weakest], LEAST_SEPARATION
    )
    gap = min(max(plateau.cluster_gap / WIDE_GAP, LEAST_SEPARATION), 1.0)
    mean, weakest, narrowest = SEPARATION_WEIGHT * np.log([*separations, gap])
    return {
        "its range of gamma is shorter, compared with chance": length - float(usual),
        "its mean separation is smaller": float(mean),
        "its weakest separation is smaller": float(weakest),
        "its narrowest gap is narrower": float(narrowest),
    }


def persistence(plateau: Plateau) -> float:
    """How much longer a plateau is than one of structureless data, and how separated.

    min(log(g1/g0), max(3, usual)) - usual, usual = (2 + 1/d_eff) log(c_before/c),
    + 2 (log(separation) + log(weakest) + log(min(gap / 5, 1)))
    """
    return sum(persistence_terms(plateau).values())


def plateau_length(plateau: Plateau) -> float:
    """The paper's rule: length on the (linear) gamma axis.

    It depends on where the axis ends, and is meant for additive grids.  One cluster, if it is
    all there is, lasts as long as can be.
    """
    return min(plateau.gamma_end - plateau.gamma_start, float(np.finfo(np.float64).max))


def _by_index(index: Index) -> Rule:
    """A classic validity index as a rule: evaluated on the plateau's level, without a refit."""

    def rule(plateau: Plateau) -> float:
        return index(plateau.partition)

    rule.__doc__ = index.__doc__
    return rule


RULES: dict[str, Rule] = {
    "persistence": persistence,
    "plateau": plateau_length,
    **{name: _by_index(index) for name, index in INDICES.items()},
}


@dataclass(frozen=True)
class ScoredPlateau:
    """A plateau of one of the paths, and what the rule says of it."""

    plateau: Plateau
    score: float
    membership: str


def score_plateaus(
    path: Path, training: TrainingData, rule: Rule, membership: str, first_gamma: float = 0.0
) -> list[ScoredPlateau]:
    """Score the plateaus of a path.

    Parameters
    ----------
    path : Path
    training : TrainingData
        The rows it was followed on.
    rule : callable
        From a plateau to a score.
    membership : str
        The name of the path.
    first_gamma : float
        Where the stretch begins that counts: levels below only lead up to it.

    Returns
    -------
    list of ScoredPlateau
        Plateaus with 2 to 0.7 times the starting number of clusters, by rising gamma.  Where
        the path has none, the last one stands alone.
    """
    # A path may end before: at one cluster, or by Ctrl-C.  Then its last level counts.
    first = min(int(np.searchsorted(path.gammas, first_gamma)), len(path.levels) - 1)
    plateaus = plateaus_of(path, training, first)
    most = max(2.0, LARGEST_SHARE * len(path.start))
    chosen = [plateau for plateau in plateaus if 2 <= plateau.n_clusters <= most] or plateaus[
        -1:
    ]
    return [ScoredPlateau(plateau, float(rule(plateau)), membership) for plateau in chosen]


def rank(scored: list[ScoredPlateau], rule: Rule) -> list[Candidate]:
    """Candidates, best first: for every number of clusters the best plateau of all paths."""
    ordered = sorted(scored, key=lambda one: (-one.score, one.plateau.n_clusters))
    best: dict[int, ScoredPlateau] = {}
    for one in ordered:
        best.setdefault(one.plateau.n_clusters, one)
    ranking = list(best.values())
    return [
        Candidate(
            one.plateau.n_clusters,
            one.score,
            one.plateau.gamma_start,
            one.plateau.gamma_end,
            one.plateau.middle,
            one.membership,
            one.plateau.separation.mean,
            one.plateau.separation.weakest,
            one.plateau.cluster_gap,
            reason(one, above, rule),
        )
        for above, one in zip([None, *ranking], ranking, strict=False)
    ]


def reason(one: ScoredPlateau, above: ScoredPlateau | None, rule: Rule) -> str:
    """Why a plateau stands where it does, in a sentence."""
    plateau, separation = one.plateau, one.plateau.separation
    if plateau.n_clusters == 1 and rule is persistence:
        return "One cluster: the score is what data without structure have."
    place = "Best"
    if above is not None:
        lost = f"it scores {above.score - one.score:.2g} less"
        if rule is persistence:
            mine, theirs = persistence_terms(plateau), persistence_terms(above.plateau)
            lost = max(mine, key=lambda term: theirs.get(term, 0.0) - mine[term])
        place = f"Behind {above.plateau.n_clusters} because {lost}"
    factor = plateau.gamma_end / plateau.gamma_start if plateau.gamma_start > 0.0 else np.inf
    return (
        f"{place}: stable over a {factor:.3g}-fold range of gamma; mean separation "
        f"{separation.mean:.2f}, weakest {separation.weakest:.2f}, narrowest gap "
        f"{plateau.cluster_gap:.1f} deviations."
    )
