"""Codes that stand in several rows, and values that do, are drawn as often as in the table."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.synthesize.numbers import number_values


def articles(name: str = "article", n: int = 3_000) -> pd.DataFrame:
    """Sales of 2,000 articles, each of one kind and one supplier."""
    rng = np.random.default_rng(0)
    kinds, suppliers = rng.integers(0, 4, 2_000), rng.integers(0, 5, 2_000)
    article = rng.choice(2_000, n, p=rng.dirichlet(np.full(2_000, 0.5)))
    kind = np.array(["toys", "garden", "books", "food"])[kinds[article]]
    paid = np.where(rng.random(n) < 0.2 + 0.15 * kinds[article], "card", "cash")
    frame = pd.DataFrame({name: [f"A{i:05d}" for i in article], "kind": kind, "paid": paid})
    return frame.assign(supplier=[f"S{i}" for i in suppliers[article]])


def fitted(frame: pd.DataFrame) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bn.TsetlinSieve(random_state=0).fit(frame)


@pytest.fixture(scope="module")
def original() -> pd.DataFrame:
    return articles()


@pytest.fixture(scope="module")
def learner(original: pd.DataFrame) -> Any:
    return fitted(original)


def test_codes_are_new_unless_asked(original: pd.DataFrame, learner: Any) -> None:
    assert learner.preparation_["article"].role == "identifier"
    made = learner.synthesize(3_000, random_state=0)
    assert not set(made["article"]) & set(original["article"])


def test_codes_of_several_rows_are_drawn_if_asked(
    original: pd.DataFrame, learner: Any, tmp_path: Path
) -> None:
    made = learner.synthesize(30_000, rare="drawn", random_state=0)
    counts = original["article"].value_counts()
    several, once = counts[counts > 1], counts[counts == 1]
    assert not set(made["article"]) & set(once.index)
    shares = made["article"].value_counts(normalize=True)
    frequent = several[several >= 12].index
    assert len(frequent) > 5
    assert (shares[frequent] * 3_000).to_numpy() == pytest.approx(counts[frequent], rel=0.35)
    is_known = made["article"].isin(several.index)
    assert is_known.mean() == pytest.approx(several.sum() / 3_000, abs=0.03)
    assert made.loc[~is_known, "article"].is_unique
    for other in ("kind", "supplier"):
        of_article = original.drop_duplicates("article").set_index("article")[other]
        assert (made.loc[is_known, "article"].map(of_article) == made.loc[is_known, other]).all()
    learner.save(tmp_path / "learner.bns")
    again = bn.load(tmp_path / "learner.bns").synthesize(500, rare="drawn", random_state=0)
    assert again["article"].isin(several.index).mean() == pytest.approx(is_known.mean(), abs=0.1)


def test_codes_of_one_row_are_not_kept(original: pd.DataFrame, learner: Any) -> None:
    counts = original["article"].value_counts()
    (column,) = (one for one in learner.fit_result_.table_record.columns if one.name == "article")
    assert {*column.known.codes} == {"", *counts[counts > 1].index}


def test_codes_are_not_saved_without_the_data(
    original: pd.DataFrame, learner: Any, tmp_path: Path
) -> None:
    of_table = set(original["article"])
    for data in (True, False):
        learner.save(tmp_path / "learner.bnsieve", data=data)
        drawn = bn.load(tmp_path / "learner.bnsieve").synthesize(500, random_state=0, rare="drawn")
        assert bool(of_table & set(drawn["article"])) is data


@pytest.mark.parametrize(
    "kind", ["named as an identifier", "names", "addresses", "hardly repeated"]
)
def test_identifiers_stay_new(kind: str) -> None:
    original = articles("member_id" if kind == "named as an identifier" else "x")
    name = str(original.columns[0])
    if kind == "names":
        original[name] = "Ann " + original[name]
    elif kind == "addresses":
        original[name] = original[name] + "@example.com"
    elif kind == "hardly repeated":
        original[name] = [f"A{i:05d}" for i in range(len(original))]
        original.loc[:300, name] = original.loc[300:600, name].to_numpy()
    made = fitted(original).synthesize(3_000, rare="drawn", random_state=0)
    assert not set(made[name]) & set(original[name])


def test_list_prices_stay_as_frequent_as_they_are() -> None:
    rng = np.random.default_rng(0)
    prices = np.round(rng.lognormal(3, 1, 900), 2)
    numbers = np.concatenate(
        [
            rng.choice(prices, 3_000, p=rng.dirichlet(np.full(900, 0.5))),
            rng.uniform(1, 900, 900).round(2),
        ]
    )
    values, counts = np.unique(numbers, return_counts=True)
    assert len(values) > 1_024
    found = number_values(numbers)
    drawn = found.quantile(rng.random(200_000))
    frequent = values[counts >= 15]
    assert len(frequent) > 20
    shares = np.array([[np.mean(own == value) for own in (numbers, drawn)] for value in frequent])
    assert shares[:, 1] == pytest.approx(shares[:, 0], rel=0.25)
    ends = np.quantile(numbers, np.linspace(0.01, 0.99, 50))
    below = np.array([np.mean(numbers < end) for end in ends])
    assert found.share_below(ends) == pytest.approx(below, abs=0.002)
    assert drawn.min() >= numbers.min()
    assert drawn.max() <= numbers.max()
