"""Learning from files: the same as from memory where all fits, and counts of all rows where not."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import bnsieve as bn
from bnsieve.counts import count
from bnsieve.engine import open_engine
from bnsieve.engine.local import Threads
from bnsieve.rows import file_columns, passes
from bnsieve.table import LIMITS, Table, row_ranks
from opened_rows import open_counts

pytestmark = pytest.mark.usefixtures("rows_stay_in_files")

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
    every = Table.from_data(frame)
    with open_counts(folder, 300, 1 << 24, ONE, 0) as rows:
        assert (rows.n_rows, rows.sample().n_rows) == (20_000, 300)
        sets = [["smoke", "lung", "bronc"], ["lung"], ["dysp", "smoke", "asia", "either"]]
        for names, found in zip(sets, rows.joint_counts(sets, trim=True), strict=True):
            expected = count(every, [every.names.index(name) for name in names])
            np.testing.assert_array_equal(found.configurations, expected.configurations)
            np.testing.assert_array_equal(found.counts, expected.counts)
            assert found.has_missing == expected.has_missing
        assert rows.trimmed == {}


def test_probability_tables_are_those_of_all_rows(asia):
    frame, folder = asia
    learner = bn.TsetlinSieve(random_state=0, sample_rows=4000, missing="testwise").fit(folder)
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
    assert learner.duplicates_ == {"copy": "a"}
    assert learner.constant_features_ == ("rare",)
    expected = bn.fit_parameters(learner.dag_, table)
    assert learner.network_ == expected
    assert learner.network_.states["rare"] == ("often", "once")


@pytest.mark.parametrize("method", ["search", "tests"])
def test_two_passes_find_what_all_rows_in_memory_find(asia, method):
    frame, folder = asia
    learner = bn.TsetlinSieve(random_state=0, method=method, sample_rows=4000, missing="testwise")
    two_passes = learner.fit(folder)
    graph, candidates = two_passes.graph_, two_passes.candidates_
    assert two_passes.fit_result_.sieve.trimmed == {}
    for n_jobs in (2, 3):
        again = bn.TsetlinSieve(
            random_state=0, method=method, sample_rows=4000, missing="testwise", n_jobs=n_jobs
        )
        assert again.fit(folder).graph_ == graph
        assert again.candidates_ == candidates
    assert learner.fit(frame).graph_.skeleton() == graph.skeleton()


def test_tables_beyond_the_memory_are_trimmed_and_reported(asia, monkeypatch):
    _, folder = asia
    monkeypatch.setattr("bnsieve.learners.tsetlin_sieve.COUNT_MEMORY", 128 * 8 * 10)
    small = bn.TsetlinSieve(random_state=0, sample_rows=4000, missing="testwise")
    small.fit(folder)
    assert small.fit_result_.sieve.trimmed
    for name, lost in small.fit_result_.sieve.trimmed.items():
        assert set(lost).isdisjoint(small.candidates_[name])
    threaded = bn.TsetlinSieve(random_state=0, sample_rows=4000, missing="testwise", n_jobs=2)
    assert threaded.fit(folder).fit_result_.sieve.trimmed == small.fit_result_.sieve.trimmed
    assert threaded.graph_ == small.graph_


def test_learners_that_read_many_times_refuse_what_does_not_fit(asia, monkeypatch):
    _, folder = asia
    monkeypatch.setattr(LIMITS, "codes", 1000)
    with pytest.raises(ValueError, match="do not fit in memory: TsetlinSieve learns from a sample"):
        bn.PC().fit(folder)


def test_samples_without_a_seed_differ(asia):
    _, folder = asia
    learner = bn.TsetlinSieve(sample_rows=4000, missing="testwise")
    assert learner.fit(folder).n_features_in_ == 8


def test_an_engine_that_cannot_be_had_is_an_error(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    monkeypatch.delitem(__import__("sys").modules, "bnsieve.engine.ray", raising=False)
    with pytest.raises(ImportError, match=r"engine='ray' needs Ray: .*bnsieve\[ray\]"):  # noqa: SIM117
        with open_engine("ray", None):
            pass


# ---------------------------------------------------------------- columns of numbers


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """Rows with numbers of every kind, as a frame and as files."""
    rng = np.random.default_rng(5)
    n = 3000
    age = rng.integers(18, 90, n)
    pressure = 100 + 0.5 * age + rng.normal(0, 10, n)
    frame = pd.DataFrame(
        {
            "age": age,
            "pressure": np.where(rng.random(n) < 0.02, np.nan, pressure),
            "dose": (rng.normal(pressure, 8) / 50).round(2),
            "visits": np.where(rng.random(n) < 0.05, np.nan, rng.integers(0, 4, n)),
            "treated": np.where(rng.normal(pressure, 5) > 127, "yes", "no"),
        }
    )
    folder = tmp_path_factory.mktemp("people")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    dose = pa.array(map(Decimal, frame["dose"].astype(str)), pa.decimal128(9, 2))
    table = table.set_column(2, "dose", dose)
    for i in range(3):
        pq.write_table(table.slice(i * 1000, 1000), folder / f"{i}.parquet", row_group_size=300)
    return frame, folder


@pytest.mark.parametrize(
    "learner",
    [
        bn.TsetlinSieve(random_state=0, prepare=bn.Discretizer()),
        bn.PC(prepare=bn.Discretizer(method="quantile", n_bins=3)),
    ],
)
def test_numbers_of_files_are_cut_as_those_of_a_frame(people, learner):
    frame, folder = people
    expected = clone(learner).fit(frame)
    found = clone(learner).fit(folder)
    assert found.network_ == expected.network_
    assert found.graph_ == expected.graph_
    assert found.preparation_ == expected.preparation_
    assert set(found.preparation_.bin_edges) == {"age", "pressure", "dose"}
    assert found.n_missing_ == expected.n_missing_


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_numbers_of_all_rows_are_cut_where_the_sample_was(people, monkeypatch, n_jobs):
    frame, folder = people
    monkeypatch.setattr(passes, "MAX_ROWS", 800)
    learner = bn.TsetlinSieve(
        random_state=0, missing="testwise", sample_rows=500, prepare=bn.Discretizer(), n_jobs=n_jobs
    )
    learner.fit(folder)
    assert learner.fit_result_.rows.n_rows == 500
    # Which rows were drawn depends on the seed alone.
    drawn = np.sort(np.argsort(row_ranks(0, 3000, 0), kind="stable")[:800])
    expected = bn.Discretizer().fit(frame.iloc[drawn])
    edges = {name: tuple(own) for name, own in expected.bin_edges_.items()}
    assert learner.preparation_.bin_edges == edges
    assert learner.network_ == bn.fit_parameters(learner.dag_, expected.transform(frame))


def test_new_numbers_are_cut_as_those_before(people, tmp_path):
    frame, folder = people
    files = sorted(folder.iterdir())
    learner = bn.TsetlinSieve(
        random_state=0, sample_rows=500, missing="testwise", prepare=bn.Discretizer()
    ).fit(files[:2])
    learner.save(tmp_path / "learner.zip")
    loaded = bn.load(tmp_path / "learner.zip")
    for one in (learner, loaded):
        one.update(files[2])
        cut = one.preparation_.apply(frame)
        assert one.network_ == bn.fit_parameters(one.dag_, cut)


def test_without_numbers_nothing_is_drawn(asia, monkeypatch):
    monkeypatch.setattr(file_columns, "draw_rows", lambda *_: pytest.fail("a reading for nothing"))
    learner = bn.TsetlinSieve(
        random_state=0, sample_rows=500, missing="testwise", prepare=bn.Discretizer()
    ).fit(asia[1])
    assert learner.preparation_.bin_edges == {}


def test_whole_numbers_that_turn_out_to_be_fractions_are_refused(tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"flag": [0.0, 1.0] * 200, "text": ["u", "v"] * 200}), path)
    learner = bn.TsetlinSieve(random_state=0, sample_rows=50, prepare=bn.prepare(path))
    pq.write_table(pa.table({"flag": [0.0, 0.5] * 200, "text": ["u", "v"] * 200}), path)
    with pytest.raises(ValueError, match=r"rows\.parquet: column 'flag' holds 0\.5, but whole"):
        learner.fit(path)


def test_numbers_that_are_not_to_be_cut_are_refused(tmp_path):
    path = tmp_path / "rows.parquet"
    table = pa.table({"x": [2.5, 3.5], "text": ["u", "v"]})
    for end, write in (("parquet", pq.write_table), ("csv", pyarrow.csv.write_csv)):
        path = tmp_path / f"rows.{end}"
        write(table, path)
        with pytest.raises(TypeError, match=rf"rows\.{end}: column 'x' .*2\.5.*prepare at 'auto'"):
            bn.TsetlinSieve(prepare=None).fit(path)
    with pytest.raises(TypeError, match="the data: column 'x' holds fractional numbers"):
        bn.TsetlinSieve(prepare=None).fit(iter([table]))
    with pytest.raises(ValueError, match="prepare must be 'auto'"):
        bn.TsetlinSieve(prepare="yes").fit(path)
