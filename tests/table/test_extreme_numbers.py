"""Numbers at the ends of what floats can hold."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.table import bin_labels


def numbers():
    rng = np.random.default_rng(0)
    a = rng.normal(size=500)
    return pd.DataFrame({"a": a, "b": a + rng.normal(size=500), "c": rng.normal(size=500)})


@pytest.mark.parametrize(("shift", "scale"), [(1e15, 1.0), (0.0, 3e307), (0.0, 1e18)])
def test_very_large_numbers_are_numbers(shift, scale):
    frame = numbers() * scale + shift
    assert [column.role for column in bn.prepare(frame).columns] == ["quantity"] * 3
    learner = bn.TsetlinSieve(random_state=0, n_jobs=1).fit(frame)
    assert {frozenset(edge) for edge in learner.graph_.edges} == {frozenset("ab")}


def test_bins_of_numbers_that_hardly_differ_have_names_of_their_own():
    edges = 1e15 + np.array([0.125, 0.25, 0.375])
    assert len(set(bin_labels(edges))) == 4
    assert bin_labels(np.array([0.1, 0.2])) == ("< 0.1", "[0.1, 0.2)", ">= 0.2")


def test_integers_beyond_floats_stay_identifiers():
    frame = pd.DataFrame({"key": 10**17 + np.arange(500) * 3, "x": list("ab") * 250})
    assert bn.prepare(frame).columns[0].role == "identifier"


def test_more_rows_than_memory_are_refused_in_words():
    with pytest.raises(ValueError, match="draw them in pieces, with first_row"):
        bn.load_network("asia").sample(10**15)


def test_memory_that_is_short_while_rows_are_drawn_is_said_in_words(monkeypatch):
    def refuse(*_):
        raise MemoryError

    monkeypatch.setattr("bnsieve.network.prediction.sample_codes", refuse)
    with pytest.raises(ValueError, match="100 rows do not fit in memory: draw them in pieces"):
        bn.load_network("asia").sample(100)
