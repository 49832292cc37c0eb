"""No row is lost for a missing cell: every row is in the counts of the columns that it has."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bnsieve as bn

pytestmark = pytest.mark.usefixtures("rows_stay_in_files")

N = 3_000


@pytest.fixture(scope="module")
def rows():
    """Independent columns of which most rows lack a cell, some all but one."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 3, (N, 4)).astype(str), columns=list("abcd"))
    frame = frame.astype(object).mask(rng.random(frame.shape) < 0.4, None)
    frame.loc[:9] = None
    assert frame.notna().all(axis=1).mean() < 0.2
    return frame.assign(whole=rng.choice(["x", "y"], N))


def of_frame(rows, folder):
    return rows


def of_csv(rows, folder):
    rows.to_csv(folder / "rows.csv", index=False)
    return folder / "rows.csv"


def of_parquet(rows, folder):
    path = folder / "rows.parquet"
    pq.write_table(pa.Table.from_pandas(rows, preserve_index=False), path, row_group_size=100)
    return path


def counted(learner):
    """Return how often each label, or gap, of each column was counted, without names."""
    assert learner.graph_.n_edges == 0, "or the tables are not of single columns"
    tables = learner.fit_result_.family_counts.tables
    return {name: sorted(table.counts.tolist()) for name, table in tables.items()}


def truth(rows):
    return {name: sorted(rows[name].value_counts(dropna=False).tolist()) for name in rows}


@pytest.mark.parametrize("source", [of_frame, of_csv, of_parquet])
@pytest.mark.parametrize(
    "settings",
    [{"missing": "category"}, {"missing": "testwise"}, {"missing": "testwise", "sample_rows": 500}],
    ids=["category", "testwise", "two passes"],
)
def test_every_row_is_counted(rows, tmp_path, source, settings):
    learner = bn.TsetlinSieve(random_state=0, n_jobs=1, **settings)
    assert counted(learner.fit(source(rows, tmp_path))) == truth(rows)


def test_every_row_is_counted_where_cells_are_filled(rows):
    learner = bn.TsetlinSieve(missing="em", random_state=0, n_jobs=1).fit(rows)
    assert {name: sum(counts) for name, counts in counted(learner).items()} == dict.fromkeys(
        rows, N
    )


@pytest.mark.parametrize("make", [bn.PC, bn.HitonPC, bn.FSMBPC, bn.TsetlinPC])
def test_every_row_is_counted_by_learners_that_test(rows, make):
    learner = make(alpha=1e-6, n_jobs=1).fit(rows)
    assert counted(learner) == truth(rows)
