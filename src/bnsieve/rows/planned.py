"""`prepare`: any data and what the user says about its columns -> the plan of their preparation."""

from collections.abc import Mapping, Sequence
from typing import Any

from bnsieve.engine import open_engine
from bnsieve.rows.data import open_data
from bnsieve.table import Discretizer
from bnsieve.table.prepare import (
    PREPARATION_SEED,
    ColumnOverrides,
    Preparation,
    missing_texts_of,
    plan_columns,
)


def prepare(
    data: Any,
    *,
    roles: Mapping[str, str] | None = None,
    cut: Mapping[str, Sequence[float]] | None = None,
    missing_texts: Sequence[str] | Mapping[str, Sequence[str]] = (),
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    constants: bool = False,
    discretizer: Discretizer | None = None,
    seed: int = PREPARATION_SEED,
    n_jobs: int | None = None,
) -> Preparation:
    """Infer the role of each column of a table, and plan its preparation.

    All rows are looked at; the result is the same whatever the data comes in. Only where there are
    more than 50,000 rows, cuts and groups are found in so many of them, which are drawn by their
    numbers.

    Parameters
    ----------
    data : DataFrame, Arrow table, array, path, dataset or iterator
        As `fit` of a learner takes it.
    roles : mapping of str to str, optional
        The role of a column: "category", "quantity", "code", "date" ("date-dmy" or
        "date-mdy" where the order of day and month is in doubt), or, to be left out, "identifier",
        "constant" or "text". "blank" leaves the role to be found, and makes a category of missing
        cells. "spelling" leaves it too, and makes one category of those that differ only in case,
        spaces or accents.
    cut : mapping of str to sequence of float, optional
        Where columns of numbers are to be cut.
    missing_texts : sequence of str, or mapping of str to sequence of str
        Texts that stand for a missing cell; blank text always does. By column, they do there only:
        ``{"age": ["-9", "999"]}``, or ``["age=-9,999"]``.
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
    >>> frame = pd.DataFrame({"on": ["2024-01-31", "2024-02-01"] * 50, "ill": ["no", "yes"] * 50})
    >>> bn.prepare(frame)
    column  role      categories  missing  preparation                       examples
    on      date      2                    turned into on_month, on_weekday  2024-01-31, 2024-02-01
    ill     category  2                    used as it is                     no, yes
    """
    texts = missing_texts_of(missing_texts)
    overrides = ColumnOverrides(
        dict(roles or {}),
        dict(cut or {}),
        texts,
        tuple(drop),
        tuple(keep),
        constants,
        discretizer or Discretizer(),
    )
    with open_data(data, texts) as source, open_engine("local", n_jobs) as engine:
        return plan_columns(source.columns(engine, seed), overrides)
