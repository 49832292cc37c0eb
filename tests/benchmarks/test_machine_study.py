"""The machine's benchmark: which targets, and what it reports."""

import json

import numpy as np
import pytest

from benchmarks.machine import runner, study
from bnsieve import _native
from bnsieve.table import Table


def test_targets_are_evenly_spaced_among_those_that_vary():
    columns = np.tile(np.arange(runner.N_TRAIN)[:, None] % 2, 7)
    columns[:, 2] = 0
    table = Table.from_data(columns)
    assert runner.spaced_targets(table) == (0, 1, 3, 4, 5, 6)
    assert runner.spaced_targets(table, 3) == (0, 3, 6)
    assert runner.spaced_targets(table, 99) == (0, 1, 3, 4, 5, 6)


def test_a_variable_that_varies_only_among_the_held_out_rows_is_no_target():
    columns = np.zeros((runner.N_TRAIN + 1, 2), dtype=int)
    columns[-1, 0] = 1
    columns[::2, 1] = 1
    assert runner.spaced_targets(Table.from_data(columns)) == (1,)


def test_the_command_measures_every_level_and_number_of_threads(capsys):
    study.main(["--network", "asia", "--quick", "--json"])
    found = json.loads(capsys.readouterr().out)
    expected = [(level, n_threads) for level in _native.simd_levels() for n_threads in (1, 2)]
    assert [(one["level"], one["n_threads"]) for one in found] == expected
    assert len({one["digest"] for one in found}) == 1
    for one in found:
        # Targets asia, smoke, either, dysp: 99 % of asia is one label and either follows from two
        # others, the rest is at least as easy as a coin: (.95 + .95 + .5 + .5) / 4.
        assert 0.72 < one["accuracy"] <= 1
        per_row = one["seconds"] * 1e6 / (one["n_targets"] * 4_000 * 10)
        assert one["microseconds"] == pytest.approx(per_row)


def test_the_table_has_a_line_per_measure(capsys):
    study.main(["--network", "asia", "--quick", "--threads", "1"])
    header, *lines = capsys.readouterr().out.splitlines()
    assert " ".join(header.split()) == (
        "network instructions targets threads µs processor µs accuracy"
    )
    assert [line.split()[:4] for line in lines] == [
        ["asia", level, "4", "1"] for level in _native.simd_levels()
    ]


def test_figures_of_machines_that_differ_are_refused(monkeypatch):
    digests = iter("abcdefgh")
    monkeypatch.setattr(runner, "digest", lambda machines: next(digests))
    with pytest.raises(RuntimeError, match="asia differ"):
        study.main(["--network", "asia", "--quick"])
