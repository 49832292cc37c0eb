"""Columns with more categories than can be counted: the frequent ones are grouped all the same."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import bnsieve as bn
from bnsieve.table import LIMITS
from bnsieve.table.prepare import facts
from memory import BASE_MEGABYTES, measures_memory, run_measured

N = 20_000


@pytest.fixture(autouse=True)
def few_are_counted(monkeypatch):
    monkeypatch.setattr(facts, "MAX_CATEGORIES", 500)


def table(seed=0, share=0.6):
    """Thirty frequent shops that go with y, thousands of rare ones, and z by chance."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, N)
    near = np.where(rng.random(N) < 0.8, y, rng.integers(0, 3, N))
    shop = np.where(
        rng.random(N) < share, 3 * rng.integers(0, 10, N) + near, 100 + rng.integers(0, 20_000, N)
    )
    return pd.DataFrame(
        {
            "shop": [f"shop {number}" for number in shop],
            "y": np.array(["a", "b", "c"])[y],
            "z": rng.choice(["p", "q"], N),
        }
    )


@pytest.mark.parametrize("source", ["frame", "file", "file that is not held"])
def test_frequent_categories_are_grouped(source, tmp_path, monkeypatch):
    frame = table()
    assert frame["shop"].nunique() > 5_000
    frame.to_parquet(tmp_path / "rows.parquet")
    if source == "file that is not held":
        monkeypatch.setattr(LIMITS, "in_memory", 0)
    data = frame if source == "frame" else tmp_path / "rows.parquet"
    learner = bn.TsetlinSieve(random_state=0, n_jobs=1).fit(data)
    plan = learner.preparation_["shop"]
    assert plan.what.startswith("about ")
    assert "rarer ones are 'other'" in plan.what
    assert learner.graph_.has_edge("shop", "y") or learner.graph_.has_edge("y", "shop")
    assert learner.graph_.n_edges == 1


def test_the_number_of_rows_in_other_is_that_of_the_rare_ones():
    frame = table()
    learner = bn.TsetlinSieve(random_state=0, n_jobs=1).fit(frame)
    rare = frame["shop"].map(lambda text: int(text.split()[1]) >= 100).mean()
    assert learner.query("shop")["other"] == pytest.approx(rare, abs=0.01)


def test_rare_categories_alone_are_an_identifier_even_if_they_are_to_be_kept():
    frame = table(share=0.0)
    plan = bn.prepare(frame, keep=["shop"])
    assert plan["shop"].role == "identifier"
    assert "fewer than a tenth of the rows" in plan["shop"].why


LEARN = """
import sys
import bnsieve as bn

learner = bn.TsetlinSieve(random_state=0, n_jobs=1).fit(sys.argv[1])
print(learner.preparation_["shop"].what)
print([sorted(edge) for edge in learner.graph_.edges])
"""


@measures_memory
@pytest.mark.slow
def test_three_million_categories_are_learned_from_in_bounded_memory(tmp_path):
    path = tmp_path / "rows.parquet"
    fields = [(name, pa.string()) for name in ("shop", "y", "z")]
    n_each, n_groups, n_rare = 300_000, 21, 3_000_000 // 21 + 1
    with pq.ParquetWriter(path, pa.schema(fields)) as writer:
        for group in range(n_groups):
            rng = np.random.default_rng(group)
            y = rng.integers(0, 3, n_each)
            shop = 3 * rng.integers(0, 10, n_each) + y
            rare = rng.permutation(n_each)[:n_rare]
            shop[rare] = 100 + group * n_rare + np.arange(n_rare)  # each of them once
            texts = pc.binary_join_element_wise("shop", pa.array(shop).cast(pa.string()), " ")
            z = pa.array(np.array(list("abc"))[rng.integers(0, 3, n_each)])
            columns = [texts, pa.array(np.array(list("abc"))[y]), z]
            writer.write_table(pa.table(dict(zip(("shop", "y", "z"), columns, strict=True))))
    done = run_measured(LEARN, path)
    assert done.code == 0, done.errors
    plan, edges = done.output.splitlines()
    assert 2_900_000 < int(plan.split()[1].replace(",", "")) < 3_100_000
    assert "rarer ones are 'other'" in plan
    assert edges == "[['shop', 'y']]"
    # As strings of Python, the categories alone would take more than 150 MB.
    assert done.megabytes < BASE_MEGABYTES + 100
