"""States are listed as people read them, and are scales only where more and less mean something."""

import pandas as pd
import pytest

from bnsieve.table import Range, Table, state_order


def listed(states):
    return [states[place] for place in state_order(states).places]


@pytest.mark.parametrize(
    "wanted",
    [
        "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
        "january march december",
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
        "Mon Wed Fri",
        "spring summer autumn winter",
        "w1 w2 w10",
    ],
)
def test_cycles_and_numbered_names_have_an_order_but_no_ranks(wanted):
    states = sorted(wanted.split())
    assert listed(states) == wanted.split()
    assert state_order(states).ranks is None


@pytest.mark.parametrize(
    "wanted",
    [
        ["low", "medium", "high"],
        ["ZERO", "LOW", "NORMAL", "HIGH"],
        ["Very low", "low", "high", "very_high"],
        ["never", "sometimes", "always"],
        ["strongly disagree", "disagree", "agree", "strongly agree"],
        ["1", "2", "10"],
        ["1.5 mg", "2 mg", "10 mg"],
        ["<18", "18-24", "25-34", "65+"],
        ["under 30", "30 to 49", "50 and over"],
        ["$200-$999", "$1,000-$2,000"],
        ["-5", "0", "12"],
        ["< 35", "[35, 45)", "[45, 55)", ">= 55"],
        ["S", "M", "L", "XL"],
    ],
)
def test_scales_have_ranks_in_their_order(wanted):
    states = sorted(wanted)
    assert listed(states) == wanted
    order = state_order(states)
    assert order.is_recognised
    ranked = sorted(states, key=lambda state: order.ranks[states.index(state)])
    assert ranked == wanted


def test_bins_are_a_scale():
    bins = (Range(upper=3.0), Range(3.0, 10.0), Range(10.0))
    assert listed(bins) == list(bins)
    assert state_order(bins).ranks == (0.0, 1.0, 2.0)


@pytest.mark.parametrize(
    "states", [["blue", "green", "red"], ["A1", "B2", "C3"], ["a", "b", "x", "z"], ["m", "s", "w"]]
)
def test_names_have_no_ranks_and_stay_as_they_are(states):
    assert listed(states) == states
    assert state_order(states).ranks is None


def test_a_category_of_unknown_cells_is_last_and_on_no_scale():
    states = ["High", "Low", "medium", "unknown"]
    assert listed(states) == ["Low", "medium", "High", "unknown"]
    assert state_order(states).ranks is None


def test_of_two_states_one_counts_as_more():
    assert state_order(["no", "yes"]).ranks == (0.0, 1.0)
    # Declared the other way round they are listed so, but yes stays more than no.
    assert listed(["yes", "no"]) == ["yes", "no"]
    assert state_order(["yes", "no"]).ranks == (1.0, 0.0)
    order = state_order(["free", "pro"])
    assert order.ranks == (0.0, 1.0)
    assert not order.is_recognised


def test_a_declared_order_is_kept():
    frame = pd.DataFrame(
        {"degree": pd.Categorical(["phd", "bsc", "msc"], ["bsc", "msc", "phd"][::-1], ordered=True)}
    )
    states = Table.from_data(frame).categories[0]
    assert listed(states) == ["phd", "msc", "bsc"]
    assert state_order(states).ranks == (0.0, 1.0, 2.0)


@pytest.mark.parametrize("states", [[], ["x"], ["1", "1.0"], [True, False], [("a", 1), ("b", 2)]])
def test_odd_states_are_listed_once_each(states):
    assert sorted(state_order(states).places) == list(range(len(states)))
