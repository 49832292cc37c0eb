"""`prepare`: from any data to its `Preparation`."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bnsieve.engine import Engine, open_engine
from bnsieve.rows.read_input import Rows, at_rest, read_rows
from bnsieve.rows.recognise import is_source
from bnsieve.table import Discretizer
from bnsieve.table.prepare.frame_columns import FrameColumns
from bnsieve.table.prepare.planning import PREPARATION_SEED, Wishes, plan_columns
from bnsieve.table.prepare.preparation import Preparation


def prepare(
    data: Any,
    *,
    roles: Mapping[str, str] | None = None,
    cut: Mapping[str, Sequence[float]] | None = None,
    missing_texts: Sequence[str] = (),
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    constants: bool = False,
    discretizer: Discretizer | None = None,
    seed: int = PREPARATION_SEED,
    n_jobs: int | None = None,
) -> Preparation:
    """Say what each column of a table is taken for, and what is done about it.

    All rows are looked at; the result is the same whatever the data comes in. Only where there are
    more than 50,000 rows, cuts and groups are found in so many of them, which are drawn by their
    numbers.

    Parameters
    ----------
    data : DataFrame, Arrow table, array, path, dataset or iterator
        As `fit` of a learner takes it.
    roles : mapping of str to str, optional
        What a column is to be taken for: "category", "quantity", "code", "date" ("date-dmy" or
        "date-mdy" where the order of day and month is in doubt), or, to be left out, "identifier",
        "constant" or "text". "blank" leaves the role to be found, and makes a label of missing
        cells.
    cut : mapping of str to sequence of float, optional
        Where columns of numbers are to be cut.
    missing_texts : sequence of str
        Texts that stand for a missing cell; blank text always does.
    drop, keep : sequence of str
        Columns to leave out, which are not looked at, and columns to use though they look like
        identifiers.
    constants : bool, default False
        Whether columns of one label are kept. They have no edges.
    discretizer : Discretizer, optional
        How numbers are binned; ``Discretizer()`` if not given.
    seed : int, default 0
        Of the rows that are drawn.
    n_jobs : int or None, default None
        Threads that read files. The result is the same.

    Returns
    -------
    Preparation

    Raises
    ------
    ValueError
        If a column or role that is named does not exist; the message names the nearest.

    Examples
    --------
    >>> import bnsieve as bn
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"seen": ["2024-01-31", "2024-02-01"] * 50, "ill": ["no", "yes"] * 50})
    >>> bn.prepare(frame)
    column  taken for  levels  missing  what is done             examples
    seen    date       2                turned into seen_month, seen_weekday  2024-01-31, 2024-02-01
    ill     category   2                used as it is            no, yes
    """
    wishes = Wishes(
        dict(roles or {}),
        dict(cut or {}),
        tuple(missing_texts),
        tuple(drop),
        tuple(keep),
        constants,
        discretizer or Discretizer(),
    )
    with ExitStack() as stack:
        if not is_source(data):
            return plan_columns(FrameColumns(data, seed), wishes)
        engine = stack.enter_context(open_engine("local", n_jobs))
        if isinstance(data, str | Path) and not str(data).count("://"):
            path = stack.enter_context(at_rest(Path(data)))
            return plan_rows(read_rows(path, missing_texts), wishes, seed, engine, stack)
        return _plan_files(data, wishes, seed, engine, stack)


def plan_rows(
    rows: Rows, wishes: Wishes, seed: int, engine: Engine, stack: ExitStack
) -> Preparation:
    """Plan for the rows of files, which may have been read into memory."""
    if rows.frame is not None:
        return plan_columns(FrameColumns(rows.frame, seed), wishes)
    return _plan_files(rows.lying, wishes, seed, engine, stack)


def _plan_files(
    data: Any, wishes: Wishes, seed: int, engine: Engine, stack: ExitStack
) -> Preparation:
    from bnsieve.rows.file_columns import FileColumns
    from bnsieve.rows.opening import open_source

    source = stack.enter_context(open_source(data, numbers=True, anything=True))
    return plan_columns(FileColumns(source, engine, seed), wishes)
