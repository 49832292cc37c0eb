"""The sentences of the page are true of fits of every kind."""

import html
import re

import numpy as np
import pandas as pd

import bnsieve as bn
from bnsieve.explain import Edge, EdgeSize
from bnsieve.report.sentences import size_words
from bnsieve.search import BINS_MARGIN


def page_of(frame, folder, **settings):
    """Return the text of the report of a table."""
    learner = bn.TsetlinSieve(random_state=0, **settings).fit(frame)
    path = folder / "page.html"
    learner.report(path)
    text = html.unescape(re.sub("<[^>]+>", "", path.read_text(encoding="utf-8")))
    return learner, re.sub(r"\s+", " ", text)


def categories(n_rows, **columns):
    rng = np.random.default_rng(0)
    return pd.DataFrame({name: rng.choice(list(of), n_rows) for name, of in columns.items()})


def panel():
    """Return 20 machines over 60 steps: the load of a step drives the next, and `f` is 2c + 1."""
    rng = np.random.default_rng(1)
    parts = []
    for machine in range(20):
        load = np.zeros(60)
        for step in range(1, 60):
            load[step] = 0.7 * load[step - 1] + rng.normal()
        at = pd.date_range("2026-01-01", periods=60, freq="h")
        part = pd.DataFrame({"load": load, "c": load + rng.normal(size=60), "at": at})
        parts.append(part.assign(machine=f"m{machine}", mean=rng.normal()))
    return pd.concat(parts, ignore_index=True)


def test_without_edges_none_is_called_deterministic(tmp_path):
    learner, text = page_of(categories(300, a="xyz", b="uv"), tmp_path)
    assert not learner.graph_.n_edges
    assert "No two variables are adjacent." in text
    assert "Every edge" not in text


def test_the_edge_of_a_duplicate_is_not_weak(tmp_path):
    frame = categories(500, a="xyz", c="uv")
    frame["copy"] = frame["a"].str.upper()
    learner, text = page_of(frame, tmp_path)
    assert learner.duplicates_
    assert "Every edge is deterministic" in text
    assert "weak (" not in text
    assert not Edge("a", "copy", True, 0.0, deterministic="copy is a duplicate of a").is_weak


def test_other_edges_are_counted_without_it(tmp_path):
    frame = categories(500, a="xyz", c="uv")
    frame["copy"] = frame["a"].str.upper()
    same = np.random.default_rng(2).random(500) < 0.8
    frame["b"] = np.where(same, frame["c"], "u")
    _, text = page_of(frame, tmp_path)
    assert "None of 1 edge (deterministic ones aside) is weak" in text


def test_over_time_steps_are_not_called_independent_rows(tmp_path):
    _, text = page_of(panel(), tmp_path, time="at", by="machine")
    assert "Rows are independent" not in text
    assert "has no dates" not in text
    assert "Each row also has the values of the 1 step before it (by at)." in text
    assert "Entities (machine) are taken as independent" in text
    assert "linear relations were not searched, because of time= or by=" in text


def test_by_entity_the_entities_are_what_is_independent(tmp_path):
    _, text = page_of(panel().drop(columns="at"), tmp_path, by="machine")
    assert "Entities are independent and drawn from the same distribution." in text
    assert "Rows with the same machine are about one entity" in text
    assert "has no dates" not in text
    assert "linear relations were not searched, because of time= or by=" in text


def test_independent_numbers_have_their_linear_relations_searched(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(3).normal(size=(300, 3)), columns=list("xyz"))
    _, text = page_of(frame, tmp_path)
    assert "None was found to be. There" in text
    assert "The table has no dates that would show this." in text


def test_the_margin_that_interactions_need_is_told(tmp_path):
    # An exclusive or that explains 0.013 nats of y, less than bins must win by.
    rng = np.random.default_rng(0)
    n = 20_000
    frame = categories(n, x=["on", "off"], c=["new", "old"])
    odd = (frame["x"] == "on") ^ (frame["c"] == "new")
    frame["y"] = np.where(rng.random(n) < np.where(odd, 0.28, 0.12), "yes", "no")
    frame = frame.assign(age=rng.normal(size=n), income=rng.normal(size=n))
    learner, text = page_of(frame, tmp_path)
    assert learner.numeric_features_
    assert f"more than {BINS_MARGIN:g} nats per row. Weaker interactions may be missed." in text
    assert "fits no better" not in text


def test_a_size_without_a_sign_says_why():
    def why(**own):
        return size_words(EdgeSize("a", "b", "Cramér's V", 0.2, **own))

    assert "unordered states" in why()
    assert "ranks show only a part of it" in why(both_ordered=True)
    assert "it rises and falls" in why(both_ordered=True, rises_and_falls=True)
