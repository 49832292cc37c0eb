"""Numbers of rows in files are learned from as those of a frame: same sample, same sums."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bnsieve as bn
from bnsieve.counts import Summed, moments_of
from bnsieve.engine import watched
from bnsieve.learners import stages
from bnsieve.learners.drawn_rows import DrawnRows
from bnsieve.table import Table, drawn_rows, some_rows

pytestmark = pytest.mark.usefixtures("rows_stay_in_files")

N_ROWS, N_SAMPLE = 9_000, 2_000


def people(n: int = N_ROWS, seed: int = 0, gaps: bool = False) -> pd.DataFrame:
    """Return age -> pressure -> treated -> cost, and a curve: age -> income."""
    rng = np.random.default_rng(seed)
    age = rng.uniform(18, 90, n)
    pressure = 100 + 0.5 * age + rng.normal(0, 10, n)
    treated = np.where(pressure + rng.normal(0, 5, n) > 130, "yes", "no").astype(object)
    cost = rng.gamma(np.where(treated == "yes", 6.0, 2.0))
    income = -((age - 50) ** 2) / 100 + rng.normal(0, 2, n)
    frame = pd.DataFrame(
        {"age": age, "pressure": pressure, "treated": treated, "cost": cost, "income": income}
    )
    if gaps:
        frame.loc[rng.random(n) < 0.1, "pressure"] = np.nan
        frame.loc[rng.random(n) < 0.1, "treated"] = None
        frame.loc[rng.random(n) < 0.2, "income"] = np.nan
    return frame


TRUTH = {
    frozenset(edge) for edge in (("age", "pressure"), ("pressure", "treated"), ("treated", "cost"))
} | {frozenset(("age", "income"))}


def interacting(n: int = N_ROWS) -> pd.DataFrame:
    """Return y and z, which tell of w and sound only together."""
    rng = np.random.default_rng(0)
    y, z = rng.normal(size=(2, n))
    either = (y > 0) ^ (z > 0)
    return pd.DataFrame(
        {
            "y": y,
            "z": z,
            "w": 2.0 * either + rng.normal(0, 0.5, n),
            "sound": np.where(either ^ (rng.random(n) < 0.1), "loud", "soft"),
        }
    )


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    monkeypatch.setattr(stages, "MANY_ROWS", 4_000)


def written(frame: pd.DataFrame, folder, n_files: int = 2) -> list:
    """Write rows as Parquet files of several row groups."""
    paths = []
    for i, rows in enumerate(np.array_split(np.arange(len(frame)), n_files)):
        table = pa.Table.from_pandas(frame.iloc[rows], preserve_index=False)
        paths.append(folder / f"{i}.parquet")
        pq.write_table(table, paths[-1], row_group_size=1_100)
    return paths


def fitted(data, **settings) -> bn.TsetlinSieve:
    settings = {"random_state": 0, "sample_rows": N_SAMPLE, "missing": "testwise", **settings}
    return bn.TsetlinSieve(**settings).fit(data)


def prepared_alike(frame: pd.DataFrame) -> Table:
    """Return all rows of a frame, prepared as its first are."""
    plan = bn.TsetlinSieve(random_state=0).fit(frame.head(3_000)).preparation_
    return Table.from_data(plan.apply(frame)).with_numbers(plan.numbers(frame))


def sums_in_memory(frame: pd.DataFrame, learner: bn.TsetlinSieve) -> Summed:
    """Sum all rows of a frame as the learner's embedding says, whatever it was made from."""
    embedding = learner.fit_result_.counted.summed.embedding
    table = prepared_alike(frame)
    return Summed(embedding, moments_of(table.select(embedding.names), embedding))


def assert_same_sums(found: Summed, expected: Summed) -> None:
    n_rows = expected.moments.n_rows.max()
    for name in ("n_rows", "sums", "products"):
        one, other = getattr(found.moments, name), getattr(expected.moments, name)
        np.testing.assert_allclose(one / n_rows, other / n_rows, rtol=0, atol=1e-12)


def assert_same(found: bn.TsetlinSieve, expected: bn.TsetlinSieve) -> None:
    assert found.graph_ == expected.graph_
    assert found.dag_ == expected.dag_
    assert found.numeric_features_ == expected.numeric_features_
    assert found.confirmed_edges_ == expected.confirmed_edges_
    assert found.score_ == pytest.approx(expected.score_, rel=1e-9)
    for name, ranks in expected.fit_result_.sieve.rank_maps.items():
        np.testing.assert_array_equal(found.fit_result_.sieve.rank_maps[name].lowest, ranks.lowest)
        np.testing.assert_array_equal(found.fit_result_.sieve.rank_maps[name].scores, ranks.scores)


@pytest.mark.parametrize("gaps", [False, True])
def test_a_frame_and_files_give_the_same(tmp_path, gaps):
    frame = people(gaps=gaps)
    expected = fitted(frame)
    assert expected.numeric_features_ == ("age", "cost", "income", "pressure")
    assert {frozenset(edge) for edge in expected.graph_.skeleton().undirected_edges} == TRUTH
    paths = written(frame, tmp_path)
    rows = pa.Table.from_pandas(frame, preserve_index=False)
    csv = tmp_path / "rows.csv"
    frame.to_csv(csv, index=False)
    for data in (paths, csv, iter(rows.to_batches(max_chunksize=700))):
        found = fitted(data, n_jobs=2)
        assert_same(found, expected)
        assert found.fit_result_.rows.n_rows == N_SAMPLE
        assert found.n_missing_ == expected.n_missing_
        assert_same_sums(found.fit_result_.counted.summed, sums_in_memory(frame, found))


def test_the_sample_of_memory_and_files_is_one(tmp_path):
    frame = people(gaps=True)
    found = fitted(written(frame, tmp_path))
    values = frame["pressure"].to_numpy()[drawn_rows(N_ROWS, N_SAMPLE, 0)]
    np.testing.assert_array_equal(found.fit_result_.rows.numbers[1], values)
    table = prepared_alike(frame)
    sums = DrawnRows(table, some_rows(table, N_SAMPLE, 0), 0).moments(sorted(table.names))
    assert_same_sums(found.fit_result_.counted.summed, sums)


def test_increasing_transforms_change_nothing(tmp_path):
    frame = people()
    expected = fitted(frame)
    changed = frame.assign(
        age=np.exp(frame["age"] / 5),
        pressure=frame["pressure"] ** 3,
        cost=np.log(frame["cost"]),
    )
    assert fitted(written(changed, tmp_path)).graph_ == expected.graph_


def test_sums_of_later_files_add_up(tmp_path):
    frame = people(gaps=True)
    paths = written(frame, tmp_path, n_files=3)
    learner = fitted(paths[:2])
    ranks = {name: one.lowest for name, one in learner.fit_result_.sieve.rank_maps.items()}
    learner.save(tmp_path / "learner.zip")
    for one in (learner, bn.load(tmp_path / "learner.zip")):
        one.update(paths[2])
        assert one.numeric_features_ == ("age", "cost", "income", "pressure")
        assert {frozenset(edge) for edge in one.graph_.skeleton().undirected_edges} == TRUTH
        for name, lowest in ranks.items():
            np.testing.assert_array_equal(one.fit_result_.sieve.rank_maps[name].lowest, lowest)
        assert_same_sums(one.fit_result_.counted.summed, sums_in_memory(frame, one))
        assert one.fit_result_.counted.found.n_rows == N_ROWS
        assert not one.drift_.stale


def test_labels_that_only_later_files_have_count_as_others(tmp_path):
    frame = people()
    late = people(1_000, seed=1).assign(treated="perhaps")
    learner = fitted(written(frame, tmp_path))
    before = learner.fit_result_.counted.summed.moments
    with pytest.warns(UserWarning, match="differ from those before"):
        learner.update(written(late, tmp_path, n_files=1))
    after = learner.fit_result_.counted.summed.moments
    label = learner.fit_result_.counted.summed.embedding.names.index("treated")
    first = learner.fit_result_.counted.summed.embedding.first
    assert after.n_rows[label, label] == N_ROWS + 1_000
    # "no" has the only indicator.
    assert after.sums[first[label], label] == before.sums[first[label], label]


def test_bins_that_explain_more_are_counted_in_all_rows(tmp_path):
    frame = interacting()
    expected = fitted(frame)
    assert expected.numeric_features_ == () and expected.graph_.n_edges > 2
    paths = written(frame, tmp_path, n_files=3)
    found = fitted(paths)
    assert_same(found, expected)
    assert found.preparation_ == expected.preparation_
    assert found.network_ == bn.fit_parameters(found.dag_, found.preparation_.apply(frame))
    assert found.fit_result_.counted.summed is None
    # Later rows are cut where these were, and stay labels.
    learner = fitted(paths[:2]).update(paths[2])
    assert learner.numeric_features_ == ()
    assert learner.network_ == bn.fit_parameters(learner.dag_, learner.preparation_.apply(frame))


def test_what_is_cut_on_request_is_labels(tmp_path):
    frame = people()
    paths = written(frame, tmp_path, n_files=3)
    learner = fitted(paths[:2], prepare=bn.Discretizer())
    assert learner.numeric_features_ == () and not learner.fit_result_.rows.numbers
    assert learner.fit_result_.counted.summed is None
    learner.update(paths[2])
    assert learner.network_ == bn.fit_parameters(learner.dag_, learner.preparation_.apply(frame))


@pytest.mark.parametrize("missing", ["auto", "testwise"])
def test_rows_that_are_not_many_are_those_of_a_frame(tmp_path, missing):
    frame = people(3_600, gaps=True)
    paths = written(frame, tmp_path, n_files=3)
    expected, found = fitted(frame, missing=missing), fitted(paths, missing=missing)
    assert_same(found, expected)
    np.testing.assert_array_equal(found.fit_result_.rows.numbers[0], frame["age"])
    # More of them are put below, whatever they come in.
    first = frame.head(2_400)
    by_frame = fitted(first, missing=missing).update(frame.tail(1_200))
    by_file = fitted(paths[:2], missing=missing).update(paths[2])
    assert_same(by_file, by_frame)


def test_infinite_numbers_are_read_as_missing_as_in_a_frame(tmp_path):
    frame = people()
    frame.loc[3, "age"] = np.inf
    told = "age, such as 'inf' in row 4, are read as missing"
    with pytest.warns(UserWarning, match=told):
        expected = fitted(frame)
    with pytest.warns(UserWarning, match=told):
        found = fitted(written(frame, tmp_path))
    assert_same(found, expected)
    assert found.n_missing_ == expected.n_missing_ == {"age": 1}
    summed = found.fit_result_.counted.summed
    age = summed.embedding.names.index("age")
    assert summed.moments.n_rows[age, age] == N_ROWS - 1


def test_all_learners_have_the_numbers_of_files(tmp_path):
    frame = people(1_000)
    learner = bn.PC().fit(written(frame, tmp_path))
    np.testing.assert_array_equal(learner.fit_result_.rows.numbers[0], frame["age"])


def test_the_second_pass_is_told_and_can_be_stopped(tmp_path):
    paths = written(people(), tmp_path)
    heard = []
    with watched(heard.append):
        fitted(paths)
    told = [one.text for one in heard if one.stage == "counting" and "rows" in one.text]
    assert told[-1] == f"{N_ROWS:,} of {N_ROWS:,} rows"

    def stop(one) -> None:
        if one.stage == "counting":
            raise KeyboardInterrupt

    with watched(stop), pytest.raises(KeyboardInterrupt):
        fitted(paths, n_jobs=2)
