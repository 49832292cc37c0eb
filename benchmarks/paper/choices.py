"""What the paper leaves open, and what each choice does to tests and F1.

``python -m benchmarks paper choices OUTPUT_FOLDER [--runs 3] [--networks insurance alarm]`` writes
``choices.csv`` and ``choices.md``. The first line is `TsetlinPC` as it is; every other line changes
one thing.
"""

import argparse
import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.paper.runner import NETWORKS
from bnsieve import Graph, load_network
from bnsieve.counts import ScannedCounts
from bnsieve.decide import METHODS, Answer, CountsTest, TestResult
from bnsieve.engine import threads
from bnsieve.learners import paper_epochs
from bnsieve.metrics import compare
from bnsieve.search import Skeleton, pair_rule
from bnsieve.sieve import SieveSettings, importances, strongest
from bnsieve.table import Table
from bnsieve.tsetlin import MachineSettings


class Decided(CountsTest):
    """A test that answers in place of "cannot tell"."""

    def __init__(self, source: ScannedCounts, answer: Answer) -> None:
        super().__init__(source, alpha=0.05)
        self.answer = answer

    def _perform(self, x: int, y: int, given: tuple[int, ...]) -> TestResult:
        result = super()._perform(x, y, given)
        if result.answer is Answer.CANNOT_TELL:
            result = dataclasses.replace(result, answer=self.answer)
        return result


class TextbookDf(CountsTest):
    """G2 with the degrees of freedom of the full table, whether its cells can occur or not."""

    def __init__(self, source: ScannedCounts, n_levels: np.ndarray) -> None:
        super().__init__(source, method="g2", alpha=0.05)
        self.n_levels = n_levels

    def _perform(self, x: int, y: int, given: tuple[int, ...]) -> TestResult:
        from scipy.stats import chi2

        result = super()._perform(x, y, given)
        df = float((self.n_levels[x] - 1) * (self.n_levels[y] - 1) * self.n_levels[[*given]].prod())
        p_value = float(chi2.sf(result.statistic, df))
        answer = Answer.DEPENDENT if p_value < self.alpha else Answer.INDEPENDENT
        return dataclasses.replace(result, df=df, p_value=p_value, answer=answer)


PAPER = MachineSettings(boost=False)


def neighbours(
    table: Table, run: int, *, mirrored: bool = False, measure: str = "score", **changes: Any
) -> list[tuple[int, ...]]:
    settings = SieveSettings(PAPER, paper_epochs(table.n_variables))
    settings = dataclasses.replace(settings, **changes)
    with threads(1) as spread:
        found = list(importances(table, range(table.n_variables), settings, run, spread))
    scores = [getattr(one, measure) for one in found]
    if not mirrored:
        return [strongest(score, 2) for score in scores]
    last = table.n_variables - 1
    return [tuple(last - v for v in strongest(score[::-1], 2)) for score in scores]


def variants(table: Table, run: int) -> dict[str, Skeleton]:
    """Return the skeleton of every variant."""
    source = ScannedCounts(table)
    paper = neighbours(table, run)
    found = {"TsetlinPC": pair_rule(CountsTest(source, alpha=0.05), paper)}
    for method in [name for name in METHODS if name in ("chi2", "g2")]:
        found[f"test: {method}, asymptotic"] = pair_rule(
            CountsTest(source, method=method, alpha=0.05), paper
        )
    found["df: textbook (G2)"] = pair_rule(TextbookDf(source, table.n_levels), paper)
    found["alpha: 0.01"] = pair_rule(CountsTest(source, alpha=0.01), paper)
    for answer in (Answer.INDEPENDENT, Answer.DEPENDENT):
        found[f"cannot tell: taken as {answer.value}"] = pair_rule(Decided(source, answer), paper)
    changed: dict[str, dict[str, Any]] = {
        "true positives: boosted": {"machine": dataclasses.replace(PAPER, boost=True)},
        "T: 10": {"machine": dataclasses.replace(PAPER, threshold=10)},
        "importance: frequency alone": {"measure": "frequency"},
        "classes: as they are": {"balance": False},
        "training rows: all": {"train_share": 1.0},
        "ties: last name first": {"mirrored": True},
    }
    for name, changes in changed.items():
        chosen = neighbours(table, run, **changes)
        found[name] = pair_rule(CountsTest(source, alpha=0.05), chosen)
    return found


def main(arguments: list[str] | None = None) -> None:
    """Try every choice, and write the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks paper choices", description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    lines = []
    for network in options.networks:
        truth = load_network(network)
        for run in range(options.runs):
            given = Table.from_data(truth.sample(options.rows, random_state=run))
            names = sorted(set(given.names) - set(given.constant))
            for variant, skeleton in variants(given.select(names), run).items():
                edges = [(names[a], names[b]) for a, b in skeleton.edges]
                result = compare(truth, Graph(given.names, undirected=edges))
                lines.append((variant, network, run, skeleton.n_tests, result.f1))
            print(network, run, flush=True)
    frame = pd.DataFrame(lines, columns=["variant", "network", "run", "ci_tests", "f1"])
    frame.round(4).to_csv(options.output / "choices.csv", index=False)
    mean = frame.groupby(["variant", "network"], sort=False)[["ci_tests", "f1"]].mean()
    cells = mean.apply(lambda row: f"{row['ci_tests']:.0f}, {row['f1']:.2f}", axis=1).unstack()
    grid = cells.loc[frame["variant"].unique(), list(options.networks)]
    head = f"| tests, F1 | {' | '.join(grid.columns)} |\n" + "|---" * (grid.shape[1] + 1) + "|\n"
    body = "\n".join(f"| {name} | {' | '.join(row)} |" for name, row in grid.iterrows())
    (options.output / "choices.md").write_text(head + body + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
