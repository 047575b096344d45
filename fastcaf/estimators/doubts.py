"""What is doubtful about an answer, as warnings."""

from __future__ import annotations

from collections.abc import Iterator

from fastcaf.estimators.answer import Answer
from fastcaf.exceptions import (
    CloseCandidatesWarning,
    ConvergenceWarning,
    InterruptedFitWarning,
    NoClearStructureWarning,
)

__all__ = ["doubts"]

# Two scores nearer than this: another draw of the same data could turn them round.
CLOSE = 0.2

Doubt = tuple[str, type[Warning]]


def doubts(answer: Answer, tol: float, max_iter: int) -> Iterator[Doubt]:
    """Messages and their classes, for a fit with these parameters."""
    stopped = answer.interrupted
    if stopped is not None:
        last = stopped.levels[-1]
        yield (
            f"Interrupted at gamma = {last.gamma:.6g} with {last.n_clusters} clusters left. "
            f"The result rests on the {len(stopped.levels)} levels reached.",
            InterruptedFitWarning,
        )
    elif answer.is_open:
        yield from _structure(answer)
    if not answer.chosen.converged:
        yield (
            f"The objective had not settled to tol={tol} within max_iter={max_iter} iterations "
            f"at gamma = {answer.chosen.gamma:.6g}. Raise max_iter or tol.",
            ConvergenceWarning,
        )


def _structure(answer: Answer) -> Iterator[Doubt]:
    """Whether there are clusters at all, and whether another number is as good."""
    best, others = answer.candidates[0], answer.candidates[1:]
    if best.n_clusters == 1 and others:
        yield (
            f"No structure found: one cluster. The next best, {others[0].n_clusters}, scores "
            f"{others[0].score:.2f}; structureless data reach {answer.chance:.2f}. "
            f"CAFHFCM(n_clusters={others[0].n_clusters}) reports it all the same.",
            NoClearStructureWarning,
        )
    elif best.score < answer.chance:
        yield (
            f"No clear structure: the best number of clusters, {best.n_clusters}, scores "
            f"{best.score:.2f}; structureless data reach {answer.chance:.2f}.",
            NoClearStructureWarning,
        )
    elif others and best.score - others[0].score < CLOSE:
        yield (
            f"{best.n_clusters} clusters (score {best.score:.2f}) and "
            f"{others[0].n_clusters} ({others[0].score:.2f}) are nearly as good: look at both, "
            f"cut(n_clusters={others[0].n_clusters}).",
            CloseCandidatesWarning,
        )
