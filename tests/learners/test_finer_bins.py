"""Networks of bins: edges that finer bins explain go, and true ones stay, in rows of known make."""

import numpy as np
import pandas as pd
import pytest

from bnsieve import Knowledge, TsetlinSieve

N_ROWS = 200_000


def drawn(seed, weak=0.0, n_rows=N_ROWS):
    """Draw rows in which a dose acts the other way in another group: bins explain more."""
    rng = np.random.default_rng(seed)
    dose, noise = rng.normal(size=(2, n_rows))
    group = rng.integers(2, size=n_rows)
    copy = dose + 0.5 * rng.normal(size=n_rows)
    outcome = np.where(group == 1, dose, -dose) + weak * copy
    outcome += np.where(group == 1, 0.3, 0.7) * noise
    high = dose + 0.7 * rng.normal(size=n_rows) > 0
    return pd.DataFrame(
        {
            "dose": dose,
            "group": np.where(group == 1, "a", "b"),
            "outcome": outcome,
            "copy": copy,
            "high": np.where(high, "yes", "no"),
        }
    )


def edges(rows, **parameters):
    learner = TsetlinSieve(random_state=0, **parameters).fit(rows)
    assert learner.numeric_features_ == ()
    return {frozenset(edge) for edge in learner.graph_.edges}


DOUBTFUL = frozenset(("copy", "outcome"))
CAUSES = {frozenset(edge) for edge in [("dose", "outcome"), ("group", "outcome"), ("dose", "copy")]}


def test_what_bins_leave_over_is_no_edge(tmp_path):
    rows = drawn(1)
    found = edges(rows)
    assert DOUBTFUL not in found
    assert found >= CAUSES
    rows.to_parquet(tmp_path / "rows.parquet")
    assert edges(tmp_path / "rows.parquet") == found


@pytest.mark.parametrize(("seed", "weak"), [(2, 0.1), (3, 0.2)])
def test_a_weak_effect_beside_it_is_an_edge(seed, weak):
    assert edges(drawn(seed, weak)) >= CAUSES | {DOUBTFUL}


def test_required_edges_stay():
    assert DOUBTFUL in edges(drawn(1), knowledge=Knowledge(required=[("copy", "outcome")]))


def test_missing_values_do_no_harm():
    rows = drawn(1, n_rows=40_000)
    holes = np.random.default_rng(3).random(rows.shape) < 0.02
    assert edges(rows.mask(holes), missing="testwise") >= CAUSES
