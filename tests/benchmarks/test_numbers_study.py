"""The study of numbers: its samples, and a run of a few seconds."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.numbers import published, study
from benchmarks.numbers.kinds import KINDS, sample


@pytest.mark.parametrize("kind", KINDS)
def test_the_network_does_not_hang_on_the_rows(kind):
    few, arrows = sample(kind, 12, 50, 1)
    assert sample(kind, 12, 80, 1)[1] == arrows
    assert len(arrows) == 18
    assert few.shape == (50, 12)
    n_labels = sum(not pd.api.types.is_numeric_dtype(few[name]) for name in few)
    assert n_labels == (6 if kind in "cd" else 0)


def test_linear_columns_hang_on_their_parents_as_the_network_says():
    frame, arrows = sample("a", 10, 20_000, 0)
    for child in frame:
        parents = [u for u, v in arrows if v == child]
        weights = np.linalg.lstsq(frame[parents] - frame[parents].mean(), frame[child], rcond=None)
        left = frame[child] - (frame[parents] - frame[parents].mean()) @ weights[0]
        # Its parents leave noise of variance 1.
        assert left.var() == pytest.approx(1.0, rel=0.05)


def test_published_networks_have_their_edges():
    sizes = {name: len(published.sample(name, 5, 0)[1]) for name in published.NAMES}
    assert sizes == {"ecoli70": 70, "magic-niab": 66, "magic-irri": 102, "arth150": 150}


def test_a_quick_run_writes_its_report(tmp_path):
    study.main(["--quick", "--output", str(tmp_path)])
    assert "| a 8 | 300 |" in (tmp_path / "report.md").read_text(encoding="utf-8")
