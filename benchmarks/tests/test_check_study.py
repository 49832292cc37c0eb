"""The studies of check change what they say, judge what comes first, and leave the rest alone."""

import numpy as np
import pytest

from benchmarks.check.changes import CELLS, COPIES, batch_of, changed_network, drawn, kinds_of
from benchmarks.check.power import named_by
from benchmarks.check.rows import corrupted, samples
from benchmarks.check.study import report
from benchmarks.common.runs import append, read_runs
from bnsieve import load_network
from bnsieve.check import Check, Mechanism, SchemaChange
from bnsieve.check.result import Cause, Margin


@pytest.mark.parametrize("kind", [kind for kind in CELLS if kind != "duplicated rows"])
def test_cells_change_in_the_columns_that_are_named(kind):
    batch = batch_of("machines", kind, 1.0, 200, 5)
    rows = drawn("machines", 200, 5)
    # The rows come in another order.
    differs = {
        name
        for name in rows
        if sorted(batch.rows[name].astype(str)) != sorted(rows[name].astype(str))
    }
    assert differs == batch.right


def test_copies_are_rows_learned_from():
    batch = batch_of("cancer", "duplicated rows", 0.2, 500, 1)
    assert batch.right == {COPIES}
    assert len(batch.rows) == 500


def test_a_lost_effect_leaves_the_margin_as_it_was():
    network = load_network("asia")
    rng = np.random.default_rng(3)
    changed, right = changed_network(network, "lost effect", rng)
    (name,) = right
    before, after = (one.query(name, interval=None).probabilities for one in (network, changed))
    assert after == pytest.approx(before)
    table = changed.tables[name].reshape(-1, len(before))
    assert np.allclose(table, table[0])


@pytest.mark.parametrize("kind", ["moved margin", "reversed effect", "new dependence"])
def test_one_mechanism_changes(kind):
    network = load_network("asia")
    changed, right = changed_network(network, kind, np.random.default_rng(1))
    differs = {
        name
        for name in network.graph.nodes
        if changed.tables[name].shape != network.tables[name].shape
        or not np.allclose(changed.tables[name], network.tables[name])
    }
    assert differs <= right
    assert len(differs) == 1
    assert (changed.graph == network.graph) == (kind != "new dependence")


def test_numbers_and_hours_are_in_one_table_only():
    assert "clock shift" in kinds_of("machines")
    assert not {"clock shift", "unit x10"} & set(kinds_of("alarm"))


def test_the_first_line_of_the_report_comes_first():
    found = Check(
        n_before=10,
        n_after=10,
        level=0.05,
        schema=(SchemaChange("copies", "", "", 1e-4),),
        margins=(Margin("b", 1e-9, 0.5, None, True, follows_from=("c",)),),
        mechanisms=(Mechanism("c", (), 1e-8, 0.1, None, True),),
        dependence=(),
        rows=(),
        rows_p_value=1.0,
        causes=(
            Cause("mechanism", ("c", "e"), "the mechanism of c or e", 1e-8),
            Cause("schema", (), "copies of rows", 1e-4),
        ),
    )
    assert named_by(found) == [("c", "e"), (COPIES,)]


def test_one_cell_of_each_wrong_row_is_another():
    _, rows = samples("cancer", 0)
    changed, wrong = corrupted(rows, 0)
    differs = changed.to_numpy() != rows.to_numpy()
    assert len(wrong) == 20
    assert differs.sum(axis=1)[list(wrong)].tolist() == [1] * 20
    assert differs.sum() == 20
    assert all(changed[name].iloc[row] != rows[name].iloc[row] for row, name in wrong.items())


def test_alarms_beyond_chance_miss_the_bar(tmp_path):
    alarms = {"schema": 0, "margins": 3, "mechanisms": 40, "rows": 0}
    run = {"table": "asia", "size": 200, "block": 0, "batches": 100, **alarms, "cpu_seconds": 1.0}
    append(tmp_path / "runs.csv", [run])
    lines, wrong = report(read_runs(tmp_path / "runs.csv"))
    assert wrong == ["mechanisms, asia, 200 rows: 40.0%"]
    assert "| asia | 3.0% (100) |  |  |" in lines
