"""`synthesize`: synthetic rows from a fitted learner, in the format of its training table."""

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
    """Draw synthetic rows with the columns, types and formats of the training table.

    The variables are drawn from `network_`. Numbers are mapped back to the quantiles of their
    column, dates are composed of their parts, identifiers are new, and missing values occur as in
    the training rows. Functions, facts and implications that `determinism` lists hold in every row.
    Free text and columns that were not read are left out; ``frame.attrs["left_out"]`` lists them
    with reasons. Synthetic rows do not guarantee privacy.

    Parameters
    ----------
    n : int
        The number of rows.
    where : mapping, optional
        Conditions that every row meets, such as ``{"plan": "pro", "age": (30, 40)}``: a category, a
        number, a date, or a pair of the lowest and the highest value.
    rare : {"grouped", "drawn"}, default "grouped"
        Whether rare categories that the fit grouped stay grouped, or one of them is drawn for each
        row. "drawn" also draws codes that stand in several rows, such as article codes, instead of
        new ones.
    random_state : int, RandomState, Generator or None, default None
        The same seed gives the same rows. With a smaller `n`, they are the first of these rows.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    ValueError
        If the learner was fitted with `time` or `by`, or without preparation; if a condition cannot
        be read, or hardly any row meets it.
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
    """Return the synthesizer of a learner.

    Raises
    ------
    ValueError
        If the learner cannot synthesize rows; the message gives the reason.
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
            f"this learner was fitted {kind}: its rows depend on each other, and synthetic rows "
            f"would not{other}. Fit it without time and by to draw independent rows."
        )
    record = result.table_record
    if record is None:
        raise ValueError(
            "this learner has no record of its table: fit a frame or files with "
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
    spreads = {name: float(own.values.std()) for name, own in record.numbers.items()}
    relations = relations_of(
        determinism_of(result), spreads, parts.binned_states, parts.parents, parts.cpts
    )
    return Synthesizer(record, RowDrawer(parts, record.numbers, edges), relations)
