"""Answers by sampling, for questions that are too large to answer exactly.

In: targets and evidence by position, a number of draws and a seed. Out: estimates with their
standard errors. Rows are drawn from parents to children by the kernel that draws samples; what is
given is not drawn but weighs the row (likelihood weighting). Only what bears on the targets is
drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.network.discrete.evidence import Evidence
from bnsieve.network.discrete.exact import check_parts, split_parts
from bnsieve.network.discrete.model import Model, Values
from bnsieve.network.thresholds import strides, thresholds
from bnsieve.table import code_dtype

DEFAULT_DRAWS = 100_000
# Drawn at a time: a network of a thousand columns then takes 16 MB.
_BLOCK = 1 << 14
# Fewer effective draws are no answer.
_FEWEST = 10


@dataclass(frozen=True, eq=False)
class Estimated:
    """Tables of targets, each with its scope, their errors, and what the draws are worth."""

    tables: dict[tuple[int, ...], Values]
    errors: dict[tuple[int, ...], Values]
    n_effective: float


def estimate(
    model: Model,
    scopes: Sequence[tuple[int, ...]],
    evidence: Evidence,
    n_draws: int,
    seed: int,
) -> Estimated:
    """Estimate the joint distribution of the variables of each scope.

    Returns
    -------
    Estimated
        The standard error is that of a ratio of weighted sums, and at least one effective draw: a
        label that was never drawn need not be impossible.

    Raises
    ------
    ValueError
        If the draws are worth less than ten, given the evidence.
    """
    targets = sorted({v for scope in scopes for v in scope})
    logs, codes = _draw(model, targets, evidence, n_draws, seed)
    top = logs.max()
    weights = np.exp(logs - top) if top > -np.inf else np.zeros(n_draws)
    total = weights.sum()
    n_effective = float(total**2 / (weights**2).sum()) if total > 0 else 0.0
    if n_effective < _FEWEST:
        raise ValueError(
            f"{n_draws:,} draws are worth only {n_effective:.1f} given what is known: it is too "
            "improbable, or impossible. Raise n_draws, or give less."
        )
    place = {v: i for i, v in enumerate(targets)}
    tables, errors = {}, {}
    for scope in scopes:
        shape = tuple(model.n_levels[v] for v in scope)
        cells = np.ravel_multi_index([codes[place[v]] for v in scope], shape)
        n_cells = int(np.prod(shape))
        shares = np.bincount(cells, weights, n_cells) / total
        squares = np.bincount(cells, weights**2, n_cells)
        # The sum of w^2 (1 - p)^2 over draws of the cell, and of w^2 p^2 over the others.
        variance = squares * (1 - 2 * shares) + (weights**2).sum() * shares**2
        error = np.maximum(np.sqrt(np.maximum(variance, 0)) / total, 1 / n_effective)
        tables[scope] = shares.reshape(shape)
        errors[scope] = error.reshape(shape)
    return Estimated(tables, errors, n_effective)


def _draw(
    model: Model, targets: Sequence[int], evidence: Evidence, n_draws: int, seed: int
) -> tuple[Values, list[NDArray[np.int64]]]:
    """Return the logarithm of each draw's weight, and the targets' codes."""
    wanted, others = split_parts(model, targets, evidence)
    check_parts(model, others, evidence)
    tables = {v for part in wanted for v in part.tables}
    used = sorted(tables | {p for v in tables for p in model.parents[v]} | set(targets))
    row_of = {v: i for i, v in enumerate(used)}
    order = [v for v in model.order if v in tables]
    dtype = code_dtype(max(model.n_levels[v] for v in used))
    logs = np.zeros(n_draws)
    kept = [np.empty(n_draws, dtype=np.int64) for _ in targets]
    for first in range(0, n_draws, _BLOCK):
        n = min(_BLOCK, n_draws - first)
        codes = np.zeros((len(used), n), dtype=dtype)
        for v in used:
            if v in evidence.hard:
                codes[row_of[v]] = evidence.hard[v]
        for v in order:
            parents = np.array([row_of[p] for p in model.parents[v]], dtype=np.int64)
            if v in evidence.hard:
                cells = tuple(codes[row_of[w]] for w in model.family(v))
                with np.errstate(divide="ignore"):
                    logs[first : first + n] += np.log(model.tables[v][cells])
                continue
            stream = np.random.SeedSequence(seed, spawn_key=(v,))
            _native.sample_variable(
                codes,
                row_of[v],
                first,
                parents,
                strides(model.tables[v]),
                thresholds(model.tables[v]),
                stream.generate_state(2, np.uint64).astype(np.uint64, copy=False),
            )
            if v in evidence.soft:
                with np.errstate(divide="ignore"):
                    logs[first : first + n] += np.log(evidence.soft[v])[codes[row_of[v]]]
        for target, out in zip(targets, kept, strict=True):
            out[first : first + n] = codes[row_of[target]]
    return logs, kept
