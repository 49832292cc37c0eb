"""Parts of dates in files, found once for each different day, beside pandas' calendar."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bnsieve.rows.prepared import Prepared
from bnsieve.table.prepare import Preparation
from bnsieve.table.prepare.plan import ColumnPlan, Output
from bnsieve.table.prepare.readings import DatePart

PARTS = {
    "year": lambda days: days.year,
    "month": lambda days: days.strftime("%b"),
    "weekday": lambda days: days.strftime("%a"),
}


def made(column, output, numbers=()):
    told = {"n_known": 1, "n_missing": 0, "n_categories": 1}
    one = ColumnPlan("day", "date", "days", "parts", **told, outputs=(output,))
    prepared = Prepared(Preparation((one,), len(column)))
    return prepared.recode("rows", {"day": column}, [output.name], numbers)[output.name]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("kind", [pa.date32(), pa.date64(), pa.timestamp("s")])
@pytest.mark.parametrize("blank", [None, "never"])
def test_parts_are_those_of_the_calendar(part, kind, blank):
    rng = np.random.default_rng(4)
    days = pd.Timestamp("1999-11-20") + pd.to_timedelta(rng.integers(0, 900, 500), "D")
    gone = rng.random(500) < 0.1
    column = pa.array(days.to_numpy().astype("datetime64[s]"), mask=gone).cast(kind)
    found = made(column, Output("part", DatePart("ymd", part), blank=blank))
    expected = np.where(gone, blank, PARTS[part](days).astype(object))
    cells = found.spread(found.texts, None) if blank else found.spread(found.values, -1)
    if blank:
        assert cells.tolist() == [str(one) for one in expected]
    else:
        known = ~gone
        assert found.missing.tolist() == gone.tolist()
        assert cells[known].tolist() == expected[known].tolist()


def test_parts_as_numbers():
    column = pa.array([0, None, 40, 0, 31], pa.int32()).cast(pa.date32())
    output = Output("month", DatePart("ymd", "month"))
    assert np.array_equal(made(column, output, ["month"]), [1, np.nan, 2, 1, 2], equal_nan=True)


@pytest.mark.parametrize("n_rows", [0, 3])
def test_without_a_day(n_rows):
    column = pa.nulls(n_rows, pa.date32())
    found = made(column, Output("month", DatePart("ymd", "month")))
    assert found.n_rows == n_rows
    assert found.missing.all()
