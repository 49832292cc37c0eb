"""Dates that Python has not: before year 1, and the infinite ones of databases."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bnsieve as bn
from bnsieve.table import read_column
from bnsieve.table.prepare import facts as facts_module
from bnsieve.table.prepare.facts import ColumnFacts
from bnsieve.table.prepare.parsing import are_infinite, part_of

N = 600
DAY = 86_400
LAST = {32: 2**31 - 1, 64: 2**63 - 1}
# PostgreSQL counts from 2000, its ADBC driver from 1970: the sum passes the end of the type.
FROM_2000 = {32: 10_957, 64: 10_957 * DAY * 10**6}


def wrapped(number, bits):
    return (number + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


def infinite_dates():
    """Yield the two infinite dates of each type as DuckDB and PostgreSQL's driver deliver them."""
    units = [pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")]
    for type_ in (*units, pa.timestamp("us", "Europe/Berlin"), pa.date32()):
        bits = 32 if type_ == pa.date32() else 64
        yield pytest.param(type_, [LAST[bits], -LAST[bits]], id=f"duckdb {type_}")
    for type_, bits in (
        (pa.timestamp("us"), 64),
        (pa.timestamp("us", "UTC"), 64),
        (pa.date32(), 32),
    ):
        ends = [wrapped(end + FROM_2000[bits], bits) for end in (LAST[bits], -LAST[bits] - 1)]
        yield pytest.param(type_, ends, id=f"postgresql {type_}")


def typed(numbers, type_):
    return pa.array(numbers, pa.int32() if type_ == pa.date32() else pa.int64()).cast(type_)


@pytest.fixture(params=["frame", "arrow", "file"])
def given(request, tmp_path):
    def give(table):
        if request.param == "frame":
            return table.to_pandas(date_as_object=False)
        if request.param == "arrow":
            return table
        request.getfixturevalue("rows_stay_in_files")
        if table["at"].type == pa.timestamp("s"):
            pytest.skip("Parquet has no such type")
        pq.write_table(table, tmp_path / "rows.parquet", row_group_size=100)
        return tmp_path / "rows.parquet"

    return give


def rows_with(dates):
    rng = np.random.default_rng(0)
    kinds = pa.array(rng.choice(["a", "b", "c"], len(dates)))
    return pa.table({"kind": kinds, "at": dates})


def fitted(rows):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        learner = bn.TsetlinSieve(random_state=0).fit(rows)
    return learner, [str(one.message) for one in said]


def test_a_year_before_year_0_is_a_year(given):
    is_old = np.random.default_rng(1).random(N) < 0.3
    # 44 BC is the year -43 of astronomers, who have a year 0.
    days = np.where(is_old, np.datetime64("-0043-03-15"), np.datetime64("2024-01-01"))
    learner, _ = fitted(given(rows_with(pa.array(days))))
    assert learner.network_.states["at_year"] == (-43, 2024)
    found = learner.network_.sample(1_000, random_state=0)["at_year"].astype(int)
    assert (found < 0).mean() == pytest.approx(is_old.mean(), abs=0.06)
    assert len(learner.synthesize(50)) == 50


def test_parts_before_year_0():
    times = np.array(["-0043-03-15T13:00:00", "NaT"], dtype="datetime64[s]")
    assert part_of(times, "year")[0] == -43
    assert part_of(times, "month")[0] == 3
    assert part_of(times, "hour")[0] == 13
    assert all(np.isnan(part_of(times, part)[1]) for part in ("year", "month", "weekday", "hour"))


@pytest.mark.parametrize(("type_", "ends"), list(infinite_dates()))
def test_what_databases_deliver_for_infinity(type_, ends):
    times = read_column(typed([0, *ends, None], type_)).values
    assert are_infinite(times).tolist() == [False, True, True]


def test_far_dates_are_finite():
    """The first and last dates of Python and of PostgreSQL's calendar, and codes for never."""
    known = ["0001-01-01", "9999-12-31", "-4712-01-01", "2262-04-11", "1677-09-22", "NaT"]
    assert not are_infinite(np.array(known, dtype="datetime64[s]")).any()


@pytest.mark.parametrize(("type_", "ends"), list(infinite_dates()))
def test_infinite_dates_are_missing_and_told(given, type_, ends):
    per_day = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
    step = 1 if type_ == pa.date32() else DAY * per_day[type_.unit]
    days = np.random.default_rng(2).integers(19_000, 19_900, N) * step
    days[[10, 200]] = ends
    learner, said = fitted(given(rows_with(typed(days, type_))))
    assert said == [
        "2 odd cells of at, such as 'infinity' in row 11, are read as missing; see preparation_"
    ]
    column = learner.preparation_["at"]
    assert (column.n_known, column.n_missing, column.n_odd) == (N - 2, 2, 2)
    years = {state for state in learner.network_.states["at_year"] if isinstance(state, int)}
    assert years <= {2022, 2023, 2024}, "the years of days 19,000 to 19,900"


def test_infinite_dates_are_never_lost(monkeypatch):
    monkeypatch.setattr(facts_module, "_NUMBERS", 10)
    times = np.arange(1000).astype("datetime64[D]").astype("datetime64[us]")
    times[777] = np.datetime64(LAST[64], "us")
    values = ColumnFacts.of(read_column(pd.Series(times))).distinct.values
    assert len(values) == 10
    assert are_infinite(values).sum() == 1


def test_a_zones_clock_beyond_pythons_years():
    """The clock of a zone stays where pandas knows it, beside dates for which it does not."""
    summer = pd.Timestamp("2024-07-01 12:00", tz="Europe/Berlin")
    cells = typed([summer.value // 1000, -LAST[64]], pa.timestamp("us", "Europe/Berlin"))
    assert str(read_column(cells).values[0]) == "2024-07-01T12:00:00"


def test_an_infinite_date_is_missing_but_no_unread_text():
    days = typed([19_000 + 40 * i for i in range(30)], pa.date32())
    plan = bn.prepare(rows_with(days))
    later = rows_with(typed([19_000, LAST[32]], pa.date32()))
    assert plan.missing(later)["at_year"].tolist() == [False, True]
    assert not plan.unread(later)["at"].any()
