"""A fitted learner asked for new rows, in the shape of the table that it was fitted to."""

import operator
from collections.abc import Mapping
from typing import Any, get_args
from weakref import WeakKeyDictionary

import pandas as pd
import pyarrow as pa
from sklearn.utils.validation import check_is_fitted

from bnsieve.engine import RandomState, one_thread_each, seed_of
from bnsieve.learners.explaining import determinism_of
from bnsieve.learners.fit_result import FitResult
from bnsieve.synthesize import Rare, RowDrawer, Synthesizer, relations_of, to_frame

# What makes the rows of a fit, so that a second call need not find the quantiles again.
_SYNTHESIZERS: WeakKeyDictionary[FitResult, Synthesizer] = WeakKeyDictionary()


def synthesize(
    learner: Any,
    n: int,
    where: Mapping[str, Any] | None = None,
    *,
    rare: Rare = "grouped",
    random_state: RandomState = None,
) -> pd.DataFrame:
    """Make new rows with the columns, types and formats of the table that was learned from.

    Variables are drawn from `network_`, numbers brought back to the values of the table by their
    quantiles, dates put together again, identifiers made anew, and cells left missing as they were.
    Functions, facts and implications that `determinism` lists hold in every row. Columns of free
    text, and those that were not read, are left out: ``frame.attrs["left_out"]`` says which and
    why. Rows are no one's, but this is no privacy guarantee.

    Parameters
    ----------
    n : int
        How many rows to make.
    where : mapping, optional
        Only rows like this: ``{"plan": "pro", "age": (30, 40)}``, a category, a number or date, or
        its lowest and highest value.
    rare : {"grouped", "drawn"}, default "grouped"
        Categories that were grouped because they are rare: written as the group, or drawn from it.
    random_state : int, RandomState, Generator or None, default None
        The same seed gives the same rows, and those of a smaller `n` are the first of them.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    ValueError
        If the learner was fitted over time, by entity, or without preparation; if a condition
        cannot be read, or hardly any row meets it.
    """
    n = operator.index(n)
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}.")
    if rare not in get_args(Rare):
        raise ValueError(f"rare must be 'grouped' or 'drawn', got {rare!r}.")
    with one_thread_each():
        synthesizer = synthesizer_of(learner)
        pieces = list(synthesizer.tables(n, where or {}, seed_of(random_state), rare))
        table = pa.concat_tables(pieces) if pieces else synthesizer.no_rows()
        frame = to_frame(table, synthesizer.record.columns)
    frame.attrs["left_out"] = synthesizer.left_out
    return frame


def synthesizer_of(learner: Any) -> Synthesizer:
    """Return what makes rows for a learner.

    Raises
    ------
    ValueError
        If the learner cannot make any, with the reason.
    """
    check_is_fitted(learner, "fit_result_")
    result: FitResult = learner.fit_result_
    if result not in _SYNTHESIZERS:
        _SYNTHESIZERS[result] = _synthesizer(learner, result)
    return _SYNTHESIZERS[result]


def _synthesizer(learner: Any, result: FitResult) -> Synthesizer:
    if result.timeline is not None:
        kind = "over time" if result.timeline.has_lags else "by entity"
        other = "; `forecast` draws what comes next" if result.timeline.has_lags else ""
        raise ValueError(
            f"this learner was fitted {kind}: its rows belong together, and rows that are made one "
            f"by one would not{other}. Fit it without time and by to make rows as if they were "
            "independent."
        )
    record = result.table_record
    if record is None:
        raise ValueError(
            "this learner does not remember the shape of its table: fit a frame or files with "
            "prepare='auto' or a Preparation"
        )
    parts = learner.network_.parts
    if result.preparation is not None:
        absent = {output.name for output in result.preparation.outputs} - {*parts.graph.nodes}
        if absent:
            raise ValueError(
                f"this network has only some of the columns, not {sorted(absent)[0]!r}: learn all "
                "columns to make rows of them"
            )
    edges = {name: result.rebinned.get(name, own.edges) for name, own in record.numbers.items()}
    relations = relations_of(determinism_of(result), parts.binned_states, parts.parents, parts.cpts)
    return Synthesizer(record, RowDrawer(parts, record.numbers, edges), relations)
