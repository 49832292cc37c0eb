"""Answers: what they show of themselves, and how much of it."""

import numpy as np
import pytest

from bnsieve.network import TooLargeError
from bnsieve.network.discrete.exact import ADVICE, shown_bytes
from bnsieve.network.discrete.model import Model
from bnsieve.network.discrete.results import (
    Distribution,
    Distributions,
    Explanation,
    Explanations,
)


def even(n, name="a", **more):
    return Distribution((name,), (tuple(range(n)),), np.full(n, 1 / n), **more)


@pytest.mark.parametrize(("n", "last"), [(20, "  19  0.0500"), (21, "  ... 1 more")])
def test_no_more_labels_are_shown_than_a_screen_holds(n, last):
    lines = repr(even(n)).splitlines()
    assert lines[0] == "a"
    assert lines[-1] == last
    assert len(lines) == min(n, 20) + 1 + (n > 20)


def test_no_more_columns_are_shown_than_a_screen_holds():
    some = Distributions({f"c{i:02d}": even(1, f"c{i:02d}") for i in range(20)})
    more = Distributions({f"c{i:02d}": even(1, f"c{i:02d}") for i in range(23)})
    assert repr(some).splitlines()[-2:] == ["c19", "  0  1.0000"]
    assert repr(more).splitlines() == [*repr(some).splitlines(), "... 3 more variables"]
    del more["c21"], more["c22"]
    assert repr(more).splitlines()[-1] == "... 1 more variable"
    more = Distributions({f"c{i:02d}": even(1, f"c{i:02d}") for i in range(23)})
    assert (len(more), list(more)[:2], more["c01"].names) == (23, ["c00", "c01"], ("c01",))
    assert Distributions({}).to_frame().empty


def test_states_are_listed_in_the_order_of_their_scale():
    sizes, rain = ("high", "low", "medium"), ("no", "yes")
    chances = np.array([[0.05, 0.1], [0.15, 0.2], [0.3, 0.2]])
    answer = Distribution(("size",), (sizes,), chances.sum(axis=1), low=np.array([0.1, 0.3, 0.4]))
    assert list(answer.to_series().index) == ["low", "medium", "high"]
    assert list(answer.to_series()) == pytest.approx([0.35, 0.5, 0.15])
    assert answer.to_frame()["low"].to_dict() == {"low": 0.3, "medium": 0.4, "high": 0.1}
    assert [line.split()[0] for line in repr(answer).splitlines()] == [
        "size",
        "low",
        "medium",
        "high",
    ]
    both = Distribution(("size", "rain"), (sizes, rain), chances)
    assert both.to_series()["medium", "yes"] == both["medium", "yes"] == 0.2
    assert repr(both).splitlines()[1:3] == ["  low  no      0.1500", "  low  yes     0.2000"]


def test_errors_and_intervals_are_shown_beside():
    third = np.array([0.25, 0.75])
    answer = Distribution(
        ("rain",),
        (("no", "yes"),),
        third,
        given="wet = yes",
        errors=np.array([0.01, 0.02]),
        effective_draws=1234.4,
        low=np.array([0.2, 0.7]),
        high=np.array([0.3, 0.8]),
        interval=0.9,
    )
    assert repr(answer).splitlines() == [
        "rain given wet = yes (sampled, effective size 1,234)",
        "  no   0.2500  s.e. 0.0100  0.2000 to 0.3000",
        "  yes  0.7500  s.e. 0.0200  0.7000 to 0.8000",
    ]
    frame = answer.to_frame()
    assert frame.columns.tolist() == ["probability", "error", "low", "high"]
    assert frame.loc["yes"].tolist() == [0.75, 0.02, 0.7, 0.8]
    assert answer.to_series().to_dict() == {"no": 0.25, "yes": 0.75}
    assert answer.to_series().name == "probability"


def test_joint_labels():
    table = np.array([[0.1, 0.4], [0.4, 0.1]])
    answer = Distribution(("a", "b"), (("x", "y"), (1, 2)), table)
    assert answer.most_probable == ("x", 2)  # of equal ones the first
    assert (answer["y", 1], len(answer)) == (0.4, 4)
    assert repr(answer).splitlines() == [
        "a, b",
        "  x  1  0.1000",
        "  x  2  0.4000",
        "  y  1  0.4000",
        "  y  2  0.1000",
    ]
    assert answer.to_series().loc[("y", 2)] == 0.1
    for label in (("x",), ("x", 3), ("x", 1, 1)):
        with pytest.raises(KeyError):
            answer[label]


def test_labels_may_be_tuples():
    answer = Distribution(("a",), (((1, 2), (3, 4)),), np.array([0.3, 0.7]))
    assert answer.most_probable == (3, 4)
    assert answer[(1, 2)] == 0.3
    assert repr(answer).splitlines() == ["a", "  (1, 2)  0.3000", "  (3, 4)  0.7000"]


@pytest.mark.parametrize(
    ("probabilities", "bits"), [([1.0, 0.0], 0.0), ([0.5, 0.5], 1.0), ([0.25] * 4, 2.0)]
)
def test_entropy_is_in_bits(probabilities, bits):
    labels = tuple(range(len(probabilities)))
    entropy = Distribution(("a",), (labels,), np.array(probabilities)).entropy
    assert entropy == bits
    assert not np.signbit(entropy)


def test_explanations_show_their_first_columns():
    labels = {f"c{i:02d}": i for i in range(22)}
    one = Explanation(labels, np.log(0.5), np.log(0.25))
    assert (one.probability, one.runner_up) == (0.5, pytest.approx(0.25))
    assert repr(one).startswith("0.5 (next 0.25): c00 = 0, c01 = 1, ")
    assert repr(one).endswith("c19 = 19, ... 2 more")
    few = Explanation({name: labels[name] for name in list(labels)[:20]}, 0.0, -np.inf)
    assert repr(few).endswith("c19 = 19")
    both = Explanations([one, few], "")
    assert repr(both).splitlines() == ["most probable", f"  {one!r}", f"  {few!r}"]


@pytest.mark.parametrize(
    ("n", "shown"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1_023, "1,023 bytes"),
        (1_024, "1 KB"),
        (1_536, "1.5 KB"),
        (1_000 << 10, "1,000 KB"),
        (1 << 20, "1 MB"),
        (3 << 29, "1.5 GB"),
        (1 << 40, "1 TB"),
        (5_000 << 40, "5,000 TB"),
    ],
)
def test_bytes_are_shown_in_a_unit_that_suits(n, shown):
    assert shown_bytes(n) == shown


@pytest.mark.parametrize(
    ("n", "named"), [(6, "(a, b, c, d, e and f)"), (8, "(a, b, c, d, e, f and 2 more)")]
)
def test_what_is_too_large_names_its_columns(n, named):
    names = tuple("abcdefgh")
    model = Model(names, ((0, 1, 2),) * 8, ((),) * 8, (np.full(3, 1 / 3),) * 8)
    error = TooLargeError(model, range(n), 2_048, 1_024, ADVICE)
    assert error.n_cells == 3**n
    assert error.columns == names[:n]
    assert f"would take 2 KB, more than max_bytes = 1 KB: its largest table has {3**n:,} cells" in (
        str(error)
    )
    assert f"over {n} variables {named}. {ADVICE}" in str(error)
