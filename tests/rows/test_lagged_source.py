"""Rows in files over time give what the same rows in memory give, however they lie there."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bnsieve as bn
from bnsieve.counts import count
from bnsieve.engine import watched
from bnsieve.rows import LaggedSource, files_over_time, open_data, prepared_source
from bnsieve.table import timeline_of


def panel(n_entities=30, n_steps=12, seed=0):
    rng = np.random.default_rng(seed)
    site = rng.choice(["north", "south"], n_entities)
    rows = []
    for entity in rng.permutation(n_entities):
        state, load = "ok", 0.0
        for month in range(n_steps):
            load = 0.7 * load + rng.normal()
            state = "bad" if rng.random() < 0.2 + 0.6 * (state == "bad") else "ok"
            rows.append((f"c{entity}", month, site[entity], state, load, int(rng.integers(3))))
    return pd.DataFrame(rows, columns=["client", "month", "site", "state", "load", "calls"])


def write(frame, folder, group_rows, n_files=1):
    for i, part in enumerate(np.array_split(np.arange(len(frame)), n_files)):
        rows = pa.Table.from_pandas(frame.iloc[part], preserve_index=False)
        pq.write_table(rows, folder / f"{i:03}.parquet", row_group_size=group_rows)
    return folder


def opened(folder, scratch, lags=2, by="client"):
    with open_data(str(folder)) as data:
        plan = bn.prepare(data, drop=[name for name in ("month", by) if name])
        timeline = timeline_of("month", by, lags, None)
        plain = prepared_source(data, plan)
        return files_over_time(data.stored(), plain, timeline, scratch, "the data")[0]


def frame_of(source, chunks=None):
    parts = []
    numbers = set(source.numbers)
    for rows in source.read(source.chunks if chunks is None else chunks, source.names, numbers):
        part = {}
        for name, column in rows.columns.items():
            if name in numbers:
                part[name] = column
            else:
                part[name] = column.spread(column.values.astype(object), None)
        parts.append(pd.DataFrame(part).assign(row=np.arange(rows.n_rows) + rows.first))
    return pd.concat(parts, ignore_index=True)


def by_hand(frame, lags):
    parts = []
    for _, own in frame.groupby("client", sort=False):
        own = own.sort_values("month")
        wide = {}
        for lag in range(lags + 1):
            for name in ("site", "state", "load", "calls"):
                if lag == 0 or name != "site":
                    wide[name if lag == 0 else f"{name}@t-{lag}"] = own[name].shift(lag)
        is_whole = own["month"].diff(lags).eq(lags)
        parts.append(pd.DataFrame(wide)[is_whole])
    return pd.concat(parts, ignore_index=True)


def same(found, expected):
    assert found["row"].tolist() == list(range(len(expected)))
    for name in expected:
        pd.testing.assert_series_equal(
            found[name].astype(expected[name].dtype), expected[name], check_names=False
        )


@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    group_rows=st.integers(1, 80),
    n_files=st.integers(1, 4),
    lags=st.integers(1, 3),
    dropped=st.sets(st.integers(0, 359), max_size=40),
)
def test_past_is_carried_over_row_groups_and_files(
    tmp_path_factory, group_rows, n_files, lags, dropped
):
    folder, scratch = tmp_path_factory.mktemp("rows"), tmp_path_factory.mktemp("scratch")
    frame = panel().drop(index=sorted(dropped)).reset_index(drop=True)
    source = opened(write(frame, folder, group_rows, n_files), scratch, lags)
    assert isinstance(source, LaggedSource)
    assert source.timeline.static == ("site",)
    expected = by_hand(frame, lags)
    assert source.n_rows == len(expected) == source.timeline.steps.n_used
    same(frame_of(source), expected)
    # A part of the work may begin anywhere.
    middle = len(source.chunks) // 2
    halves = source.chunks[:middle], source.chunks[middle:]
    parts = [frame_of(source, part) for part in halves if part]
    same(pd.concat(parts, ignore_index=True), expected)


@pytest.mark.parametrize(
    "mix",
    [
        lambda f: f.sample(frac=1, random_state=0),
        lambda f: f.sort_values("month", kind="stable"),
        lambda f: f.sort_values("client"),
    ],
)
def test_rows_in_any_order_are_put_in_order(tmp_path, mix, monkeypatch):
    monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 300)  # several buckets
    frame = mix(panel()).reset_index(drop=True)
    (tmp_path / "rows").mkdir()
    source = opened(write(frame, tmp_path / "rows", 50, 2), tmp_path)
    same(frame_of(source), by_hand(frame, 2))
    assert not list(tmp_path.glob("bucket-*"))


@pytest.mark.parametrize("place", ["in_order.pq.read_table", "survey.Resampler.rest"])
def test_sorting_shows_how_far_it_is_and_leaves_nothing(tmp_path, monkeypatch, place):
    frame = panel().sample(frac=1, random_state=0)
    (tmp_path / "rows").mkdir()
    (tmp_path / "scratch").mkdir()
    write(frame, tmp_path / "rows", 50, 2)
    monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 300)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    learner = bn.TsetlinSieve(time="month", by="client", every=2, random_state=0)
    told = []
    with watched(told.append):
        learner.fit(str(tmp_path / "rows"))
    for stage in ("sorting", "resampling"):
        assert any(one.stage == stage and one.done == len(frame) for one in told)
    assert not list((tmp_path / "scratch").iterdir())

    def interrupt(*_):
        assert list((tmp_path / "scratch").rglob("*.parquet*"))
        raise KeyboardInterrupt

    monkeypatch.setattr(f"bnsieve.rows.{place}", interrupt)
    with pytest.raises(KeyboardInterrupt):
        learner.fit(str(tmp_path / "rows"))
    assert not list((tmp_path / "scratch").iterdir())


def test_rows_without_a_place_are_left_out(tmp_path):
    frame = panel().astype({"month": float})
    frame.loc[[7, 100], "month"] = np.nan
    frame.loc[50, "client"] = None
    (tmp_path / "rows").mkdir()
    source = opened(write(frame, tmp_path / "rows", 50), tmp_path)
    same(frame_of(source), by_hand(frame.dropna(), 2))
    assert source.timeline.steps.n_unplaced == 3


@pytest.mark.parametrize("as_fractions", [False, True])
def test_numbered_entities_are_the_same_beside_missing_ones(tmp_path, as_fractions):
    frame = panel().sample(frac=1, random_state=0).reset_index(drop=True)
    frame["client"] = frame["client"].str[1:].astype("Int64")
    frame.loc[[7, 100], "client"] = None  # in some row groups only
    (tmp_path / "rows").mkdir()
    write(frame, tmp_path / "rows", 50, 2)
    if as_fractions:
        first = tmp_path / "rows" / "000.parquet"
        pd.read_parquet(first).astype({"client": float}).to_parquet(first, index=False)
    source = opened(tmp_path / "rows", tmp_path)
    same(frame_of(source), by_hand(frame.dropna(), 2))
    assert source.timeline.steps.n_entities == 30


def test_repeats_are_named(tmp_path):
    frame = panel()
    frame.loc[5, "month"] = 4
    (tmp_path / "rows").mkdir()
    with pytest.raises(ValueError, match="has two rows with month 4; 1 row repeats"):
        opened(write(frame, tmp_path / "rows", 50), tmp_path)


@pytest.mark.parametrize("columns", [["state", "calls"], ["state", "calls", "load"]])
def test_a_fit_of_files_is_that_of_rows_in_memory(tmp_path, monkeypatch, columns):
    frame = panel(n_entities=120)[["client", "month", "site", *columns]]
    parameters = {"time": "month", "by": "client", "lags": 1, "random_state": 0}
    in_memory = bn.TsetlinSieve(**parameters).fit(frame)
    write(frame, tmp_path, 100, 3)
    monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 50)
    learner = bn.TsetlinSieve(sample_rows=400, **parameters).fit(str(tmp_path))
    assert learner.fit_result_.timeline == in_memory.fit_result_.timeline
    assert learner.fit_result_.n_rows == in_memory.fit_result_.n_rows
    assert learner.graph_ == in_memory.graph_
    if "load" in columns:
        ranks = learner.fit_result_.sieve.rank_maps
        assert not ranks or ranks["load"] is ranks["load@t-1"]
        return
    # Counts are those of all rows, cell by cell.
    whole = in_memory.fit_result_.rows
    families = learner.fit_result_.family_counts
    for table in families.tables.values():
        members = [learner.dag_.nodes[v] for v in table.variables]
        mine = count(whole, [whole.names.index(member) for member in members])
        assert sorted(mine.counts.tolist()) == sorted(table.counts.tolist())


@pytest.mark.parametrize("group_rows", [70, 5000])
@pytest.mark.parametrize("by", ["client", None])
def test_lags_are_chosen_from_blocks_of_files(tmp_path, monkeypatch, by, group_rows):
    rng = np.random.default_rng(0)
    n = 3600
    state = rng.integers(0, 3, n)
    state[2:] = np.where(rng.random(n - 2) < 0.6, state[:-2], state[2:])
    frame = pd.DataFrame({"month": np.arange(n), "state": state, "calls": rng.integers(0, 3, n)})
    frame = frame.astype({"state": str, "calls": str})
    if by is not None:
        frame["client"] = [f"c{i // 36}" for i in range(n)]
    parameters = {"time": "month", "by": by, "lags": "auto", "random_state": 0}
    in_memory = bn.TsetlinSieve(**parameters).fit(frame).fit_result_.timeline
    write(frame.sample(frac=1, random_state=1), tmp_path, group_rows)
    monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 5000)
    learner = bn.TsetlinSieve(sample_rows=400, **parameters).fit(str(tmp_path))
    timeline = learner.fit_result_.timeline
    assert (timeline.lags, timeline.lag_choice.most) == (in_memory.lags, 12) == (2, 12)
    assert ("state@t-2", "state") in learner.graph_.directed_edges


def fine_panel():
    """Rows at uneven times, some of them missing, one entity after the other."""
    rng = np.random.default_rng(1)
    frame = panel(n_entities=40, n_steps=60)
    frame["month"] = frame["month"] + rng.uniform(0, 0.9, len(frame))
    frame.loc[rng.random(len(frame)) < 0.1, "load"] = np.nan
    frame.loc[rng.random(len(frame)) < 0.1, "state"] = None
    frame["busy"] = frame["calls"] > 0
    return frame[rng.random(len(frame)) < 0.8].reset_index(drop=True)


@pytest.mark.parametrize("by", ["client", None])
@pytest.mark.parametrize("mix", [lambda f: f, lambda f: f.sample(frac=1, random_state=0)])
@pytest.mark.parametrize("group_rows", [7, 100])
def test_steps_of_files_are_those_of_rows_in_memory(tmp_path, monkeypatch, by, mix, group_rows):
    frame = fine_panel()
    if by is None:
        frame = frame[frame["client"] == "c3"].drop(columns=["client", "site"])
    frame = mix(frame)
    parameters = {"time": "month", "by": by, "every": 4, "lags": 1, "random_state": 0}
    in_memory = bn.TsetlinSieve(missing="testwise", **parameters).fit(frame)
    write(frame, tmp_path, group_rows, 3)
    monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 50)
    learner = bn.TsetlinSieve(missing="testwise", **parameters).fit(str(tmp_path))
    assert learner.fit_result_.timeline == in_memory.fit_result_.timeline
    found, expected = (one.fit_result_.rows.to_frame() for one in (learner, in_memory))
    assert len(found) == learner.fit_result_.timeline.steps.n_used
    columns = sorted(expected)
    lines = [sorted(map(str, one[columns].to_numpy().tolist())) for one in (found, expected)]
    assert lines[0] == lines[1]
    assert learner.graph_ == in_memory.graph_


def test_steps_of_a_sample_are_counted_over_all_rows(tmp_path, monkeypatch):
    frame = fine_panel().drop(columns="load")
    parameters = {"time": "month", "by": "client", "every": 4, "lags": 1, "random_state": 0}
    in_memory = bn.TsetlinSieve(missing="testwise", **parameters).fit(frame)
    write(frame, tmp_path, 50, 2)
    monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 50)
    learner = bn.TsetlinSieve(missing="testwise", sample_rows=200, **parameters)
    learner.fit(str(tmp_path))
    assert learner.fit_result_.counted is not None
    assert learner.fit_result_.n_rows == in_memory.fit_result_.n_rows
    assert learner.graph_ == in_memory.graph_


def test_a_length_of_the_wrong_kind_is_refused_in_files_too(tmp_path, monkeypatch):
    write(fine_panel(), tmp_path, 100)
    monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 50)
    with pytest.raises(ValueError, match="every='1h' does not suit the time column 'month'"):
        bn.TsetlinSieve(time="month", by="client", every="1h").fit(str(tmp_path))


def test_files_in_which_nothing_changes_are_refused(tmp_path, monkeypatch):
    write(panel()[["client", "month", "site"]], tmp_path, 100)
    monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 50)
    with pytest.raises(ValueError, match="every column is constant within each client"):
        bn.TsetlinSieve(time="month", by="client").fit(str(tmp_path))


def test_files_without_any_time_are_refused(tmp_path, monkeypatch):
    write(panel().assign(month=np.nan), tmp_path, 100)
    monkeypatch.setattr("bnsieve.table.LIMITS.in_memory", 50)
    with pytest.raises(ValueError, match="no row has a time"):
        bn.TsetlinSieve(time="month", by="client").fit(str(tmp_path))
