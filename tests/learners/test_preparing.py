"""Learners prepare what they are given, say so, and do the same to later rows."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.rows.parquet import ParquetSource

pytestmark = pytest.mark.usefixtures("rows_stay_in_files")


def visits(n=4_000, seed=0):
    """Give stays in a hospital: how long they are depends on the month, the value on how long."""
    rng = np.random.default_rng(seed)
    day = pd.Timestamp("2022-01-01") + pd.to_timedelta(rng.integers(0, 730, n), "D")
    long = rng.random(n) < np.where(day.month < 4, 0.8, 0.2)
    value = np.round(rng.normal(np.where(long, 30, 10), 5), 1)
    return pd.DataFrame(
        {
            "case": [f"c{i}" for i in range(n)],
            "day": day.strftime("%d.%m.%Y"),
            "long": np.where(long, "yes", "no"),
            "value": np.where(rng.random(n) < 0.02, "<1", value.astype(str)),
            "gap": np.where(rng.random(n) < 0.9, None, np.where(long, "p", "q")),
        }
    )


def fitted(data, **options):
    learner = bn.TsetlinSieve(random_state=0, **options)
    with pytest.warns(UserWarning, match=r"case is left out: .*odd cells of value, such as '<1'"):
        return learner.fit(data)


def test_a_frame_is_prepared_and_what_was_done_is_kept(tmp_path):
    data = visits()
    learner = fitted(data)
    assert learner.preparation_ == bn.prepare(data, constants=True)
    assert "day" not in learner.graph_.nodes
    assert "day_month" in learner.graph_.adjacent("long")
    assert "value" in learner.graph_.adjacent("long")
    assert learner.n_missing_ == {"gap": int(data["gap"].isna().sum())}
    complete = data[data["gap"].notna()]
    expected = learner.network_.log_likelihood(learner.preparation_.apply(complete)).mean()
    assert learner.score(complete) == expected
    told = learner.predict(complete, "long")
    assert (told.to_numpy() == complete["long"].to_numpy()).mean() > 0.9
    learner.save(tmp_path / "learner.zip")
    loaded = bn.load(tmp_path / "learner.zip")
    assert loaded.preparation_ == learner.preparation_
    assert loaded.score(complete) == expected


def test_a_preparation_is_applied_as_it_is(tmp_path):
    data = visits()
    plan = bn.prepare(data, cut={"value": [20]}, drop=["case"])
    learner = bn.TsetlinSieve(random_state=0, prepare=plan).fit(data)
    assert learner.preparation_ == plan
    assert learner.network_.states["value"] == ("< 20", ">= 20")
    learner.save(tmp_path / "learner.zip")
    assert bn.load(tmp_path / "learner.zip").prepare == plan
    blanket = bn.learn_blanket(data, "long", bn.TsetlinSieve(random_state=0, prepare=plan))
    assert "day_month" in blanket.members
    assert blanket.preparation == plan


def test_files_are_prepared_as_frames_and_updated(tmp_path):
    data, more = visits(), visits(2_000, seed=1)
    for name, rows in (("a", data), ("b", more)):
        rows.to_parquet(tmp_path / f"{name}.parquet", index=False, row_group_size=300)
    in_memory = fitted(data, missing="testwise", prepare=bn.Discretizer())
    learner = fitted(
        tmp_path / "a.parquet", missing="testwise", sample_rows=1_000, prepare=bn.Discretizer()
    )
    assert learner.preparation_ == in_memory.preparation_
    assert learner.fit_result_.rows.n_rows == 1_000
    # Of all rows, not of the sample.
    assert learner.n_missing_ == in_memory.n_missing_ == {"gap": int(data["gap"].isna().sum())}
    learner.update(tmp_path / "b.parquet")
    both = pd.concat([data, more], ignore_index=True)
    assert learner.n_missing_ == {"gap": int(both["gap"].isna().sum())}
    made = learner.preparation_.apply(both)
    assert learner.network_ == bn.fit_parameters(learner.dag_, made)


def test_columns_that_are_dropped_are_never_read(tmp_path, monkeypatch):
    data = visits().assign(when=pd.Timestamp("2024-01-31"), other="x")
    data.to_parquet(tmp_path / "rows.parquet", index=False)
    read, asked = ParquetSource.read, set()

    def spied(self, chunks, names, numbers=()):
        needed = names if self.recoding is None else self.recoding.needed(names)
        asked.update(needed)
        return read(self, chunks, names, numbers)

    monkeypatch.setattr(ParquetSource, "read", spied)
    monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 5)
    plan = bn.prepare(tmp_path / "rows.parquet", drop=["case", "when,other"])
    learner = bn.TsetlinSieve(random_state=0, sample_rows=500, missing="testwise", prepare=plan)
    learner.fit(tmp_path / "rows.parquet")
    assert asked == {"day", "long", "value", "gap"}


def test_nothing_left_is_said():
    said = "the data has no column that can be learned from: a is left out"
    with pytest.raises(ValueError, match=said):
        bn.TsetlinSieve().fit(pd.DataFrame({"a": [f"p{i}" for i in range(50)]}))


def test_files_that_leave_nothing_are_named(tmp_path):
    empty = pd.DataFrame({f"c{i}": ["", ""] for i in range(5)})
    empty.to_csv(tmp_path / "empty.csv", index=False)
    said = r"empty\.csv has no column that can be learned from: c0 is left out: .*; and 2 more$"
    with pytest.raises(ValueError, match=said):
        bn.TsetlinSieve().fit(tmp_path / "empty.csv")
    empty[:0].to_parquet(tmp_path / "none.parquet")
    for prepare in ("auto", None):
        with pytest.raises(ValueError, match=r"none\.parquet has columns but no rows"):
            bn.TsetlinSieve(prepare=prepare).fit(tmp_path / "none.parquet")


def test_without_preparation_dates_are_refused():
    data = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=9), "x": list("ababababa")})
    with pytest.raises(TypeError, match="column 'day' holds values of type datetime64"):
        bn.TsetlinSieve(prepare=None).fit(data)


def test_warnings_in_python_name_parameters_and_no_options():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.choice(list("ab"), (300, 2)), columns=["a", "b"])
    frame["the key"] = [f"k{i}" for i in range(300)]
    with pytest.warns(UserWarning, match=r"keep=\['the key'\]") as caught:
        bn.TsetlinSieve(random_state=0).fit(frame)
    assert not any("--" in str(one.message) for one in caught)


def test_warnings_name_parameters_and_no_options_of_the_command_line():
    rng = np.random.default_rng(0)
    weight = rng.normal(75, 12, 400).round(1)
    frame = pd.DataFrame(
        {
            "kg": weight,
            "lb": (2.20462 * weight).round(0),
            "key": [f"A{number:05}" for number in range(400)],
            "sex": rng.choice(["f", "m"], 400),
        }
    )
    with pytest.warns(UserWarning, match="left out") as caught:
        bn.TsetlinSieve(random_state=0).fit(frame)
    text = " ".join(str(one.message) for one in caught)
    assert "key is left out" in text
    assert "lb is left out" in text
    assert "bnsieve.prepare with keep=['lb'] uses it" in text
    assert "--" not in text
