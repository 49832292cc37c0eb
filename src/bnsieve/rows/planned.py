"""`prepare`: any data and the user's overrides -> the plan of the preparation."""

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
    with_parameters,
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

    All rows are read, and the result does not depend on the form of the data. Bin edges and groups
    come from at most 50,000 rows, which are drawn by their numbers.

    Parameters
    ----------
    data : DataFrame, Arrow table, array, path, dataset or iterator
        The data, in any form that `fit` accepts.
    roles : mapping of str to str, optional
        The role of a column: "category", "quantity", "code", "date" ("date-dmy" or "date-mdy" if
        the order of day and month is in doubt). "identifier", "constant" and "text" leave the
        column out. With "blank", the role is inferred, and missing values become a category. With
        "spelling", it is inferred, and categories that differ only in case, spaces or accents are
        merged.
    cut : mapping of str to sequence of float, optional
        The bin edges of numeric columns.
    missing_texts : sequence of str, or mapping of str to sequence of str
        Texts that mean a missing value; blank text always does. A mapping applies them to single
        columns: ``{"age": ["-9", "999"]}``, or ``["age=-9,999"]``.
    drop : sequence of str
        Columns to leave out. They are not read.
    keep : sequence of str
        Columns to use although they look like identifiers.
    constants : bool, default False
        Whether columns with a single category are kept, without edges.
    discretizer : Discretizer, optional
        The method of binning; ``Discretizer()`` by default.
    seed : int, default 0
        The seed of the drawn rows.
    n_jobs : int or None, default None
        The number of threads that read files. The result is the same.

    Returns
    -------
    Preparation

    Raises
    ------
    ValueError
        If a named column or role does not exist; the message suggests the nearest one.

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
        return with_parameters(plan_columns(source.columns(engine, seed), overrides))
