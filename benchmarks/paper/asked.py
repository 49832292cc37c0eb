"""Tests that the baselines would perform if nothing remembered what has been tested.

The study counts a test once however often it is asked for. Programs without a memory perform it
again, and the paper's counts are theirs: in pgmpy's PC a pair is tested given the sets
of one end's neighbours, then given those of the other's, and a set that is among both is tested
twice; an algorithm that works on one target after another tests each pair from both ends.

``python -m benchmarks paper asked OUTPUT_FOLDER [--runs 1] [--networks insurance alarm]`` writes
``asked.csv`` and ``asked.md``.
"""

import argparse
from collections.abc import Callable, Iterable
from itertools import chain, combinations
from pathlib import Path

import pandas as pd

from benchmarks.paper.report import paper_figures
from benchmarks.paper.runner import NETWORKS, Job, perform
from bnsieve import load_network
from bnsieve.counts import ScannedCounts
from bnsieve.decide import Answer, CountsTest, TestResult
from bnsieve.search import fsmb_pc, hiton_pc
from bnsieve.table import Table

MAX_GIVEN = 3


class AskedTest(CountsTest):
    """A test that also counts the questions that it answers from memory."""

    asked = 0

    def test(self, x: int, y: int, given: Iterable[int] = ()) -> TestResult:
        """Count, and answer."""
        self.asked += 1
        return super().test(x, y, given)


def ask_as_pgmpy(test: AskedTest, n_variables: int, *, stable: bool) -> None:
    """Put the questions of pgmpy's PC, with those that it repeats."""
    every = range(n_variables)
    adjacent = {v: set(every) - {v} for v in every}
    for size in range(MAX_GIVEN + 1):
        seen = {v: frozenset(adjacent[v]) for v in every} if stable else adjacent
        for x, y in combinations(every, 2):
            if y not in adjacent[x]:
                continue
            ends = ((x, y), (y, x))
            for given in chain(*(combinations(sorted(seen[a] - {b}), size) for a, b in ends)):
                if test.test(x, y, given).answer is Answer.INDEPENDENT:
                    adjacent[x].discard(y)
                    adjacent[y].discard(x)
                    break


def ask_by_target(search: Callable[..., object], test: AskedTest, n_variables: int) -> None:
    """Put the questions of a search for one target after another."""
    search(test, n_variables, join="either")
    test.asked += n_variables * (n_variables - 1) // 2  # every pair from its other end


SEARCHES: dict[str, Callable[[AskedTest, int], None]] = {
    "hiton-pc": lambda test, n: ask_by_target(hiton_pc, test, n),
    "fsmb-pc": lambda test, n: ask_by_target(fsmb_pc, test, n),
    "pc-original": lambda test, n: ask_as_pgmpy(test, n, stable=False),
    "pc-stable": lambda test, n: ask_as_pgmpy(test, n, stable=True),
}


def main(arguments: list[str] | None = None) -> None:
    """Count, and write the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks paper asked", description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    lines = []
    for network in options.networks:
        truth = load_network(network)
        for run in range(options.runs):
            given = Table.from_data(truth.sample(5000, random_state=run))
            table = given.select(sorted(set(given.names) - set(given.constant)))
            for name, search in SEARCHES.items():
                test = AskedTest(ScannedCounts(table), alpha=0.01)
                search(test, table.n_variables)
                lines.append((network, name, run, test.asked, test.n_tests))
            found = perform(Job(network, "tm", run, 5000)).ci_tests
            lines.append((network, "tm", run, found, found))
            print(network, run, flush=True)
    frame = pd.DataFrame(lines, columns=["network", "algorithm", "run", "asked", "performed"])
    frame.to_csv(options.output / "asked.csv", index=False)
    asked = frame.groupby(["network", "algorithm"])["asked"].mean()
    paper = paper_figures()["mean"]["ci_tests"]
    rows = [f"| network | {' | '.join(SEARCHES)} |", "|---" * (len(SEARCHES) + 1) + "|"]
    for network in options.networks:
        cells = []
        for name in SEARCHES:
            ours, theirs = (
                source[network, name] / source[network, "tm"] for source in (asked, paper)
            )
            counts = f"{asked[network, name]:,.0f} ({paper[network, name]:,.0f})"
            cells.append(f"{counts}; {ours:,.1f} ({theirs:,.1f})")
        rows.append(f"| {network} | {' | '.join(cells)} |")
    (options.output / "asked.md").write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
