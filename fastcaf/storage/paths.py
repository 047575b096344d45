"""Paths as columns of numbers, and back with every check.

The merges that are read must make a tree, and the centroids of every level must be its nodes at
that number of clusters.  So no cut of a path that was read can fail.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastcaf.fusion.hierarchy import Merge, MergeKind, Tree
from fastcaf.fusion.level import Level, Path
from fastcaf.fusion.pair_weights import NO_EDGES
from fastcaf.fusion.pruning import Dropped, Kind
from fastcaf.memberships import MODELS
from fastcaf.memberships.noise import OFF
from fastcaf.storage.archive import DamagedError, Reader, Writer
from fastcaf.storage.fields import LARGEST_COUNT, Fields
from fastcaf.storage.records import checked, read_models, shapes_of, write_models

__all__ = ["read_path", "write_path"]

MERGE_KINDS: tuple[MergeKind, ...] = ("fused", "dropped", "beyond")
DROPPED_KINDS: tuple[Kind, ...] = ("ghost", "twin")
# Stands for an objective beyond the range of floats, which is infinite: files have no infinity.
LARGEST = np.finfo(np.float64).max
FOREIGN = "a level has centroids that are no nodes of the tree at its number of clusters"


def write_path(path: Path, name: str, out: Writer) -> dict[str, Any]:
    """The columns of a path as arrays whose names begin with ``name``; its counts and texts."""
    _write_levels(path.levels, name, out)
    merges, dropped = path.merges, path.dropped
    joined = [
        (one.first, one.second, *one.sizes, MERGE_KINDS.index(one.kind), one.survivor)
        for one in merges
    ]
    dropped_counts = [(one.node, DROPPED_KINDS.index(one.kind)) for one in dropped]
    out.add(f"{name}_start", path.start)
    out.add(f"{name}_merge_counts", _table(joined, 6), np.int64)
    out.add(f"{name}_dropped_counts", _table(dropped_counts, 2), np.int64)
    out.add(f"{name}_merge_numbers", _table([(one.gamma, one.distance) for one in merges], 2))
    out.add(f"{name}_dropped_numbers", _table([(one.gamma, one.mass) for one in dropped], 2))
    places = _table([one.centroid for one in dropped], path.start.shape[1])
    out.add(f"{name}_dropped_places", places)
    return {
        "n_start": len(path.start),
        "n_levels": len(path.levels),
        "model": path.levels[0].model.name,
        "by_loss": path.levels[0].by_loss,
        **shapes_of(path.levels[0].model),
        "by_mass": path.levels[0].by_mass,
        **({"neighbours": True} if len(path.levels[0].edges) else {}),
        "interrupted": bool(path.interrupted),
        "reasons": [one.reason for one in dropped],
    }


def _write_levels(levels: list[Level], name: str, out: Writer) -> None:
    """All levels, one under the other."""
    for column in ("centroids", "weight", "mass", "rows", "pair_mass", "history"):
        whole = np.concatenate([getattr(one, column) for one in levels])
        out.add(f"{name}_{column}", _storable(whole) if column == "history" else whole)
    out.add(f"{name}_nodes", np.concatenate([one.nodes for one in levels]), np.int64)
    objectives = _storable(np.array([one.objective for one in levels])).tolist()
    numbers = [
        (one.gamma, objective, one.duality_gap, one.within)
        for one, objective in zip(levels, objectives, strict=True)
    ]
    counts = [(one.n_clusters, one.n_iter, one.n_sweeps, one.converged) for one in levels]
    out.add(f"{name}_level_numbers", _table(numbers, 4))
    out.add(f"{name}_level_counts", _table(counts, 4), np.int64)
    write_models(name, [one.model for one in levels], out)
    if len(levels[0].edges):
        out.add(f"{name}_edges", np.concatenate([one.edges for one in levels]))
        out.add(f"{name}_edge_counts", np.array([len(one.edges) for one in levels]), np.int64)
    if levels[0].model.noise < OFF:
        out.add(f"{name}_noise_mass", np.array([one.noise_mass for one in levels]))


def _storable(objectives: NDArray) -> NDArray:
    return np.where(np.isposinf(objectives), LARGEST, objectives)


def _restored(objectives: NDArray) -> NDArray:
    return np.where(objectives == LARGEST, np.inf, objectives)


def _table(rows: list[Any], n_columns: int) -> NDArray:
    """Rows of numbers; an empty table still has its columns."""
    return np.array(rows).reshape(-1, n_columns)


def read_path(fields: Fields, name: str, reader: Reader, d: int) -> Path:
    """The path over d features that ``write_path`` stored under this name."""
    columns = _Columns(reader, name)
    n_start = fields.integer("n_start", 1)
    start = columns.numbers("start", (n_start, d))
    try:
        tree = Tree(n_start, _read_merges(columns, n_start))
    except ValueError as problem:
        raise DamagedError(f"{name}: {problem}") from None
    levels = _read_levels(fields, columns, n_start, d)
    for level in levels:
        nodes = tree.alive_at(level.n_clusters)
        checked(np.array_equal(nodes, np.sort(level.nodes)), f"{name}: {FOREIGN}")
    dropped = _read_dropped(fields, columns, n_start, d)
    return Path(start, levels, tree, dropped, fields.flag("interrupted"))


class _Columns:
    """The arrays of one path."""

    def __init__(self, reader: Reader, name: str) -> None:
        self.reader, self.name = reader, name

    def numbers(self, column: str, shape: tuple[int, ...]) -> NDArray:
        return self.reader.array(f"{self.name}_{column}", shape)

    def positive(self, column: str, shape: tuple[int, ...]) -> NDArray:
        values = self.numbers(column, shape)
        checked(values >= 0.0, f"{self.name}_{column} has numbers below 0")
        return values

    def counts(self, column: str, shape: tuple[int, ...], least: int = 0) -> NDArray[np.int64]:
        values = self.reader.array(f"{self.name}_{column}", shape, np.int64)
        checked(
            (values >= least) & (values <= LARGEST_COUNT),
            f"{self.name}_{column} has impossible numbers",
        )
        return values


def _read_levels(fields: Fields, columns: _Columns, n_start: int, d: int) -> list[Level]:
    name, n = columns.name, fields.integer("n_levels", 1)
    counts = columns.counts("level_counts", (n, 4))
    sizes = counts[:, 0]
    checked((sizes >= 1) & (sizes <= n_start), f"{name}: levels have impossible sizes")
    checked(np.diff(sizes) <= 0, f"{name}: numbers of clusters rise")
    checked(counts[:, 3] <= 1, f"{name}: a flag of convergence is neither 0 nor 1")
    numbers = columns.numbers("level_numbers", (n, 4))
    gammas = numbers[:, 0]
    checked(np.diff(gammas, prepend=0.0) >= 0.0, f"{name}: gammas fall")
    checked(numbers[:, 3] >= 0.0, f"{name}: distances within clusters are below 0")
    objectives = _restored(numbers[:, 1])
    kind = fields.choice("model", tuple(MODELS))
    models = read_models(kind, name, fields, columns.reader, sizes.tolist())
    by_loss, noise = fields.flag("by_loss"), np.zeros(n)
    if models[0].noise < OFF:
        noise = columns.numbers("noise_mass", (n,))
        checked(noise >= 0.0, f"{name}: the noise holds less than nothing")
    edges = _read_edges(fields, columns, sizes)
    arrays = _arrays_of_levels(columns, counts, fields.flag("by_mass"), d)
    return [
        Level(
            gamma=float(numbers[i, 0]),
            objective=float(objectives[i]),
            duality_gap=float(numbers[i, 2]),
            n_iter=int(counts[i, 1]),
            n_sweeps=int(counts[i, 2]),
            converged=bool(counts[i, 3]),
            within=float(numbers[i, 3]),
            noise_mass=float(noise[i]),
            model=models[i],
            by_loss=by_loss,
            edges=edges[i],
            **arrays[i],
        )
        for i in range(n)
    ]


def _read_edges(fields: Fields, columns: _Columns, sizes: NDArray[np.int64]) -> list[NDArray]:
    """For every level the edges between neighbours.  Files name them where there are some."""
    if "neighbours" not in fields.record:
        return [NO_EDGES] * len(sizes)
    checked(fields.flag("neighbours"), f"{columns.name}: 'neighbours' is false")
    counts = columns.counts("edge_counts", (len(sizes),))
    most = sizes * (sizes - 1) // 2
    checked(counts <= most, f"{columns.name}: a level has more edges than pairs")
    whole = columns.positive("edges", (sum(counts.tolist()), 3))
    ends, n = whole[:, :2], np.repeat(sizes, counts)
    good = (ends == np.floor(ends)).all(axis=1) & (ends[:, 0] < ends[:, 1]) & (ends[:, 1] < n)
    checked(good, f"{columns.name}: an edge is between no two centroids of its level")
    return np.split(whole, np.cumsum(counts)[:-1])


def _arrays_of_levels(
    columns: _Columns, counts: NDArray[np.int64], by_mass: bool, d: int
) -> list[dict[str, Any]]:
    """For every level its arrays, by name."""
    sizes, n_iter = counts[:, 0], counts[:, 1]
    total, passes = sum(sizes.tolist()), sum(n_iter.tolist())
    weighed = sizes if by_mass else np.zeros_like(sizes)
    whole = {
        "centroids": (columns.numbers("centroids", (total, d)), sizes),
        "nodes": (columns.counts("nodes", (total,)), sizes),
        "weight": (columns.positive("weight", (total,)), sizes),
        "mass": (columns.positive("mass", (total,)), sizes),
        "rows": (columns.positive("rows", (total,)), sizes),
        "pair_mass": (columns.positive("pair_mass", (total if by_mass else 0,)), weighed),
        "history": (_restored(columns.numbers("history", (passes, 2))), n_iter),
    }
    split = [np.split(values, np.cumsum(lengths)[:-1]) for values, lengths in whole.values()]
    return [dict(zip(whole, arrays, strict=True)) for arrays in zip(*split, strict=True)]


def _read_merges(columns: _Columns, n_start: int) -> list[Merge]:
    n = n_start - 1
    counts = columns.counts("merge_counts", (n, 6), least=-1)
    numbers = columns.positive("merge_numbers", (n, 2))
    checked(
        (counts[:, 4] >= 0) & (counts[:, 4] < len(MERGE_KINDS)),
        f"{columns.name}: merges of an unknown kind",
    )
    return [
        Merge(gamma, first, second, distance, (one, other), MERGE_KINDS[kind], survivor)
        for (first, second, one, other, kind, survivor), (gamma, distance) in zip(
            counts.tolist(), numbers.tolist(), strict=True
        )
    ]


def _read_dropped(fields: Fields, columns: _Columns, n_start: int, d: int) -> list[Dropped]:
    reasons = fields.texts("reasons")
    n, name = len(reasons), columns.name
    counts = columns.counts("dropped_counts", (n, 2))
    checked(counts[:, 0] < 2 * n_start, f"{name}: a dropped centroid is no node of the tree")
    checked(counts[:, 1] < len(DROPPED_KINDS), f"{name}: dropped centroids of unknown kind")
    numbers = columns.positive("dropped_numbers", (n, 2))
    places = columns.numbers("dropped_places", (n, d))
    return [
        Dropped(gamma, node, place, mass, DROPPED_KINDS[kind], reason)
        for (node, kind), (gamma, mass), place, reason in zip(
            counts.tolist(), numbers.tolist(), places, reasons, strict=True
        )
    ]
