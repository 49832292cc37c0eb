"""Mutants are drawn reproducibly, change what runs, and are judged by the tests that see them."""

import random
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.mutants.groups import GROUPS, PACKAGE, files_of_tests, modules_of
from benchmarks.mutants.mutations import by_place, described, mutated, one_per_place
from benchmarks.mutants.report import left_of, write_report
from benchmarks.mutants.study import drawn

CODE = """
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def total(numbers: "Sequence[int]", start: int | None = None, *rest: int) -> int | None:
    found: int | None = start
    for number in numbers:
        found = number + (found or 0)
    return found
"""


def changes(code: str) -> set[str]:
    results = [(mutated(code, one)) for mutations in by_place(code).values() for one in mutations]
    return {described(code, changed) for changed in results if changed is not None}


def test_what_runs_is_changed_and_types_are_not():
    found = changes(CODE)
    assert "found = number + (found or 0) -> found = number - (found or 0)" in found
    assert "found = number + (found or 0) -> found = number + (found and 0)" in found
    assert "for number in numbers: -> for number in []:" in found
    assert not [one for one in found if "None" in one or "TYPE_CHECKING" in one]


def test_every_place_gives_one_mutant():
    places = [place for place, _ in one_per_place(CODE, random.Random(0))]
    assert sorted(places) == sorted(by_place(CODE))


def test_a_larger_sample_begins_with_the_smaller_one():
    small, large = (drawn("now", "independence", size, 3) for size in (5, 12))
    assert large[:5] == small
    assert len(set(large)) == 12
    assert drawn("now", "independence", 5, 4) != small


@pytest.mark.parametrize("group", GROUPS)
def test_groups_name_modules_and_tests_that_exist(group):
    modules = modules_of(group)
    assert len(modules) >= len(GROUPS[group].modules)
    for module in modules:
        assert (PACKAGE / module).is_file()
        assert all(Path(name).exists() for name in files_of_tests(group, module))


def test_the_tests_of_a_module_come_first():
    assert files_of_tests("graph", Path("graph/equivalence.py"))[:2] == [
        "tests/graph/test_equivalence.py",
        "tests/graph/test_graph.py",
    ]


def test_a_survivor_that_a_later_trial_kills_is_none(tmp_path, capsys):
    one = {"group": "graph", "module": "graph/walks.py", "line": 3, "operator": "core/AddNot"}
    lines = [
        {
            **one,
            "label": "first",
            "occurrence": 0,
            "change": "if a -> if not a",
            "outcome": "killed",
        },
        {**one, "label": "first", "occurrence": 1, "change": "b -> not b", "outcome": "survived"},
        {**one, "label": "first", "occurrence": 2, "change": "c -> not c", "outcome": "survived"},
        {**one, "label": "first", "occurrence": 3, "change": "d -> not d", "outcome": "timeout"},
        {**one, "label": "again", "occurrence": 1, "change": "b -> not b", "outcome": "killed"},
        {**one, "label": "again", "occurrence": 2, "change": "c -> not c", "outcome": "survived"},
    ]
    runs = pd.DataFrame(lines)
    assert list(left_of(runs)["change"]) == ["c -> not c"]
    runs.to_csv(tmp_path / "runs.csv", index=False)
    explained = {"module": "graph/walks.py", "operator": "core/AddNot", "change": "c -> not c"}
    pd.DataFrame([{**explained, "why": "c is a set"}]).to_csv(
        tmp_path / "explained.csv", index=False
    )
    write_report(tmp_path, [])
    page = capsys.readouterr().out
    assert "| graph | 4 | 1 | 1 | 2 | 50 % | 1 | 75 % |" in page
    assert "| graph/walks.py | 3 | `c -> not c` | c is a set |" in page
