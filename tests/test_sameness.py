"""One result of a fit, to the last bit: whatever the threads, instructions and order of columns.

`python -m benchmarks fingerprint matrix` tries more: Ray, seeds of hashes, files, other libraries.
"""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve import _native
from bnsieve.table import LIMITS

SEED = 3


def labels():
    """Rows of labels, some of which are missing."""
    rows = bn.load_network("sachs").sample(500, random_state=SEED).astype(object)
    rows.loc[np.random.default_rng(SEED).random(len(rows)) < 0.1, "Akt"] = None
    return rows


def numbers():
    """Rows of numbers that depend on each other and on labels."""
    rng, n = np.random.default_rng(SEED), 500
    sick = rng.random(n) < 0.4
    age = rng.integers(20, 80, n)
    fever = 37 + sick + rng.normal(0, 0.5, n)
    pulse = 20 * (fever - 33) + rng.normal(0, 10, n)
    pressure = 100 + age / 2 + rng.normal(0, 8, n)
    label = np.where(sick, "yes", "no").astype(object)
    return pd.DataFrame(
        {"sick": label, "age": age, "fever": fever, "pulse": pulse, "pressure": pressure}
    )


def many():
    """Rows of which only some are searched, so that files are read in two passes."""
    return bn.load_network("asia").sample(4_000, random_state=SEED).astype(object)


TABLES = {"labels": labels, "numbers": numbers, "many": many}


def fitted(table, folder, n_jobs=1, turned=False):
    frame = TABLES[table]()
    if turned:
        frame = frame[frame.columns[::-1]]
    if table != "many":
        return bn.TsetlinSieve(random_state=SEED, n_jobs=n_jobs).fit(frame)
    path = folder / "rows.parquet"
    frame.to_parquet(path, index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS, "in_memory", 0)  # so few rows would be read into memory
        return bn.TsetlinSieve(random_state=SEED, n_jobs=n_jobs, sample_rows=500).fit(path)


def result_of(learner):
    """Everything that a fit finds, by names, so that the order of columns does not show."""
    order = np.argsort(learner.fit_result_.sieve.machines.names)
    strengths = learner.bootstrap(4, n_jobs=learner.n_jobs)
    network = learner.network_
    return {
        "edges": (
            set(learner.dag_.directed_edges),
            set(learner.graph_.directed_edges),
            {frozenset(edge) for edge in learner.graph_.undirected_edges},
        ),
        "score": learner.score_,
        "candidates": learner.candidates_,
        "importance": learner.fit_result_.sieve.machines.importance[np.ix_(order, order)].tolist(),
        "strengths": {
            frozenset([(x, there), (y, back)]): undirected
            for (x, y), (there, back, undirected) in zip(
                np.asarray(strengths.nodes)[strengths.pairs].tolist(),
                strengths.counts.tolist(),
                strict=True,
            )
        },
        "answers": {
            name: network.query(name).probabilities.tolist() for name in sorted(network.graph.nodes)
        },
    }


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    return {table: result_of(fitted(table, folder)) for table in TABLES}


def test_the_tables_are_what_they_are_for(plain):
    """Or the tests below would say little: missing values, numbers as numbers, edges."""
    learner = fitted("labels", None)
    assert set(learner.n_missing_) == {"Akt"}
    assert learner.graph_.n_edges > 5
    assert set(fitted("numbers", None).numeric_features_) == {"age", "fever", "pressure", "pulse"}
    searched = bn.TsetlinSieve(random_state=SEED).fit(many())
    assert plain["many"]["importance"] != result_of(searched)["importance"]


@pytest.mark.parametrize("n_jobs", [1, 2, 7])
def test_it_is_the_same_for_any_number_of_threads(plain, n_jobs, tmp_path):
    for table in TABLES:
        assert result_of(fitted(table, tmp_path, n_jobs)) == plain[table], table


@pytest.mark.parametrize("level", _native.simd_levels())
def test_it_is_the_same_for_every_instruction_set(plain, level, tmp_path):
    before = _native.simd_level()
    _native.force_simd_level(level)
    try:
        for table in TABLES:
            assert result_of(fitted(table, tmp_path)) == plain[table], table
    finally:
        _native.force_simd_level(before)


def test_it_is_the_same_for_columns_in_another_order(plain, tmp_path):
    for table in TABLES:
        found = result_of(fitted(table, tmp_path, turned=True))
        # Sums over columns in another order round in another way.
        answers, expected = found.pop("answers"), dict(plain[table])
        for name, probabilities in expected.pop("answers").items():
            assert answers[name] == pytest.approx(probabilities, abs=1e-12)
        assert found == expected, table


@pytest.mark.parametrize("make", [bn.PC, bn.HitonPC, bn.FSMBPC], ids=lambda one: one.__name__)
def test_rows_in_another_order_are_the_same_to_learners_that_only_count(make):
    first, second = (make().fit(rows) for rows in (many(), many().sample(frac=1, random_state=0)))
    assert first.graph_ == second.graph_
    assert first.separating_sets_ == second.separating_sets_
    assert (first.fit_result_.n_tests, first.fit_result_.n_orientation_tests) == (
        second.fit_result_.n_tests,
        second.fit_result_.n_orientation_tests,
    )


def test_rows_in_another_order_are_prepared_alike():
    for rows in (labels(), numbers()):
        found, other = (bn.prepare(data) for data in (rows, rows.sample(frac=1, random_state=0)))
        assert found.columns == other.columns
