"""The page of a fit over time shows the graph by variable and by step."""

import numpy as np
import pandas as pd

import bnsieve as bn


def series(n=400):
    random = np.random.default_rng(0)
    first, second = np.zeros(n), np.zeros(n)
    for t in range(1, n):
        first[t] = 0.8 * first[t - 1] + random.normal()
        second[t] = 0.8 * first[t - 1] + random.normal()
    at = pd.date_range("2026-01-01", periods=n, freq="h")
    return pd.DataFrame({"first": first, "second": second, "at": at})


def test_the_page_has_both_views(tmp_path):
    learner = bn.TsetlinSieve(time="at", random_state=0).fit(series())
    learner.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'id="over-time"' in page and 'href="#over-time"' in page
    assert "first ↻ 1" in page
    assert "400 steps of 1 hour" in page
    assert page.count('class="drawn"') == 2


def test_a_page_without_time_has_none(tmp_path):
    learner = bn.TsetlinSieve(random_state=0).fit(series().drop(columns="at").iloc[::20])
    learner.report(tmp_path / "page.html")
    assert 'id="over-time"' not in (tmp_path / "page.html").read_text(encoding="utf-8")
