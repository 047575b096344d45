"""How sure an answer is: in a sentence, and as warnings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fastcaf.exceptions import (
    BeyondPathWarning,
    CloseCandidatesWarning,
    ConvergenceWarning,
    EmptyClustersWarning,
    InterruptedFitWarning,
    NoClearStructureWarning,
    UnstableNumberWarning,
)
from fastcaf.fusion.centroid_problem import most_sweeps
from fastcaf.fusion.cuts import beyond_path, past_end
from fastcaf.fusion.distinct_clusters import n_distinct
from fastcaf.fusion.iteration import GAP
from fastcaf.runtime.deadline import time_is_up
from fastcaf.selection.answer import Answer
from fastcaf.selection.likelihood_search import Weighing

__all__ = ["doubts", "fewer_clusters", "verdict"]

# Two scores nearer than this: another draw of the same data could turn them round.
CLOSE = 0.2
CLOSE_NATS = 3.0  # the same for likelihoods: odds of 20 to 1
# Share of the rows in clusters with no clear valley around them, beyond which there may be no
# clusters.
MOST_WITHOUT_VALLEY = 0.5
WIDE_GAP = 100.0 * GAP  # relative duality gap that is worth a warning

Message = tuple[str, type[Warning]]


def verdict(answer: Answer) -> str:
    """Whether the number of clusters is clear, close, doubtful, or not ours to say."""
    said, stability = _sentence(answer), answer.stability
    if stability is None:
        return said
    if stability.is_doubtful and not said.startswith(("Doubtful", "A close call")):
        return f"Doubtful: {stability}."
    found = str(stability)
    return f"{said} {found[0].upper()}{found[1:]}."


def _sentence(answer: Answer) -> str:
    """The verdict on one start."""
    others = answer.candidates[1:]
    if answer.interrupted is not None:
        return "Unfinished: only the levels reached could be compared."
    if not answer.is_open:
        return "The number rests on what was asked for: a number, a gamma, or another rule."
    if answer.doubt is not None:
        return "Doubtful: there may be no clusters at all."
    if answer.weighing is not None and (said := _weighed_verdict(answer.weighing)):
        return said
    if not others:
        return "There is no other number to compare with."
    behind, unit, close = _behind(answer)
    if behind <= close:
        return f"A close call: {others[0].n_clusters} clusters are nearly as good."
    return (
        f"Clear: the next best number, {others[0].n_clusters}, scores {behind:.4g}{unit} less "
        f"({close}{unit} would be a close call)."
    )


def _behind(answer: Answer) -> tuple[float, str, float]:
    """How far the second candidate is behind, in which unit, and what would be close."""
    best, second = answer.candidates[:2]
    behind = best.score - second.score
    if answer.weighing is not None:
        return round(behind * answer.weighing.judge.n, 1), " nats", CLOSE_NATS
    return round(behind, 2), "", CLOSE


def doubts(
    answer: Answer,
    n_found: int,
    n_clusters: int | None,
    tol: float,
    max_iter: int,
    time_limit: float | None = None,
    gamma: Any = None,
) -> Iterator[Message]:
    """Messages and their classes, for a fit with these parameters that reports ``n_found``."""
    ended = f"Stopped by time_limit={time_limit:g}" if time_is_up() else "Interrupted"
    stopped = answer.interrupted
    if stopped is not None:
        last = stopped.levels[-1]
        left = "one cluster" if last.n_clusters == 1 else f"{last.n_clusters} clusters"
        yield (
            f"{ended} at gamma = {last.gamma:.6g} with {left} left. "
            f"The result rests on the {len(stopped.levels)} levels reached.",
            InterruptedFitWarning,
        )
    elif answer.is_open:
        yield from _structure(answer)
        yield from _unstable(answer)
    if answer.polish_interrupted:
        yield (
            f"{ended} while the reported level settled further: it is as the path has it.",
            InterruptedFitWarning,
        )
    if answer.checks_interrupted:
        yield (
            f"{ended} while other starts were asked for the number of clusters: how stable it "
            "is, is not known (stability_ is None).",
            InterruptedFitWarning,
        )
    if n_clusters is not None and (message := beyond_path(answer.path, n_clusters)):
        yield message, BeyondPathWarning
    if gamma is not None and (message := past_end(answer.path, float(np.min(gamma)))):
        yield message, BeyondPathWarning
    wanted = n_clusters or answer.chosen.n_clusters
    differ = n_distinct(answer.chosen) if n_clusters is not None else n_found
    yield from fewer_clusters(wanted, n_found, differ)
    yield from _sweeps(answer)
    if not answer.chosen.converged:
        yield (
            f"The objective had not settled to tol={tol} within max_iter={max_iter} iterations "
            f"at gamma = {answer.chosen.gamma:.6g}. Raise max_iter or tol.",
            ConvergenceWarning,
        )


def _sweeps(answer: Answer) -> Iterator[Message]:
    """Whether centroid problems were left before they were solved."""
    levels = answer.path.levels
    gaps = [
        one.duality_gap
        for one in levels
        if one.duality_gap > WIDE_GAP and one.n_sweeps >= most_sweeps(one.n_clusters)
    ]
    if gaps:
        yield (
            f"In {len(gaps)} of {len(levels)} levels the centroid solver met its bound on "
            f"sweeps: the centroid problem was left at a relative duality gap of up to "
            f"{max(gaps):.1g} ({GAP:g} was asked for). Weights or distances over many orders "
            "of magnitude lead to that.",
            ConvergenceWarning,
        )


def fewer_clusters(n_wanted: int, n_found: int, n_differ: int) -> Iterator[Message]:
    """Of a level with centroids that have no rows, or that nearly coincide with others."""
    found = "1 cluster" if n_found == 1 else f"{n_found} clusters"
    if n_found < n_wanted:
        yield (
            f"{found} instead of {n_wanted}: other centroids are nearest to no row.",
            EmptyClustersWarning,
        )
    if n_differ < n_found:
        yield (
            f"{found}, but only {n_differ} differ clearly: centroids nearly coincide.",
            EmptyClustersWarning,
        )


def _unstable(answer: Answer) -> Iterator[Message]:
    """Whether other starts lead to other numbers."""
    stability = answer.stability
    if stability is not None and stability.is_doubtful:
        found = answer.candidates[0].n_clusters
        yield (
            f"{'One cluster' if found == 1 else f'{found} clusters'}: {stability}. Look at "
            "selection_ and at cuts with other numbers before you rely on it.",
            UnstableNumberWarning,
        )


def _structure(answer: Answer) -> Iterator[Message]:
    """Whether there are clusters at all, and whether another number is as good."""
    best, others, doubt = answer.candidates[0], answer.candidates[1:], answer.doubt
    if doubt is not None:
        found, ending = "no clear structure", "is reported all the same"
        if best.n_clusters == 1:
            found = "one cluster"
            ending = f"is there for the asking (n_clusters={doubt.n_clusters})"
        yield (
            f"Found {found}: the best number above one, {doubt.n_clusters}, scores "
            f"{doubt.score:.2f} (structureless data reach {doubt.chance:.2f}), and its "
            f"narrowest gap is {doubt.cluster_gap:.2f} deviations (a uniform block cut in two "
            f"has 3.46). It {ending}.",
            NoClearStructureWarning,
        )
    elif len(answer.path.start) == 1:  # one row, or as was asked for
        return
    elif answer.weighing is not None and (said := _weighed_doubt(answer.weighing)):
        yield said, NoClearStructureWarning
    elif others and _behind(answer)[0] <= _behind(answer)[2]:
        yield (
            f"{best.n_clusters} clusters (score {best.score:.2f}) and "
            f"{others[0].n_clusters} ({others[0].score:.2f}) are nearly as good: look at both "
            f"(n_clusters={others[0].n_clusters} gives the other).",
            CloseCandidatesWarning,
        )


def _weighed_verdict(weighing: Weighing) -> str:
    """What the judge of likelihoods is unsure about, if anything."""
    if weighing.chosen.n_clusters == 1:
        if weighing.best_above_one is None:
            return "One cluster: no path leads to several."
        if weighing.mixture_says_one:
            return "One cluster: several explain the rows hardly better."
        if weighing.says_one:
            return "Doubtful: a mixture of several fits better, but its clusters overlap."
        return "Doubtful: several explain the rows little better, and no valley parts them."
    if weighing.heard:
        return "Doubtful: clusters that overlap much, or none at all."
    if weighing.share_without_valley > MOST_WITHOUT_VALLEY:
        return "Doubtful: most clusters have no clear valley around them."
    return ""


def _weighed_doubt(weighing: Weighing) -> str:
    """The same as a warning, with the numbers."""
    several, one = weighing.best_above_one, weighing.one
    if several is None:
        return "Found one cluster: no path leads to several."
    if one is None:
        return ""
    gain = several.likelihood - one.likelihood
    facts = (
        f"{several.n_clusters} clusters, the best number above one, have a completed "
        f"likelihood {abs(gain):.1f} nats {'above' if gain > 0 else 'below'} that of one, and "
        "their "
        f"shallowest valley is {several.depth:.2f} (1 is none)"
    )
    if weighing.chosen.n_clusters == 1:
        asked = f"n_clusters={several.n_clusters} gives them"
        return f"Found one cluster: {facts}; {asked}."
    if weighing.heard:
        return f"Found clusters that overlap much, or none at all: {facts}."
    if weighing.share_without_valley > MOST_WITHOUT_VALLEY:
        share = weighing.share_without_valley
        return (
            f"Found no clear structure: {100 * share:.0f} % of the rows are in clusters "
            f"with no clear valley around them; {facts}."
        )
    return ""
