"""What the machine costs: both fits on the same sample, and the ratio of their times."""

import pandas as pd

from benchmarks.machine import cost


def test_times_are_those_of_all_samples_of_a_network():
    runs = pd.DataFrame(
        {
            "network": ["a", "b", "a"],
            "f1_with": [0.8, 0.5, 0.9],
            "f1_without": [0.8, 0.5, 0.6],
            "cpu_with": [1.0, 3.0, 2.0],
            "cpu_without": [1.0, 2.0, 1.0],
        }
    )
    page = "\n".join(cost.report(runs))
    assert "| a | 0.850 | 0.700 | 1.50 | 1.00 | 1.50 |" in page
    assert "Samples: 3. F1 changes by +0.1000 (standard error 0.1000) on average." in page
    assert "Times: 1.50 in the median, 1.50 at most." in page


def test_a_run_has_both_fits(tmp_path):
    cost.main(["--quick", "--output", str(tmp_path)])
    (run,) = pd.read_csv(tmp_path / "cost.csv").to_dict("records")
    assert 0.5 < run["f1_without"] <= 1
    assert min(run["cpu_without"], run["cpu_with"]) > 0
    assert "alarm" in (tmp_path / "cost.md").read_text(encoding="utf-8")
