"""`prepare`: from any data to its `Preparation`."""

from collections.abc import Mapping, Sequence
from typing import Any

from bnsieve.engine import open_engine
from bnsieve.rows.data import open_data
from bnsieve.table import Discretizer
from bnsieve.table.prepare import PREPARATION_SEED, ColumnOverrides, Preparation, plan_columns


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
        "constant" or "text". "blank" leaves the role to be found, and makes a category of missing
        cells.
    cut : mapping of str to sequence of float, optional
        Where columns of numbers are to be cut.
    missing_texts : sequence of str
        Texts that stand for a missing cell; blank text always does.
    drop, keep : sequence of str
        Columns to leave out, which are not looked at, and columns to use though they look like
        identifiers.
    constants : bool, default False
        Whether columns of one category are kept. They have no edges.
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
    column  taken for  categories  missing  what is done             examples
    seen    date       2                turned into seen_month, seen_weekday  2024-01-31, 2024-02-01
    ill     category   2                used as it is            no, yes
    """
    overrides = ColumnOverrides(
        dict(roles or {}),
        dict(cut or {}),
        tuple(missing_texts),
        tuple(drop),
        tuple(keep),
        constants,
        discretizer or Discretizer(),
    )
    with open_data(data, missing_texts) as source, open_engine("local", n_jobs) as engine:
        return plan_columns(source.columns(engine, seed), overrides)
