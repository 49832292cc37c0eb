"""What follows for a fit whose rows are not independent: a warning, nothing confirmed."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app
from bnsieve.rows import dependent_rows, open_data
from bnsieve.table import DependentRowsWarning


def drifting(n_rows, seed=0):
    """Return chains of states, and a collider of two of them, whose directions tests confirm."""
    rng = np.random.default_rng(seed)
    states = rng.random((n_rows, 3)) < 0.4
    for t in range(1, n_rows):
        stays = rng.random(3) < 0.6
        states[t, stays] = states[t - 1, stays]
    frame = pd.DataFrame(states, columns=["a", "b", "d"])
    wrong = rng.random(n_rows) < 0.05
    frame["c"] = (frame["a"] | frame["b"]) ^ wrong
    return frame.astype(str)


@pytest.fixture(scope="module")
def learner():
    with pytest.warns(DependentRowsWarning, match="successive rows depend on each other"):
        return bn.TsetlinSieve(random_state=0, n_jobs=1).fit(drifting(1_500))


def test_confirmed_directions_are_withheld(learner):
    frame = drifting(1_500)
    shuffled = frame.sample(frac=1, random_state=0).reset_index(drop=True)
    apart = bn.TsetlinSieve(random_state=0, n_jobs=1).fit(shuffled)
    assert apart.fit_result_.dependence is None
    assert apart.confirmed_edges_
    assert learner.confirmed_edges_ == ()
    assert learner.graph_.n_edges > 0


def test_strengths_are_withheld(learner):
    with pytest.warns(DependentRowsWarning, match="edge strengths are not valid"):
        strengths = learner.bootstrap(2)
    assert strengths.n_replicates == 2
    assert learner.strengths_ is None
    assert learner.fit_result_.replicate_dags == ()


def test_a_notebook_and_the_report_say_it_first(learner, tmp_path):
    assert "depend on each other" in learner._repr_html_inner()
    learner.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert 0 < page.index("Successive rows depend on each other") < page.index('id="graph"')
    assert "time= of TsetlinSieve" in page


def test_a_saved_learner_keeps_it(learner, tmp_path):
    learner.save(tmp_path / "learner")
    loaded = bn.load(tmp_path / "learner")
    assert loaded.fit_result_.dependence == learner.fit_result_.dependence


def test_it_stays_after_an_update(learner, tmp_path):
    learner.save(tmp_path / "learner")
    loaded = bn.load(tmp_path / "learner")
    loaded.update(drifting(200, seed=1))
    assert loaded.fit_result_.dependence == learner.fit_result_.dependence
    assert loaded.confirmed_edges_ == ()


def test_a_timeline_settles_it():
    frame = drifting(600)
    frame["step"] = np.arange(600)
    learner = bn.TsetlinSieve(random_state=0, n_jobs=1, time="step").fit(frame)
    assert learner.fit_result_.dependence is None


def test_the_blanket_of_a_target_says_it():
    with pytest.warns(DependentRowsWarning) as caught:
        blanket = bn.learn_blanket(drifting(1_000), "c", bn.TsetlinSieve(random_state=0, n_jobs=1))
    assert len(caught) == 1
    assert blanket.learner.fit_result_.dependence is not None


def sources(frame: pd.DataFrame, folder: Path):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    frame.to_csv(folder / "rows.csv", index=False)
    pq.write_table(table, folder / "rows.parquet", row_group_size=500)
    return {
        "frame": frame,
        "arrow": table,
        "array": frame.to_numpy(),
        "csv": folder / "rows.csv",
        "parquet": folder / "rows.parquet",
        "iterator": lambda: iter(table.to_batches(max_chunksize=300)),
    }


def test_every_source_is_looked_at(tmp_path):
    rng = np.random.default_rng(0)
    dependent = sources(drifting(4_000), tmp_path)
    for name, data in dependent.items():
        with open_data(data) as rows:
            assert dependent_rows(rows, bn.prepare(rows)) is not None, name
    independent = sources(
        pd.DataFrame(rng.choice(["u", "v"], (4_000, 4)), columns=list("abcd")), tmp_path
    )
    for name, data in independent.items():
        with open_data(data) as rows:
            assert dependent_rows(rows, bn.prepare(rows)) is None, name


def test_few_row_groups_are_read(tmp_path):
    """No further pass: of 400 groups the first rows of eight."""
    frame = drifting(4_000)
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "rows.parquet", row_group_size=10)
    with open_data(tmp_path / "rows.parquet") as rows:
        stretches = rows.consecutive(rows.names, 20_000)
    assert stretches.lengths == (10,) * 8
    column = stretches.columns["a"]
    assert column.spread(column.values, None)[:10].tolist() == frame["a"][:10].tolist()


def test_the_command_line_advises_options(tmp_path):
    rng = np.random.default_rng(0)
    machine = np.repeat(np.arange(300), 5)
    level = rng.normal(size=(300, 4))[machine] + rng.normal(size=(1_500, 4))
    frame = pd.DataFrame(level, columns=list("wxyz")).round(3)
    frame["at"] = np.tile(pd.date_range("2024-01-01", periods=5, freq="D").astype(str), 300)
    frame["machine"] = [f"M{number:03}" for number in machine]
    path, folder = tmp_path / "rows.csv", tmp_path / "out"
    frame.to_csv(path, index=False)
    described = CliRunner().invoke(app, ["describe", str(path)])
    assert "--time at --by machine" in described.output
    options = ["-o", str(folder), "-j", "1", "--bootstrap", "2"]
    learned = CliRunner().invoke(app, ["learn", str(path), *options])
    assert learned.stdout.startswith("warning")
    assert "--time at --by machine" in " ".join(learned.stdout.split())
    assert "DependentRowsWarning" not in learned.output
    record = json.loads((folder / "run.json").read_text())
    assert (record["dependence"]["time"], record["dependence"]["by"]) == ("at", "machine")
    assert "strength" not in (folder / "edges.csv").read_text().partition("\n")[0]
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "--time at --by machine" in page
