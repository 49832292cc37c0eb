"""The seam between learning and the data: a source of counts that the library does not know."""

from collections import Counter

import numpy as np
import pytest

import bnsieve as bn
from bnsieve.counts import CountSource, JointCounts, TableRows
from bnsieve.learners import base
from bnsieve.table import Table, code_dtype


class Chunks:
    """Rows as a list of frames; counts them one by one, as a stranger would."""

    def __init__(self, chunks, n_sample, most=8):
        self.chunks = chunks
        self.n_rows = sum(map(len, chunks))
        self.n_sample = n_sample
        self.most = most
        self.categories = {
            name: tuple(sorted({label for chunk in chunks for label in chunk[name].dropna()}))
            for name in chunks[0].columns
        }
        self.trimmed = {}
        self.asked = []

    def sample(self):
        return Table.from_data(self.chunks[0][: self.n_sample])

    def larger_sample(self, names):
        return Table.from_data(self.chunks[0][list(names)])

    def joint_counts(self, families, *, trim=False):
        self.asked.append(trim)
        if trim:
            self.trimmed = {one[0]: tuple(one[self.most :]) for one in families if one[self.most :]}
            families = [one[: self.most] for one in families]
        return [self._count(names) for names in families]

    def _count(self, names):
        rows = Counter()
        for chunk in self.chunks:
            for row in chunk[list(names)].astype(object).itertuples(index=False):
                codes = [
                    self.categories[name].index(label)
                    if label == label
                    else len(self.categories[name])
                    for name, label in zip(names, row, strict=True)
                ]
                rows[tuple(codes)] += 1
        n_categories = tuple(len(self.categories[name]) for name in names)
        found = sorted(rows)
        has_missing = tuple(
            any(codes[i] == n for codes in found) for i, n in enumerate(n_categories)
        )
        return JointCounts(
            tuple(range(len(names))),
            n_categories,
            has_missing,
            np.array(found, dtype=code_dtype(max(n_categories) + 1)).T.copy(),
            np.array([rows[codes] for codes in found], dtype=np.int64),
        )


@pytest.fixture(scope="module")
def rows():
    frame = bn.load_network("asia").sample(6_000, random_state=2).astype(str)
    frame["smoke"] = frame["smoke"].where(np.arange(len(frame)) % 60 > 0)
    return frame


def chunks(frame, n=4, **options):
    size = len(frame) // n
    return Chunks([frame[i * size : (i + 1) * size] for i in range(n)], **options)


def test_a_source_of_ones_own_gives_the_graph_of_rows_in_memory(rows):
    learner = bn.TsetlinSieve(random_state=0, missing="testwise")
    in_memory = learner.fit(rows).graph_
    source = chunks(rows, n_sample=1_000)
    assert isinstance(source, CountSource)
    learner.fit(source)
    assert learner.graph_ == in_memory
    # The probabilities are those of all rows, and so are the labels.
    assert learner.network_ == bn.fit_parameters(learner.dag_, rows)
    assert learner.fit_result_.rows.n_rows == 1_000
    # Missing cells, the tables of candidates, the families of the network.
    assert source.asked == [False, True, False]
    assert "counting" in learner.timings_
    # What only a source of our own keeps is not made up for another's.
    assert learner.fit_result_.counted is None


def test_what_a_source_trims_is_reported(rows):
    source = chunks(rows, n_sample=1_000, most=2)
    learner = bn.TsetlinSieve(random_state=0).fit(source)
    assert learner.fit_result_.sieve.trimmed == source.trimmed != {}
    assert all(len(chosen) <= 1 for chosen in learner.candidates_.values())


def test_few_rows_are_not_counted_again(rows):
    source = chunks(rows[:500], n=1, n_sample=500)
    learner = bn.TsetlinSieve(random_state=0, missing="testwise").fit(source)
    assert source.asked == [False]
    assert learner.graph_ == learner.fit(rows[:500]).graph_


def test_learners_that_need_all_rows_say_so(rows):
    with pytest.raises(ValueError, match="this learner needs all 6,000 rows in memory"):
        bn.PC().fit(chunks(rows, n_sample=1_000))
    few = chunks(rows[:500], n=1, n_sample=500)
    assert bn.PC().fit(few).graph_ == bn.PC().fit(rows[:500]).graph_


def test_rows_in_memory_are_a_source(rows):
    table = Table.from_data(rows)
    source = TableRows(table)
    assert isinstance(source, CountSource)
    assert source.n_rows == len(rows)
    assert source.larger_sample(["tub", "asia"]).names == ("tub", "asia")
    families = [["smoke", "lung"], ["xray"]]
    expected = chunks(rows, n_sample=1).joint_counts(families)
    assert source.joint_counts(families) == expected
    assert not source.trimmed


@pytest.mark.parametrize("given", ["frame", "files"])
def test_one_engine_serves_a_fit(rows, tmp_path, monkeypatch, given):
    opened = []
    open_engine = base.open_engine

    def noted(*arguments):
        opened.append(arguments)
        return open_engine(*arguments)

    monkeypatch.setattr(base, "open_engine", noted)
    data = rows
    if given == "files":
        data = tmp_path / "rows.parquet"
        rows.to_parquet(data)
    for learner in (bn.TsetlinSieve(method="tests", random_state=0, sample_rows=500), bn.PC()):
        opened.clear()
        learner.fit(data)
        assert len(opened) == 1
