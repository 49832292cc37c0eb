"""Answers by sampling, for questions that are too large to answer exactly.

In: targets and evidence by position, a number of draws and a seed. Out: estimates with their
standard errors. Rows are drawn from parents to children by the kernel that draws samples; what is
given is not drawn but weighs the row (likelihood weighting). Only what bears on the targets is
drawn.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.network.discrete.evidence import Evidence
from bnsieve.network.discrete.exact import Answered, log_of_parts, split_parts
from bnsieve.network.discrete.model import Model, Values
from bnsieve.table import Codes, code_dtype

DEFAULT_DRAWS = 100_000
# Drawn at a time: a network of a thousand variables then takes 16 MB.
_BLOCK = 1 << 14
# Fewer effective draws are no answer.
_FEWEST = 10
# A draw has 63 bits, so that 2**63, "always below", is a threshold like any other.
_ONE = float(1 << 63)


def estimate(
    model: Model, scopes: Sequence[tuple[int, ...]], evidence: Evidence, n_draws: int, seed: int
) -> Answered:
    """Estimate the joint distribution of the variables of each scope.

    Returns
    -------
    Answered
        The standard error is that of a ratio of weighted sums, and at least one effective draw: a
        state that was never drawn need not be impossible.

    Raises
    ------
    ValueError
        If the draws are worth less than ten, given the evidence.
    """
    targets = sorted({v for scope in scopes for v in scope})
    logs, codes = _draw(model, targets, evidence, n_draws, seed)
    weights, n_effective = weights_of(logs)
    place = {v: i for i, v in enumerate(targets)}
    tables, errors = {}, {}
    for scope in scopes:
        shape = tuple(model.n_states[v] for v in scope)
        cells = np.ravel_multi_index([codes[place[v]] for v in scope], shape)
        shares, error = weighted_shares(cells, weights, math.prod(shape), n_effective)
        tables[scope], errors[scope] = shares.reshape(shape), error.reshape(shape)
    return Answered(tables, None, errors, n_effective)


def weighted_shares(
    cells: NDArray[np.intp], weights: Values, n_cells: int, n_effective: float
) -> tuple[Values, Values]:
    """Return each cell's share of the weights, and its standard error."""
    total = weights.sum()
    shares = np.bincount(cells, weights, n_cells) / total
    squares = np.bincount(cells, weights**2, n_cells)
    # The sum of w^2 (1 - p)^2 over draws of the cell, and of w^2 p^2 over the others.
    variance = squares * (1 - 2 * shares) + (weights**2).sum() * shares**2
    return shares, np.maximum(np.sqrt(np.maximum(variance, 0)) / total, 1 / n_effective)


def _draw(
    model: Model, targets: Sequence[int], evidence: Evidence, n_draws: int, seed: int
) -> tuple[Values, list[NDArray[np.int64]]]:
    """Return the logarithm of each draw's weight, and the targets' codes."""
    wanted, others = split_parts(model, targets, evidence)
    log_of_parts(model, others, evidence)  # refuses what is impossible
    tables = {v for part in wanted for v in part.tables}
    used = sorted(tables | {p for v in tables for p in model.parents[v]} | set(targets))
    row_of = {v: i for i, v in enumerate(used)}
    order = [v for v in model.order if v in tables]
    dtype = code_dtype(max(model.n_states[v] for v in used))
    logs = np.zeros(n_draws)
    kept = [np.empty(n_draws, dtype=np.int64) for _ in targets]
    for first in range(0, n_draws, _BLOCK):
        n = min(_BLOCK, n_draws - first)
        codes = np.zeros((len(used), n), dtype=dtype)
        for v in used:
            if v in evidence.hard:
                codes[row_of[v]] = evidence.hard[v]
        for v in order:
            if v in evidence.hard:
                cells = tuple(codes[row_of[w]] for w in model.family(v))
                with np.errstate(divide="ignore"):
                    logs[first : first + n] += np.log(model.tables[v][cells])
                continue
            parents = [row_of[p] for p in model.parents[v]]
            _draw_variable(codes, row_of[v], first, parents, model.tables[v], seed, v)
            if v in evidence.soft:
                with np.errstate(divide="ignore"):
                    logs[first : first + n] += np.log(evidence.soft[v])[codes[row_of[v]]]
        for target, out in zip(targets, kept, strict=True):
            out[first : first + n] = codes[row_of[target]]
    return logs, kept


def weights_of(logs: Values) -> tuple[Values, float]:
    """Return the weights of draws from their logarithms, and how many draws they are worth.

    Raises
    ------
    ValueError
        If they are worth less than ten.
    """
    top = logs.max()
    weights = np.exp(logs - top) if np.isfinite(top) else np.zeros(len(logs))
    total = weights.sum()
    n_effective = float(total**2 / (weights**2).sum()) if total > 0 else 0.0
    if n_effective < _FEWEST:
        raise ValueError(
            f"{len(logs):,} draws have an effective size of only {n_effective:.1f} given the "
            "evidence: it is too improbable, or impossible. Raise n_draws, or give less evidence."
        )
    return weights, n_effective


def sample_codes(
    order: Iterable[str],
    parents: Mapping[str, Sequence[str]],
    tables: Mapping[str, Values],
    n: int,
    seed: int,
    first_row: int,
) -> Codes:
    """Draw rows as positions of states, one array row per variable in the order of `parents`.

    Parameters
    ----------
    order : iterable of str
        The variables, parents first.
    parents, tables : mapping from str
        Each variable's parents and CPT.
    n, seed, first_row : int
        As in `bnsieve.BayesianNetwork.sample`.
    """
    position = {name: i for i, name in enumerate(parents)}
    most = max((table.shape[-1] for table in tables.values()), default=1)
    codes = np.empty((len(parents), n), dtype=code_dtype(most))
    for name in order:
        above = [position[parent] for parent in parents[name]]
        v = position[name]
        _draw_variable(codes, v, first_row, above, tables[name], seed, v)
    return codes


def _draw_variable(
    codes: Codes,
    row: int,
    first_row: int,
    parents: Sequence[int],
    table: Values,
    seed: int,
    stream: int,
) -> None:
    """Draw one row of `codes` given the rows of its parents."""
    shape = table.shape[:-1]
    strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    # A state of probability 0 makes no step and is never drawn, wherever it stands: sums are
    # divided by their own last value, which gives exactly 1 from the last possible state on.
    sums = np.cumsum(table.reshape(-1, table.shape[-1]), axis=1)
    thresholds = (sums[:, :-1] / sums[:, -1:] * _ONE).astype(np.uint64)
    state = np.random.SeedSequence(seed, spawn_key=(stream,)).generate_state(2, np.uint64)
    _native.sample_variable(
        codes,
        row,
        first_row,
        np.array(parents, dtype=np.int64),
        np.array(strides, dtype=np.int64),
        thresholds,
        state.astype(np.uint64, copy=False),
    )
