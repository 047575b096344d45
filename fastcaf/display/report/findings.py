"""What there is to say about a fit, before it is put into text or HTML."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fastcaf.display.words import by_loss, path_words, shape_words

__all__ = ["Cluster", "Findings", "count", "plain", "shape_of"]


@dataclass(frozen=True)
class Cluster:
    """One line of the table of clusters.

    Attributes
    ----------
    label : int
    rows : int
        Rows with this label.
    share : float
        Of all rows.
    mass : float
        Sum of the memberships: the soft size.
    confidence : float
        Mean membership of the cluster's own mass: 1 where it shares with no other.
    """

    label: int
    rows: int
    share: float
    mass: float
    confidence: float


@dataclass(frozen=True)
class Findings:
    """The facts of a fitted model for a report.

    Attributes
    ----------
    headline : str
        What was found.
    verdict : str
        How sure its number of clusters is, in a sentence.
    shape : str
        What shape the reported clusters have, in a sentence; empty where they have none.
    how : list of str
        How it was found: the path, and the representatives where there are some.
    clusters : list of Cluster
        Largest first.
    candidates : list of Candidate
        Numbers of clusters that the paths offer, best first.
    reported : int or None
        Index of the candidate that the model reports; None where another number, or another
        path, was asked for than any of them.
    n_features : int
        Of the rows.
    reason : str
        Why the best candidate is best, and what was asked for where that is another.
    doubts : list of str
        The warnings of the fit, in words.
    noise_rows : int
        Rows that belong to no cluster.
    """

    headline: str
    verdict: str
    shape: str
    how: list[str]
    clusters: list[Cluster]
    candidates: list[Any]
    reported: int | None
    n_features: int
    reason: str
    doubts: list[str]
    noise_rows: int = 0

    @classmethod
    def of(cls, model: Any) -> Findings:
        """The findings of a fitted ``CAFHFCM``."""
        labels = model.labels_
        sizes = np.bincount(labels[labels >= 0], minlength=model.n_clusters_)
        reported = _reported(model)
        return cls(
            _headline(model),
            model.verdict_,
            _shape(model, reported),
            [_path(model), *_representatives(model)],
            [
                Cluster(label, int(rows), float(rows) / len(labels), float(mass), float(sure))
                for label, (rows, mass, sure) in enumerate(
                    zip(sizes, model.cluster_masses_, model.cluster_confidences_, strict=True)
                )
            ],
            model.selection_,
            reported,
            model.n_features_in_,
            _reason(model, reported),
            model.doubts_,
            int((labels < 0).sum()),
        )

    @property
    def by_likelihood(self) -> bool:
        """Whether candidates were judged by their likelihood, and have shapes and valleys."""
        return any(math.isfinite(one.likelihood) for one in self.candidates)

    def as_dict(self) -> dict[str, Any]:
        """The same ready for JSON: numbers that are not finite become None."""
        return {name: plain(value) for name, value in asdict(self).items()}


def plain(value: Any) -> Any:
    """A value that JSON has: lists, dicts, strings, and numbers that are finite, else None."""
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _reported(model: Any) -> int | None:
    """Which candidate the model reports: the best, unless something else was asked for.

    By likelihood a number has one candidate; else another level of its plateau may be meant.
    """
    for i, one in enumerate(model.selection_):
        level = model.paths_[one.membership].levels[one.level]
        same = (one.n_clusters, one.membership) == (model.n_clusters_, model.membership_)
        if same and (math.isfinite(one.likelihood) or level.gamma == model.gamma_):
            return i
    return None


def _reason(model: Any, reported: int | None) -> str:
    best = model.selection_[0]
    if reported == 0:
        return str(best.reason)
    if model.n_clusters is None and model.gamma is None:
        return (
            f"{count(model.n_clusters_, 'cluster')} of the best candidate's "
            f"{count(best.n_clusters, 'centroid')}. {best.reason}"
        )
    return (
        f"Reported as asked for: {count(model.n_clusters_, 'cluster')} ({model.membership_}). "
        f"Ranked first: {count(best.n_clusters, 'cluster')} ({best.membership}). {best.reason}"
    )


def shape_of(candidate: Any, n_features: int) -> str:
    """The shape of a candidate's clusters, as in "round, of equal spread, heavy tails"."""
    words = shape_words(candidate.covariance_type, candidate.n_clusters, n_features)
    return f"{words}, heavy tails" if candidate.heavy_tails else words


def _shape(model: Any, reported: int | None) -> str:
    kind = getattr(model, "covariance_type_", "")
    words = shape_words(kind, model.n_clusters_, model.n_features_in_)
    if not words:
        return ""
    tails = reported is not None and model.selection_[reported].heavy_tails
    ending = ", with heavy tails" if tails else ""
    return f"{'Cluster' if model.n_clusters_ == 1 else 'Clusters'} {words}{ending}."


def _headline(model: Any) -> str:
    where = path_words(model, model.membership_)
    if not by_loss(model.path_):
        where += f", gamma = {model.gamma_:.4g}"
    rows = int((model.labels_ < 0).sum())
    noise = f", {count(rows, 'row')} of noise" if rows else ""
    return (
        f"{count(len(model.labels_), 'row')}, {count(model.n_features_in_, 'feature')}: "
        f"{count(model.n_clusters_, 'cluster')}{noise} ({where})"
    )


def _path(model: Any) -> str:
    path = model.path_
    change = f"{len(path.dropped)} dropped as ghosts or twins"
    if by_loss(path):
        change = f"{path.levels[-1].gamma:.4g} nats of likelihood lost by all merges"
    return (
        f"path: {count(len(path.start), 'starting centroid')}, "
        f"{count(len(path.levels), 'level')}, {change}, "
        f"{model.n_iter_} passes over the rows"
    )


def _representatives(model: Any) -> list[str]:
    """The representatives of a large fit."""
    record = model.representatives_
    if record is None:
        return []
    ending = (
        f"settled on all rows in {count(record.n_iter, 'pass', 'passes')}"
        if record.polished
        else f"not settled on all rows: {record.note}"
    )
    return [
        f"representatives: {record.n_representatives} with "
        f"{100 * record.within_share:.2g} % of the scatter within them; {ending}"
    ]


def count(n: int, one: str, many: str = "") -> str:
    """As in "1 row" and "2 rows"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
