"""What follows for a fit some of whose rows are copies: a warning, and each row counts once."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app
from bnsieve.metrics import compare
from bnsieve.table import DependentRowsWarning


def noise(n_rows=200, n_columns=15):
    cells = np.random.default_rng(0).choice(list("abc"), (n_rows, n_columns))
    return pd.DataFrame(cells, columns=[f"c{i:02}" for i in range(n_columns)])


def fit(data, **parameters):
    return bn.TsetlinSieve(random_state=0, n_jobs=1, **parameters).fit(data)


def test_copies_make_no_edges():
    frame = noise()
    with pytest.warns(DependentRowsWarning, match="40 of 240 rows repeat another row"):
        learner = fit(pd.concat([frame, frame[:40]], ignore_index=True))
    assert learner.graph_.n_edges == 0
    assert learner.fit_result_.n_rows == 200


def test_a_table_twice_gives_the_graph_of_one():
    truth = bn.load_network("alarm")
    frame = truth.sample(500, random_state=0)
    once = fit(frame)
    with pytest.warns(DependentRowsWarning, match="500 of 1,000 rows repeat"):
        doubled = fit(pd.concat([frame, frame], ignore_index=True))
    assert doubled.graph_ == once.graph_
    assert compare(truth, doubled.graph_).f1 > 0.9
    assert doubled.confirmed_edges_ == ()
    with pytest.warns(DependentRowsWarning, match="edge strengths are not valid"):
        doubled.bootstrap(2)


def test_rows_of_few_categories_give_no_warning():
    assert fit(bn.load_network("asia").sample(10_000, random_state=0)).confirmed_edges_


def test_a_file_and_its_copy_in_a_folder(tmp_path):
    folder, out = tmp_path / "rows", tmp_path / "out"
    folder.mkdir()
    for name in ("a", "b"):
        noise().to_csv(folder / f"{name}.csv", index=False)
    described = CliRunner().invoke(app, ["describe", str(folder)])
    assert described.output.startswith("warning: 200 of 400 rows repeat another row")
    learned = CliRunner().invoke(app, ["learn", str(folder), "-o", str(out), "-j", "1"])
    assert learned.stdout.startswith("warning")
    assert "200 of 400 rows repeat another row" in " ".join(learned.stdout.split())
    assert "no edges" in learned.stdout
    record = json.loads((out / "run.json").read_text())
    assert record["dependence"]["n_repeated"] == 200
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "200 of 400 rows repeat another row" in page


def test_rows_too_many_for_memory_are_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 1_000)
    frame = noise(20_000, 12)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for name in ("a", "b"):
        pq.write_table(table, tmp_path / f"{name}.parquet")
    with pytest.warns(DependentRowsWarning, match="about 20,000 of 40,000 rows repeat"):
        learner = fit(tmp_path)
    assert learner.confirmed_edges_ == ()
    fit(tmp_path / "a.parquet")


def test_copies_of_rows_alike_by_nature_are_seen_by_their_files(tmp_path, monkeypatch):
    monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 1_000)
    frame = bn.load_network("asia").sample(20_000, random_state=0)
    for name in ("a", "b"):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    with pytest.warns(DependentRowsWarning, match="about 20,000 of 40,000 rows repeat"):
        fit(tmp_path)


def test_a_saved_learner_keeps_it(tmp_path):
    frame = noise()
    with pytest.warns(DependentRowsWarning):
        learner = fit(pd.concat([frame, frame], ignore_index=True))
    learner.save(tmp_path / "learner")
    assert bn.load(tmp_path / "learner").fit_result_.dependence == learner.fit_result_.dependence
