"""Which tests could notice a change of a line: those that run the function it is in."""

import ast
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from coverage import CoverageData

from benchmarks.mutants.groups import GENERAL
from benchmarks.mutants.trial import try_tests

# Tests are ended after so many times their own time, which is noted while coverage is measured and
# so twice what it is, and some seconds to start.
PATIENCE, START_SECONDS = 2, 10


@dataclass(frozen=True)
class Noticed:
    """What a run of all tests of a group without a mutant has shown.

    Attributes
    ----------
    seconds : dict of str to float
        Of each test.
    contexts : dict of str to dict of int to list of str
        For each module the tests that run each line.
    """

    seconds: dict[str, float]
    contexts: dict[str, dict[int, list[str]]]

    @classmethod
    def of(cls, copy: Path, tests: Sequence[str]) -> "Noticed":
        """Run the tests.

        Raises
        ------
        RuntimeError
            If one fails.
        """
        with tempfile.TemporaryDirectory() as folder:
            notes = Path(folder)
            if try_tests(copy, tests, notes=notes) != "passed":
                raise RuntimeError(f"tests fail without any mutant: {' '.join(tests)}")
            seconds = json.loads((notes / "seconds.json").read_text(encoding="utf-8"))
            data = CoverageData(str(notes / ".coverage"))
            data.read()
            contexts = {
                str(Path(name).relative_to(copy / "bnsieve")): data.contexts_by_lineno(name)
                for name in data.measured_files()
            }
        return cls(seconds, contexts)

    def tests_of(self, module: str, code: str, line: int) -> list[str]:
        """Return the tests that run the function of a line, or else the module; quick ones first.

        What is outside of functions runs when the module is imported, before any test.
        """
        lines = self.contexts.get(module, {})
        inside = _function_of(code, line)
        for wanted in (inside, range(1, code.count("\n") + 2)):
            names = {
                name.rpartition("|")[0]
                for number in wanted
                for name in lines.get(number, ())
                if "|" in name
            }
            if names:
                break
        found = names & self.seconds.keys() or set(self.seconds)
        if not inside:
            found |= {name for name in self.seconds if name.startswith(GENERAL)}
        return sorted(found, key=lambda name: (self.seconds[name], name))

    def limit(self, tests: Sequence[str]) -> float:
        """Return after how many seconds tests are taken to hang."""
        return PATIENCE * sum(self.seconds[name] for name in tests) + START_SECONDS


def _function_of(code: str, line: int) -> range:
    """Return the lines of the innermost function that has a line; none if none has."""
    around = [
        range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.FunctionDef)
        and min([node.lineno, *(one.lineno for one in node.decorator_list)])
        <= line
        <= (node.end_lineno or node.lineno)
    ]
    return min(around, key=len, default=range(0))
