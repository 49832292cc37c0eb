"""Rows of tomorrow are added to a fit over time, of rows in memory and of files beyond memory."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.counts import count

# Steps of two days begin on this day.
START = pd.Timestamp("2024-01-02")
PARAMETERS = {"time": "day", "by": "machine", "random_state": 0, "missing": "testwise"}


def readings(n_machines=40, n_days=40, seed=0, *, numbers=False):
    """Return rows of a known process: x follows itself, y follows x of the day before."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, n_machines)
    y, load = rng.integers(0, 2, n_machines), rng.normal(size=n_machines)
    model = np.where(np.arange(n_machines) % 2, "old", "new")
    days = []
    for day in range(n_days):
        before = x
        x = np.where(rng.random(n_machines) < 0.7, x, rng.integers(0, 3, n_machines))
        y = np.where(rng.random(n_machines) < 0.8, before % 2, rng.integers(0, 2, n_machines))
        load = 0.6 * load + before + rng.normal(size=n_machines)
        frame = {
            "machine": [f"m{i}" for i in range(n_machines)],
            "day": START + pd.Timedelta(days=day),
            "model": model,
            "x": np.array(["low", "mid", "high"])[x],
            "y": np.array(["no", "yes"])[y],
        }
        days.append(pd.DataFrame(frame | ({"load": load} if numbers else {})))
    return pd.concat(days, ignore_index=True)


def stored(frame, folder, name):
    frame.to_parquet(folder / name, row_group_size=100, index=False)
    return str(folder / name)


@pytest.fixture
def beyond_memory(monkeypatch):
    monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 50)


def split(frame, day):
    return frame[frame["day"] < START + pd.Timedelta(days=day)], frame[
        frame["day"] >= START + pd.Timedelta(days=day)
    ]


@pytest.mark.parametrize("given", ["file", "frame"])
@pytest.mark.parametrize("changes", [{"lags": 2}, {"lags": 1, "every": "2d"}])
def test_counts_are_those_of_one_fit_of_all_rows(tmp_path, beyond_memory, given, changes):
    frame = readings()
    parameters = {**PARAMETERS, **changes, "sample_rows": 300}
    # The last rows of the days before are given again: they are the past of the first new ones.
    n_again = 2
    today, later = split(frame, 30)[0], split(frame, 30 - n_again)[1]
    learner = bn.TsetlinSieve(**parameters).fit(stored(today, tmp_path, "today.parquet"))
    learner.save(tmp_path / "saved")
    learner = bn.load(tmp_path / "saved")
    new = stored(later, tmp_path, "later.parquet") if given == "file" else later
    learner.update(new)
    whole = bn.TsetlinSieve(**parameters).fit(stored(frame, tmp_path, "all.parquet"))
    result = learner.fit_result_
    assert result.counted is not None
    assert result.n_rows == whole.fit_result_.n_rows == result.timeline.steps.n_used
    assert result.timeline.static == ("model",)
    assert learner.graph_ == whole.graph_
    # The counts of an edge that both found, by hand.
    in_memory = bn.TsetlinSieve(**PARAMETERS, **changes).fit(frame).fit_result_.rows
    table = learner.fit_result_.family_counts.tables["y"]
    members = [in_memory.names.index(learner.dag_.nodes[v]) for v in table.variables]
    assert sorted(count(in_memory, members).counts.tolist()) == sorted(table.counts.tolist())
    learner.save(tmp_path / "again")
    again = bn.load(tmp_path / "again")
    assert again.fit_result_.timeline == result.timeline
    assert again.graph_ == learner.graph_


def test_a_sequence_begins_anew_with_the_new_rows(tmp_path, beyond_memory):
    frame = readings()
    today, later = split(frame, 30)
    parameters = {**PARAMETERS, "lags": 2, "sample_rows": 300}
    learner = bn.TsetlinSieve(**parameters).fit(stored(today, tmp_path, "today.parquet"))
    learner.update(stored(later, tmp_path, "later.parquet"))
    assert learner.fit_result_.n_rows == 40 * (30 - 2) + 40 * (10 - 2)
    assert not learner.drift_.stale


def test_numbers_of_tomorrow_are_added(tmp_path, beyond_memory, monkeypatch):
    monkeypatch.setattr("bnsieve.learners.tsetlin_sieve.most_in_memory", lambda n: 0)
    frame = readings(numbers=True)
    today, later = split(frame, 30)[0], split(frame, 29)[1]
    learner = bn.TsetlinSieve(**PARAMETERS, sample_rows=400)
    learner.fit(stored(today, tmp_path, "today.parquet"))
    assert learner.fit_result_.counted is not None
    learner.update(later)
    assert learner.fit_result_.n_rows == 40 * 39
    assert ("load@t-1", "load") in learner.graph_.directed_edges
    assert ("x@t-1", "y") in learner.graph_.directed_edges


def test_what_changed_is_noticed_but_not_what_lies_in_the_past(tmp_path, beyond_memory):
    frame = readings()
    today, later = split(frame, 30)
    parameters = {**PARAMETERS, "sample_rows": 300}
    learner = bn.TsetlinSieve(**parameters).fit(stored(today, tmp_path, "today.parquet"))
    with pytest.warns(UserWarning, match="fit all files again"):
        learner.update(later.assign(y="yes"))
    assert "y" in learner.drift_.moved
    # Past values have no parents, and are not asked for candidates.
    assert not any("@t-" in name for name in learner.drift_.missed)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.drop(columns="machine"), r"has no column 'machine', which was by="),
        (lambda f: f.groupby("machine").head(1), "no row has 1 step before it"),
        (lambda f: pd.concat([f, f]), "has two rows with day"),
        (
            lambda f: f.assign(day=START + (f["day"] - START) * 7),
            "steps of 1 day, but the most frequent time between these rows is 1 week",
        ),
        (lambda f: f.assign(day=f["day"].dt.day), "holds numbers, but held dates in the training"),
    ],
)
def test_new_rows_without_a_past_are_refused_in_words(tmp_path, beyond_memory, change, message):
    today, later = split(readings(), 30)
    learner = bn.TsetlinSieve(**PARAMETERS, sample_rows=300)
    learner.fit(stored(today, tmp_path, "today.parquet"))
    with pytest.raises(ValueError, match=message):
        learner.update(change(later))
    assert learner.fit_result_.n_rows == 40 * 29
