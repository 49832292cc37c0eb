"""Rows that belong together: parameters, the entity of each row, columns that place rows."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn


def visits(n_entities=50, n_rows=6, seed=0):
    rng = np.random.default_rng(seed)
    smokes = rng.integers(0, 2, n_entities).repeat(n_rows)
    ill = np.where(rng.random(len(smokes)) < 0.8, smokes, 1 - smokes)
    return pd.DataFrame(
        {
            "patient": np.arange(n_entities).repeat(n_rows),
            "smokes": np.where(smokes, "yes", "no"),
            "ill": np.where(ill, "yes", "no"),
        }
    )


@pytest.mark.parametrize("prepare", ["auto", None])
def test_the_entity_column_is_left_out_and_kept_beside_the_rows(prepare):
    frame = visits()
    learner = bn.TsetlinSieve(by="patient", prepare=prepare, random_state=0).fit(frame)
    assert learner.graph_.nodes == ("smokes", "ill")
    result = learner.fit_result_
    assert result.timeline.by == "patient"
    np.testing.assert_array_equal(result.rows.entities, frame["patient"])


def test_entities_follow_rows_and_columns(tmp_path):
    learner = bn.TsetlinSieve(by="patient", random_state=0).fit(visits())
    table = learner.fit_result_.rows
    assert table.select(["ill"]).take([6, 0]).entities.tolist() == [1, 0]
    learner.save(tmp_path / "learner")
    again = bn.load(tmp_path / "learner")
    assert again.fit_result_.timeline == learner.fit_result_.timeline
    np.testing.assert_array_equal(again.fit_result_.rows.entities, table.entities)


def test_a_row_without_an_entity_is_its_own():
    frame = visits().astype({"patient": object})
    frame.loc[[3, 40], "patient"] = None
    table = bn.TsetlinSieve(by="patient", random_state=0).fit(frame).fit_result_.rows
    assert table.entities[[2, 3, 40]].tolist() == [0, 50, 51]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"time": 3}, "time must be the name of a column or None; got 3"),
        ({"time": "at", "lags": 0}, "lags must be a whole number from 1 to 100, 'auto' or None"),
        ({"lags": 2}, "lags=2 needs a time column"),
        ({"by": "id", "every": "1h"}, "every='1h' needs a time column"),
        ({"time": "at", "every": -1}, "every must be a length of time"),
        ({"by": "person"}, "the data has no column 'person', which by names"),
        ({"by": "Patient"}, "did you mean 'patient'"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        bn.TsetlinSieve(**parameters).fit(visits())
