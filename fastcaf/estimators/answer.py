"""What a fit of ``CAFHFCM`` leaves behind: its answer as attributes, its doubts as warnings."""

from __future__ import annotations

from typing import Any

from fastcaf.data.training_data import TrainingData
from fastcaf.exceptions import warn
from fastcaf.fusion.hierarchy import linkage_matrix
from fastcaf.fusion.polish import polish
from fastcaf.selection.answer import Answer
from fastcaf.selection.likelihood_search import released
from fastcaf.selection.verdict import doubts, verdict

__all__ = ["store_answer"]


def store_answer(model: Any, training: TrainingData, answer: Answer) -> None:
    """Store the answer in the user's units, and warn of what is doubtful about it."""
    if answer.weighing is not None:
        polished = released(answer.weighing, answer.chosen, training)
    else:
        polished = polish(answer.chosen, training, model.tol, model.max_iter)
    model._keep(training, polished, all_of=False)
    model.representatives_ = polished.record(answer.chosen, training)
    answer = answer.reported(polished, training)
    path = answer.path
    model.membership_ = answer.membership
    model.path_ = path
    model.paths_ = answer.paths
    model.linkage_ = linkage_matrix(path.merges)
    model.selection_ = answer.candidates
    model.gamma_ = float(answer.chosen.gamma)
    model.converged_ = answer.chosen.converged
    model.n_iter_ = sum(level.n_iter for one in answer.paths.values() for level in one.levels)
    model.stability_ = answer.stability
    model.verdict_ = verdict(answer)
    limits = model.tol, model.max_iter, model.time_limit, model.gamma
    found = list(doubts(answer, model.n_clusters_, model.n_clusters, *limits))
    model.doubts_ = [message for message, _ in found]
    for message, category in found:
        warn(message, category)
