"""Edges that only very many rows show, and false ones that they do not bring."""

import numpy as np
import pandas as pd
import pytest

from bnsieve import Knowledge, TsetlinSieve

N_ROWS = 100_000


@pytest.fixture(scope="module")
def trial():
    """A randomised treatment of 2.5e-4 nats per row: too little for 20,000 rows, not for all."""
    rng = np.random.default_rng(1)
    age, dose = rng.normal(size=(2, N_ROWS))
    pressure = 0.7 * age + rng.normal(size=N_ROWS)
    treated = rng.random(N_ROWS) < 0.5
    # Half of the squared correlation is the information of normal variables.
    outcome = 0.5 * pressure + 2 * np.sqrt(4e-4) * 1.2 * treated + rng.normal(size=N_ROWS)
    labels = {"treated": np.where(treated, "yes", "no")}
    return pd.DataFrame(
        {"age": age, "dose": dose, "pressure": pressure, "outcome": outcome} | labels
    )


def adjacent(frame, **parameters):
    return set(TsetlinSieve(random_state=0, **parameters).fit(frame).graph_.adjacent("outcome"))


def test_a_randomised_treatment_is_found_in_all_rows(trial):
    assert adjacent(trial) == {"pressure", "treated"}


def test_it_is_not_added_where_it_explains_too_little(trial):
    assert adjacent(trial, min_effect=0.01) == {"pressure"}


def test_it_is_not_added_where_it_is_forbidden(trial):
    forbidden = [("treated", "outcome"), ("outcome", "treated")]
    assert adjacent(trial, knowledge=Knowledge(forbidden=forbidden)) == {"pressure"}
