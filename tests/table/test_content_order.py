"""Orders of rows and categories that follow from what the table says."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.table import Table, content_orders


def rows(n_rows=400, seed=0):
    frame = bn.load_network("asia").sample(n_rows, random_state=seed).astype(object)
    return frame.mask(np.random.default_rng(seed).random(frame.shape) < 0.08)


def renamed(frame):
    """Return the frame with other names of categories, in the opposite order."""
    found = frame.copy()
    for name in found:
        seen = sorted(found[name].dropna().unique(), reverse=True)
        found[name] = found[name].map({old: f"z{i}" for i, old in enumerate(seen)})
    return found


def numbers_of(frame):
    """Return a number that depends on two columns, and is missing in some rows."""
    rng = np.random.default_rng(1)
    found = (frame["smoke"] == "yes") + 2.0 * (frame["dysp"] == "yes") + rng.normal(size=len(frame))
    return found.mask(rng.random(len(frame)) < 0.08)


def in_order(frame):
    table = Table.from_data(frame)
    order, _ = content_orders(table)
    return frame.iloc[order].reset_index(drop=True)


def test_shuffled_rows_and_columns_come_in_one_order():
    frame = rows()
    other = frame.sample(frac=1, random_state=1)[frame.columns[::-1]].reset_index(drop=True)
    pd.testing.assert_frame_equal(in_order(frame), in_order(other)[frame.columns])


def test_renamed_categories_come_in_one_order():
    frame = rows()
    pd.testing.assert_frame_equal(in_order(renamed(frame)), renamed(in_order(frame)))
    _, first = content_orders(Table.from_data(frame))
    _, second = content_orders(Table.from_data(renamed(frame)))
    for name in frame:
        # Both columns have two categories, which changed places.
        assert first[name].tolist() == (1 - second[name]).tolist()


def test_categories_that_are_equally_frequent_are_told_apart_by_their_rows():
    frame = pd.DataFrame({"x": list("aabb") * 5, "y": list("uvuu") * 5})
    table = Table.from_data(frame)
    _, orders = content_orders(table)
    _, swapped = content_orders(Table.from_data(renamed(frame)))
    assert orders["x"].tolist() == (1 - swapped["x"]).tolist()


def test_an_increasing_transform_keeps_the_order():
    values = {"x": np.random.default_rng(0).normal(size=200)}
    table = Table.from_data(pd.DataFrame({"x": ["a", "b"] * 100, "y": list("uvwx") * 50}))
    order, names = content_orders(table.with_numbers(values))
    again, _ = content_orders(table.with_numbers({"x": np.exp(values["x"])}))
    assert order.tolist() == again.tolist()
    assert list(names) == ["y"]


@pytest.mark.parametrize("with_number", [False, True])
def test_the_graph_of_rows_with_missing_values_depends_on_neither(with_number):
    frame = rows(1_000, 3)
    if with_number:
        frame["level"] = numbers_of(frame)
        frame["other"] = numbers_of(frame)
    labels = [name for name in frame if frame[name].dtype == object]
    shuffled = frame.sample(frac=1, random_state=1).reset_index(drop=True)
    spelled = pd.concat([renamed(frame[labels]), frame.drop(columns=labels)], axis=1)
    first, *others = (
        bn.TsetlinSieve(random_state=0, n_jobs=1).fit(data) for data in (frame, shuffled, spelled)
    )
    assert first.missing_strategy_ == "em"
    for other in others:
        assert other.graph_ == first.graph_
        assert other.confirmed_edges_ == first.confirmed_edges_
