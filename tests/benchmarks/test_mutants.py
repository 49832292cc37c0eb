"""Mutants are drawn reproducibly, change what runs, and are judged by the tests that see them."""

import random
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.mutants.groups import GENERAL, GROUPS, PACKAGE, modules_of
from benchmarks.mutants.mutations import by_place, described, mutated, one_per_place
from benchmarks.mutants.noticing import Noticed
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
    assert all(Path(name).exists() for name in GROUPS[group].tests)


def test_a_change_is_shown_to_the_tests_that_run_its_function():
    seconds = {"slow": 9.0, "quick": 0.1, "other": 1.0, "elsewhere": 1.0}
    # The loop of `total` is in lines 9 to 12; line 8 runs when the module is imported.
    lines = {8: [""], 9: ["slow|run"], 11: ["slow|run", "quick|setup"], 40: ["other|run"]}
    known = Noticed(seconds, {"total.py": lines})
    code = CODE + "\n" * 40
    assert known.tests_of("total.py", code, 11) == ["quick", "slow"]
    assert known.tests_of("total.py", code, 8) == ["quick", "slow"]  # a default of the function
    general = Noticed({**seconds, f"{GENERAL}::test_frozen": 2.0}, {"total.py": lines})
    assert known.tests_of("total.py", code, 2) == ["quick", "other", "slow"]
    assert general.tests_of("total.py", code, 11) == ["quick", "slow"]
    assert general.tests_of("total.py", code, 2)[2] == f"{GENERAL}::test_frozen"
    assert len(general.tests_of("unknown.py", code, 2)) == 5
    assert known.tests_of("unknown.py", code, 2) == ["quick", "elsewhere", "other", "slow"]
    assert known.limit(["quick", "slow"]) == pytest.approx(2 * 9.1 + 10)


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


def test_without_survivors_nothing_is_left(tmp_path, capsys):
    line = {"label": "first", "group": "graph", "module": "m", "line": 3, "operator": "o"}
    runs = pd.DataFrame([{**line, "occurrence": 0, "change": "a -> b", "outcome": "killed"}])
    runs.to_csv(tmp_path / "runs.csv", index=False)
    write_report(tmp_path, [])
    assert "| all | 1 | 1 | 0 | 0 | 100 % | 0 | 100 % |" in capsys.readouterr().out
