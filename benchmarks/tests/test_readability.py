"""Sentences, syllables and grades; and that our pages are not harder to read than others."""

import re

import pytest

from benchmarks.common.environments import CLONE
from benchmarks.readability.prose import (
    figures_of,
    n_syllables,
    prose_of_docstring,
    sentences_of,
    without_directives,
)
from benchmarks.readability.study import ours

REPORT = CLONE / "benchmarks" / "readability" / "results" / "report.md"


@pytest.mark.parametrize(
    ("word", "n"),
    [("graph", 1), ("table", 2), ("edge", 1), ("learned", 1), ("directed", 3), ("probability", 5)],
)
def test_syllables(word: str, n: int) -> None:
    assert n_syllables(word) == n


def test_the_grade_is_flesch_and_kincaids() -> None:
    figures = figures_of(["The cat sat on the mat."])
    assert figures.words_per_sentence == 6
    assert figures.grade == pytest.approx(0.39 * 6 + 11.8 * 1 - 15.59)


def test_only_sentences_of_markdown_count() -> None:
    text = (
        "# A title of many words here\n\nOne [linked](a.md) sentence here. `x` is a second\n"
        "one on two lines.\n\n| a | table of several words |\n\n"
        "```python\nno = sentence(at, all)\n```\n"
        "- An item of a list.\n- Too short.\n"
    )
    assert sentences_of(text) == [
        "One linked sentence here.",
        "Code is a second one on two lines.",
        "An item of a list.",
    ]


def test_directives_and_parameters_are_left_out() -> None:
    rest = "Title\n=====\n\nA sentence of :class:`Table` here::\n\n    code in a block of its own\n"
    assert sentences_of(without_directives(rest)) == ["A sentence of Code here:"]
    docstring = (
        "Return what it is.\n\nParameters\n----------\nx : int, with a type\n"
        "    What it is for.\n\nExamples\n--------\nThis one is left out.\n"
    )
    assert sentences_of(prose_of_docstring(docstring)) == ["Return what it is.", "What it is for."]


def test_ours_is_not_harder_to_read_than_others() -> None:
    text = REPORT.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\S.*?) \| [\d,]+ \| [\d.]+ \| ([\d.]+) \|", text, re.MULTILINE)
    others = [float(grade) for name, grade in rows if not name.startswith("bnsieve")]
    assert len(others) > 3
    for name, sentences in ours():
        assert figures_of(sentences).grade <= min(others), name
