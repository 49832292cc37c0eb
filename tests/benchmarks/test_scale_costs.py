"""What follows from measures: figures made up so that the answers are plain."""

import pandas as pd
import pytest

from benchmarks.scale.costs import computed, fixed_seconds, growth, pass_ratios, unit_costs
from benchmarks.scale.report import report


def passes(seconds):
    """Seconds of reading, first and second pass by engine, workers and repeat."""
    names = ("reading", "first pass", "second pass")
    return pd.DataFrame(
        {
            "what": what,
            "network": "asia",
            "rows": 1_000_000,
            "columns": 10,
            "engine": engine,
            "workers": workers,
            "repeat": repeat,
            "seconds": clock,
            "processor_seconds": clock / 2 if engine == "local" else float("nan"),
        }
        for (engine, workers, repeat), clocks in seconds.items()
        for what, clock in zip(names, clocks, strict=True)
    )


PASSES = passes(
    {
        ("local", 1, 0): (0.10, 0.20, 0.20),
        ("ray", 1, 0): (0.20, 0.20, 0.30),
        # A repeat on a busy machine: all is slower, and the ratios are the same.
        ("local", 1, 1): (0.30, 0.60, 0.60),
        ("ray", 1, 1): (0.60, 0.60, 0.90),
        ("local", 1, 2): (0.20, 0.40, 0.40),
        ("ray", 1, 2): (0.40, 0.40, 0.60),
    }
)
ROWS = pd.DataFrame(
    {
        "what": ["reading", "learning"] * 2,
        "network": "asia",
        "rows": [10**6, 10**6, 10**7, 10**7],
        "columns": 10,
        "workers": 1,
        "seconds": [1.0, 4.0, 10.0, 30.0],
        "processor_seconds": [0.5, 2.0, 5.0, 15.0],
        "peak_mb": 100.0,
        "f1": [float("nan"), 0.9, float("nan"), 1.0],
        "detail.bytes": [2e6, 2e6, 2e7, 2e7],
        "detail.sieve": [None, 1.0, None, 1.5],
        "detail.search": [None, 0.25, None, 0.5],
    }
)


def test_ratios_are_medians_within_repeats():
    table = pass_ratios(PASSES)
    local, ray = table.loc[("asia", 10**6, "local", 1)], table.loc[("asia", 10**6, "ray", 1)]
    assert local[["first_ratio", "second_ratio"]].tolist() == pytest.approx([2, 2])
    assert local["second_processor"] == pytest.approx(2)
    assert ray[["first_ratio", "second_ratio", "to_threads"]].tolist() == pytest.approx(
        [1, 1.5, 1.5]
    )
    assert pd.isna(ray["second_processor"])
    assert local["reading"] == pytest.approx(0.2)
    assert table["repeats"].tolist() == [3, 3]


def test_growth_is_per_row():
    table = growth(ROWS, "rows")
    assert table["per_row"].tolist() == [2000, 1500]
    assert table["reading_seconds"].tolist() == [1, 10]
    assert table["f1"].tolist() == [0.9, 1.0]


def test_unit_costs_and_what_they_add_up_to():
    studies = {"passes": PASSES, "rows": ROWS}
    costs = unit_costs(studies)
    # A median of 0.1 s of processor for ten million cells is ten nanoseconds.
    assert (costs.reading, costs.first, costs.second) == pytest.approx((10, 20, 20))
    assert costs.size == pytest.approx(0.2)
    assert fixed_seconds(studies) == {10: 2.0}
    table = computed(costs, fixed_seconds(studies), [(10**9, 10), (10**9, 36)], 4)
    assert table["processor_hours"].tolist() == pytest.approx([400 / 3600, 1440 / 3600])
    assert table["seconds"].tolist() == pytest.approx([100, 360])
    assert table["bytes"].tolist() == pytest.approx([2e9, 7.2e9])
    assert table["fixed"].tolist()[0] == 2.0
    assert pd.isna(table["fixed"][1])


def test_no_passes_no_unit_costs():
    assert unit_costs({"rows": ROWS}) is None


def test_the_report_has_other_programs_beside_ours():
    peers = pd.DataFrame(
        {
            "tool": ["bnsieve", "other", "slow", "bnsieve", "duckdb"],
            "version": ["1", "2", "3", "1", "4"],
            "task": ["learning"] * 3 + ["counting"] * 2,
            "network": "asia",
            "rows": 10**6,
            "columns": 10,
            "repeat": 0,
            "seconds": [1.0, 44.0, None, 2.0, 22.0],
            "processor_seconds": [1.0, 42.0, None, 2.0, 21.0],
            "f1": [0.95, 0.85, None, None, None],
            "status": ["done", "done", "over 60 s", "done", "done"],
        }
    )
    text = report({"rows": ROWS, "peers": peers})
    assert "| asia | 1,000,000 | 10 | other 2 | 44.00 | 42.00 | 42.0 | 0.850 |  |" in text
    assert "| asia | 1,000,000 | 10 | slow 3 |  |  |  |  | over 60 s |" in text
    assert "| asia | 1,000,000 | 10 | duckdb 4 | 22.00 | 21.00 | 10.5 |  |" in text
    assert "| 1,000,000 | 1.00 | 4.00 | 2.00 | 2,000 | 1.33 |" in text
