"""Tests of mistakes in whole columns: what was made is named, and what was not is not."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn


def machines(n: int, seed: int, *, hotter: float = 0.0) -> pd.DataFrame:
    """Draw hours with a rhythm, and readings that follow them."""
    rng = np.random.default_rng(seed)
    hour = np.floor(24 * rng.beta(4, 3, n))
    shift = np.where((hour >= 8) & (hour < 16), "day", "night")
    load = 40 + 20 * (shift == "day") + rng.normal(0, 6, n)
    heat = 20 + hotter + 0.5 * load + rng.normal(0, 2, n)
    open_valve = np.where(rng.random(n) < 1 / (1 + np.exp(-(heat - 45) / 3)), "yes", "no")
    alarm = np.where(rng.random(n) < np.where(open_valve == "yes", 0.3, 0.03), "yes", "no")
    return pd.DataFrame(
        {
            "start_hour": hour,
            "shift": shift,
            "load": load,
            "heat": heat,
            "open": open_valve,
            "alarm": alarm,
        }
    )


@pytest.fixture(scope="module")
def learner() -> bn.TsetlinSieve:
    frame = machines(6_000, 1)
    # Every hour occurs, so that they come round after 24.
    frame.loc[frame.index[:240], "start_hour"] = np.tile(np.arange(24.0), 10)
    return bn.TsetlinSieve(random_state=0).fit(frame)


def named(learner: bn.TsetlinSieve, rows: pd.DataFrame) -> list[tuple[str, str, str]]:
    return [
        (one.kind, one.name, one.text)
        for one in learner.check(rows).schema
        if one.kind in ("unit", "clock", "swapped columns")
    ]


def _times_ten(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(heat=10 * rows["heat"])


def _fahrenheit(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(heat=32 + 1.8 * rows["heat"])


def _later(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(start_hour=(rows["start_hour"] + 3) % 24)


def _swapped_numbers(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(heat=rows["load"], load=rows["heat"])


def _swapped_labels(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(open=rows["alarm"], alarm=rows["open"])


@pytest.mark.parametrize(
    ("change", "kind", "names", "text"),
    [
        (_times_ten, "unit", {"heat"}, "about 10 times"),
        (_fahrenheit, "unit", {"heat"}, "Fahrenheit instead of Celsius"),
        (_later, "clock", {"start_hour"}, "shifted by +3"),
        (_swapped_numbers, "swapped columns", {"heat", "load"}, "swapped?"),
        (_swapped_labels, "swapped columns", {"open", "alarm"}, "swapped?"),
    ],
)
def test_a_mistake_is_named(
    learner: bn.TsetlinSieve,
    change: Callable[[pd.DataFrame], pd.DataFrame],
    kind: str,
    names: set[str],
    text: str,
) -> None:
    found = named(learner, change(machines(1_500, 2)))
    assert [one[0] for one in found] == [kind]
    assert found[0][1] in names
    assert text in found[0][2]


def test_other_changes_are_no_mistakes(learner: bn.TsetlinSieve) -> None:
    rows = machines(1_500, 3)
    assert named(learner, rows) == []
    assert named(learner, machines(1_500, 3, hotter=5.0)) == []
    shuffled = rows.assign(alarm=np.random.default_rng(0).permutation(rows["alarm"].to_numpy()))
    assert named(learner, shuffled) == []
    assert named(learner, rows[:10]) == []


def test_text_in_a_column_of_numbers_is_shown() -> None:
    rows = machines(800, 4).round(3)
    learner = bn.TsetlinSieve(prepare="auto", random_state=0).fit(rows)
    odd = rows.astype({"heat": object})
    odd.loc[odd.index[:240], "heat"] = "n/a-scale"
    [found] = [one for one in learner.check(odd).schema if one.kind == "type"]
    assert found.name == "heat"
    assert found.text == "240 cells (30.0%) are no numbers: 'n/a-scale'"
    everywhere = rows.assign(heat="n/a-scale")
    texts = {one.text for one in learner.check(everywhere).schema}
    assert {"800 cells (100.0%) are no numbers: 'n/a-scale'", "every value is missing"} <= texts
