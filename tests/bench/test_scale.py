"""The study of scale at a size that shows only that it runs, and the wide path beside the usual."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from bnsieve.bench import scale
from bnsieve.cli import app
from bnsieve.learners import tsetlin_sieve
from bnsieve.metrics import compare


def run(*arguments):
    result = CliRunner().invoke(app, ["bench", "scale", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.slow
def test_every_measure_is_taken(tmp_path):
    output = tmp_path / "measures.csv"
    common = ("--network", "asia", "--rows", 24_000, "--files", 10, "--folder", tmp_path / "rows")
    for what in ("passes", "learning", "update"):
        assert "24,000 rows" in run(what, *common, "-o", output)
    assert "sample 500" in run("sample", *common, "--size", 500, "-o", output)
    run("passes", *common, "--threads", 2, "-o", output)
    run("wide", "--columns", 12, "--rows", 400, "-o", output)
    with output.open(newline="", encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    assert [one["what"] for one in found] == [
        *("reading", "first pass", "second pass"),
        *("learning", "second pass", "update", "update and decide", "sample 500"),
        *("reading", "first pass", "second pass"),
        "wide",
    ]
    assert json.loads(found[5]["detail"]) == {"files": 10, "new": 1}


def test_random_networks_are_sparse():
    network = scale.random_network(300, 0)
    assert network.graph.n_nodes == 300
    n_parents = [len(network.parents[name]) for name in network.graph.nodes]
    assert max(n_parents) == 3
    assert {len(levels) for levels in network.levels.values()} == {2, 3, 4}
    assert scale.random_network(300, 0) == network


def test_few_visible_columns_are_enough_where_links_are_plain(monkeypatch):
    network = scale.random_network(60, 1)
    frame = network.sample(2000, random_state=0)
    learner = tsetlin_sieve.TsetlinSieve(random_state=0)
    all_visible = compare(learner.fit(frame).graph_, network.graph).f1
    monkeypatch.setattr(tsetlin_sieve, "_ALL_VISIBLE", 20)
    monkeypatch.setattr(tsetlin_sieve, "_N_VISIBLE", 15)
    assert compare(learner.fit(frame).graph_, network.graph).f1 > all_visible - 0.03
    seen = np.count_nonzero(learner.sieve_.importance, axis=1)
    assert seen.max() <= 15
