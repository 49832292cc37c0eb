"""Tests of the words of a check."""

from bnsieve.check import Attribution, Check, told_attribution
from bnsieve.check.attribution import Part
from bnsieve.check.result import Cause


def check_with(text: str) -> Check:
    cause = Cause("schema", ("use",), text, 0.0)
    return Check(100, 10, 0.05, (), (), (), (), (), 1.0, causes=(cause,))


def test_a_question_ends_with_its_own_mark() -> None:
    assert "Clearest change: use: another unit?\n" in f"{check_with('use: another unit?')}\n"
    assert "Clearest change: the margin of use.\n" in f"{check_with('the margin of use')}\n"


def test_contributions_to_a_share_are_in_points() -> None:
    part = Part("plan", -0.0079, -0.01, -0.006)
    told = told_attribution(Attribution("churn", "yes", 0.228, 0.22, (part,), -0.0001, 0.9))
    assert told == (
        "Why churn = yes went from 22.8% to 22.0%",
        [("plan", "-0.8 points", "[-1.0, -0.6]")],
        "-0.0 points",
    )


def test_contributions_to_a_mean_are_in_its_units() -> None:
    part = Part("use", 1.5, 1.25, 1.75)
    told = told_attribution(Attribution("spend", None, 20.0, 21.75, (part,), 0.25, 0.9))
    assert told == (
        "Why mean of spend went from 20 to 21.75",
        [("use", "+1.5", "[+1.25, +1.75]")],
        "+0.25",
    )
