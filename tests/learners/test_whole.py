"""Learning from files: the same as from memory where all fits, and counts of all rows where not."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bnsieve as bn
from bnsieve.counts import count
from bnsieve.engine.choice import open_engine
from bnsieve.engine.local import Threads
from bnsieve.learners.whole import opened
from bnsieve.table import Table

ONE = Threads(1, map)


@pytest.fixture(scope="module")
def asia(tmp_path_factory):
    """Rows of a network as a frame and as files, with missing cells in one column."""
    frame = bn.load_network("asia").sample(20_000, random_state=3).astype(str).astype("category")
    frame["smoke"] = frame["smoke"].where(np.arange(len(frame)) % 50 > 0)
    folder = tmp_path_factory.mktemp("asia")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for i in range(4):
        part = table.slice(i * 5000, 5000)
        pq.write_table(part, folder / f"{i}.parquet", row_group_size=900)
    return frame, folder


@pytest.mark.parametrize("learner", [bn.TsetlinSieve(random_state=0, sample_rows=20_000), bn.PC()])
def test_rows_that_fit_in_memory_give_what_a_frame_gives(asia, learner):
    frame, folder = asia
    from_files = learner.fit(folder).graph_
    assert from_files == learner.fit(frame).graph_


def test_counts_are_those_of_all_rows(asia):
    frame, folder = asia
    whole = Table.from_data(frame)
    with opened(folder, 300, 1 << 24, ONE, 0) as sample:
        assert sample.n_rows == 300
        sets = [["smoke", "lung", "bronc"], ["lung"], ["dysp", "smoke", "asia", "either"]]
        for names, found in zip(sets, sample.origin.count(sets), strict=True):
            expected = count(whole, [whole.names.index(name) for name in names])
            np.testing.assert_array_equal(found.configurations, expected.configurations)
            np.testing.assert_array_equal(found.counts, expected.counts)
            assert found.has_missing == expected.has_missing
        assert sample.origin.trimmed == {}


def test_probability_tables_are_those_of_all_rows(asia):
    frame, folder = asia
    learner = bn.TsetlinSieve(random_state=0, sample_rows=4000).fit(folder)
    expected = bn.fit_parameters(learner.dag_, frame)
    assert learner.network_ == expected


def test_rare_and_copied_columns(tmp_path):
    rng = np.random.default_rng(0)
    n = 20_000
    a = rng.choice(["u", "v"], n)
    b = np.where(rng.random(n) < 0.9, a, "u")
    rare = np.where(np.arange(n) == n - 1, "once", "often")
    copy = np.where(a == "u", "U", "V")
    table = pa.table({"a": a, "b": b, "rare": rare, "copy": copy})
    pq.write_table(table, tmp_path / "a.parquet")
    learner = bn.TsetlinSieve(random_state=0, sample_rows=500).fit(tmp_path / "a.parquet")
    assert learner.copies_ == {"copy": "a"}
    assert learner.constant_features_ == ("rare",)
    expected = bn.fit_parameters(learner.dag_, table)
    assert learner.network_ == expected
    assert learner.network_.levels["rare"] == ("often", "once")


@pytest.mark.parametrize("method", ["search", "tests"])
def test_two_passes_find_what_all_rows_in_memory_find(asia, method):
    frame, folder = asia
    learner = bn.TsetlinSieve(random_state=0, method=method, sample_rows=4000)
    two_passes = learner.fit(folder)
    graph, candidates = two_passes.graph_, two_passes.candidates_
    assert two_passes.trimmed_ == {}
    for n_jobs in (2, 3):
        again = bn.TsetlinSieve(random_state=0, method=method, sample_rows=4000, n_jobs=n_jobs)
        assert again.fit(folder).graph_ == graph
        assert again.candidates_ == candidates
    assert learner.fit(frame).skeleton_ == graph.skeleton()


def test_tables_beyond_the_memory_are_trimmed_and_reported(asia):
    _, folder = asia
    small = bn.TsetlinSieve(random_state=0, sample_rows=4000, memory=128 * 8 * 10)
    small.fit(folder)
    assert small.trimmed_
    for name, lost in small.trimmed_.items():
        assert set(lost).isdisjoint(small.candidates_[name])
    threaded = bn.TsetlinSieve(random_state=0, sample_rows=4000, memory=128 * 8 * 10, n_jobs=2)
    assert threaded.fit(folder).trimmed_ == small.trimmed_
    assert threaded.graph_ == small.graph_


def test_learners_that_read_many_times_refuse_what_does_not_fit(asia, monkeypatch):
    _, folder = asia
    monkeypatch.setattr("bnsieve.learners.whole._MAX_CELLS", 1000)
    with pytest.raises(ValueError, match="do not fit in memory: TsetlinSieve learns from a sample"):
        bn.PC().fit(folder)


def test_samples_without_a_seed_differ(asia):
    _, folder = asia
    learner = bn.TsetlinSieve(sample_rows=4000)
    assert learner.fit(folder).n_features_in_ == 8


def test_an_engine_that_cannot_be_had_is_an_error(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    monkeypatch.delitem(__import__("sys").modules, "bnsieve.engine.ray", raising=False)
    with pytest.raises(ImportError, match=r"engine='ray' needs Ray: .*bnsieve\[scale\]"):  # noqa: SIM117
        with open_engine("ray", None):
            pass
