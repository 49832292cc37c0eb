"""One fingerprint of graph, counts, candidates, importances, strengths and answers, everywhere.

`python -m benchmarks fingerprint matrix` tries the same conditions, also in other environments.
"""

import sys

import pytest

import bnsieve as bn
from benchmarks.fingerprint.matrix import (
    EXACT_ANSWERS,
    HASH_SEEDS,
    IN_PROCESS,
    RAY,
    TABLES,
    Condition,
    differences,
    found_in,
    labels,
    numbers,
    plain,
    plain_elsewhere,
)
from benchmarks.fingerprint.study import found_by
from benchmarks.fingerprint.values import encoded


@pytest.fixture(scope="module")
def base():
    return plain()


def test_the_tables_are_what_they_are_for(base):
    """Or the matrix would say little: gaps, numbers as numbers, edges, and files in two passes."""
    learner = bn.TsetlinSieve(random_state=0, n_jobs=1).fit(labels())
    assert set(learner.n_missing_) == {"Akt"}
    assert learner.graph_.n_edges > 5
    learner.fit(numbers())
    assert set(learner.numeric_features_) == {"age", "fever", "pressure", "pulse"}
    assert base["many"] != Condition("all rows", settings={"sample_rows": 10_000}).found_in("many")
    assert len({digest for found in base.values() for digest in found.values()}) == 3 * 7


def test_what_differs_is_seen(base):
    fewer = found_in("labels", labels().iloc[:300])
    assert differences(base["labels"], fewer) == list(fewer), "of other rows nothing is the same"
    assert EXACT_ANSWERS not in differences(base["labels"], fewer, [EXACT_ANSWERS])


@pytest.mark.parametrize(
    "condition",
    [
        # Other tests read the same table in other forms too, and learn twice.
        pytest.param(one, id=one.name, marks=[] if one.settings or one.turned else pytest.mark.slow)
        for one in IN_PROCESS
    ],
)
def test_it_is_the_same_under_every_condition(base, condition):
    if condition.needs is not None:
        pytest.importorskip(condition.needs)
    for table in condition.tables:
        found = condition.found_in(table)
        assert differences(base[table], found, condition.apart) == [], table


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Ray's own
def test_it_is_the_same_on_ray(base, monkeypatch):
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    for table in TABLES:
        assert differences(base[table], RAY.found_in(table)) == [], table


@pytest.mark.slow
@pytest.mark.parametrize("seed", HASH_SEEDS)
def test_it_is_the_same_for_every_seed_of_hashes(base, seed):
    assert plain_elsewhere(sys.executable, PYTHONHASHSEED=seed) == base


@pytest.mark.parametrize("make", [bn.PC, bn.HitonPC, bn.FSMBPC], ids=lambda one: one.__name__)
def test_rows_in_another_order_are_the_same_to_learners_that_only_count(make):
    rows = TABLES["many"]()
    shuffled = rows.sample(frac=1, random_state=0)
    found, other = (encoded(found_by(make(n_jobs=1).fit(data))) for data in (rows, shuffled))
    assert found == other


def test_rows_in_another_order_are_prepared_alike():
    for table in ("labels", "numbers"):
        rows = TABLES[table]()
        found, other = (bn.prepare(data) for data in (rows, rows.sample(frac=1, random_state=0)))
        assert found.columns == other.columns
