"""Roles of the columns of twelve tables: as a frame, as CSV and as Parquet."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from bnsieve import prepare
from real_tables import TABLES

N_ROWS = 2_000
EACH = pytest.mark.parametrize("name", TABLES)

# Where so few rows do not show what a column is; with more rows they are what they should be.
TOO_FEW_ROWS = {
    ("sales", "sku"): "identifier",
    ("claims", "icd10_secondary"): "identifier",
    ("export", "PLZ"): "identifier",
    ("claims", "provider"): "identifier",
    # Ticked in one basket of fifty: 40 ticks.
    **{
        ("baskets", name): "constant"
        for name in TABLES["baskets"].roles
        if name.endswith(("_11", "_12"))
    },
}


@cache
def plan_of(name):
    return prepare(TABLES[name].frame(N_ROWS))


@EACH
def test_every_column_has_its_role(name):
    expected = {column: role.split("|") for column, role in TABLES[name].roles.items()}
    for (table, column), role in TOO_FEW_ROWS.items():
        if table == name:
            expected[column].append(role)
    found = {column.name: column.role for column in plan_of(name).columns}
    assert list(found) == list(expected)
    wrong = {column: role for column, role in found.items() if role not in expected[column]}
    assert wrong == {}


@EACH
def test_what_matters_is_kept_and_what_does_not_is_left_out(name):
    truth = TABLES[name]
    plans = {column.name: column for column in plan_of(name).columns}
    few = {column for table, column in TOO_FEW_ROWS if table == name}
    # A date may be what the time until another is counted from.
    outputs = [output for plan in plans.values() for output in plan.outputs]
    used = {getattr(output.reading, "since", None) for output in outputs} | few
    assert [one for one in truth.matter if not plans[one].outputs and one not in used] == []
    assert [column for column in truth.out if plans[column].outputs] == []
    # Of a date parts are learned from, never the date.
    for column in truth.dates:
        assert column not in [output.name for output in plans[column].outputs]


@EACH
@pytest.mark.parametrize("parquet", [False, True], ids=["csv", "parquet"])
def test_files_have_the_same_roles(name, parquet, tmp_path):
    table = TABLES[name]
    write = table.write_parquet if parquet else table.write_csv
    path = write(tmp_path, N_ROWS)
    frame, file = plan_of(name), prepare(path)
    for one, other in zip(frame.columns, file.columns, strict=True):
        assert (other.name, other.role) == (one.name, one.role)
        assert [output.name for output in other.outputs] == [output.name for output in one.outputs]
        assert [output.blank for output in other.outputs] == [
            output.blank for output in one.outputs
        ]
        assert (other.n_missing, other.n_categories) == (one.n_missing, one.n_categories), one.name


@EACH
def test_missing_cells_and_levels_are_those_of_the_table(name):
    frame = TABLES[name].frame(N_ROWS)
    for column in plan_of(name).columns:
        cells = frame[column.name]
        blank = cells.isna() | cells.astype(str).str.isspace()
        assert column.n_known + column.n_missing == N_ROWS
        odd = sum(one.n_cells for one in column.odd if one.read_as == "missing")
        assert column.n_missing == blank.sum() + odd, column.name
        if column.exact and not column.odd:
            assert column.n_categories == cells[~blank].nunique(), column.name


def test_ticks_that_are_rare_are_kept_if_they_go_with_others():
    rng = np.random.default_rng(0)
    n = 20_000
    first = rng.random(n) < 0.03
    second = rng.random(n) < np.where(first, 0.15, 0.02)
    data = pd.DataFrame(
        {
            "first": np.where(first, "x", None),
            "second": np.where(second, "x", None),
            "alone": np.where(rng.random(n) < 0.03, "x", None),
            "other": rng.choice(["a", "b"], n),
        }
    )
    roles = {column.name: column.role for column in prepare(data).columns}
    # Cramer's V of the two is below 0.2: what is rare cannot tell more.
    assert roles == dict.fromkeys(("first", "second", "other"), "category") | {"alone": "constant"}
