"""What the paper leaves open, and what each choice does to tests and F1.

``python -m benchmarks paper choices OUTPUT_FOLDER [--runs 3] [--networks insurance alarm]`` writes
``choices.csv`` and ``choices.md``. The first line is `TsetlinPC` as it is; every other line changes
one thing, and the last ones the rule: that of the authors' later program. What ``choices.csv`` has
is not run again.
"""

import argparse
import dataclasses
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.paper.runner import NETWORKS
from bnsieve import Graph, load_network
from bnsieve.counts import ScannedCounts
from bnsieve.decide import METHODS, Answer, CountsTest, IndependenceTest, TestOutcome
from bnsieve.engine import threads
from bnsieve.learners import paper_epochs
from bnsieve.metrics import compare
from bnsieve.search import Skeleton, pair_rule, shrink_candidates
from bnsieve.sieve import SieveSettings, before_the_drop, importances, strongest
from bnsieve.sieve.machine import MachineSettings
from bnsieve.table import Table


class Decided(CountsTest):
    """A test that answers in place of "cannot tell"."""

    def __init__(self, source: ScannedCounts, answer: Answer) -> None:
        super().__init__(source, alpha=0.05)
        self.answer = answer

    def outcome(self, x: int, y: int, given: tuple[int, ...]) -> TestOutcome:
        """Replace a p-value that is missing."""
        outcome = super().outcome(x, y, given)
        if np.isnan(outcome.p_value):
            outcome = outcome._replace(p_value=0.0 if self.answer is Answer.DEPENDENT else 1.0)
        return outcome


class TextbookDf(CountsTest):
    """G2 with the degrees of freedom of the full table, whether its cells can occur or not."""

    def __init__(self, source: ScannedCounts, n_levels: np.ndarray) -> None:
        super().__init__(source, method="g2", alpha=0.05)
        self.n_levels = n_levels

    def outcome(self, x: int, y: int, given: tuple[int, ...]) -> TestOutcome:
        """Compare the statistic with the chi-square distribution of all cells."""
        from scipy.stats import chi2

        outcome = super().outcome(x, y, given)
        df = float((self.n_levels[x] - 1) * (self.n_levels[y] - 1) * self.n_levels[[*given]].prod())
        return outcome._replace(df=df, p_value=float(chi2.sf(outcome.statistic, df)))


PAPER = MachineSettings(boost=False)


def neighbours(
    table: Table,
    run: int,
    *,
    mirrored: bool = False,
    measure: str = "score",
    keep: Callable[[np.ndarray, int], tuple[int, ...]] = strongest,
    **changes: Any,
) -> list[tuple[int, ...]]:
    settings = SieveSettings(PAPER, paper_epochs(table.n_variables))
    settings = dataclasses.replace(settings, **changes)
    with threads(1) as spread:
        found = list(importances(table, range(table.n_variables), settings, run, spread))
    scores = [getattr(one, measure) for one in found]
    if not mirrored:
        return [keep(score, 2) for score in scores]
    last = table.n_variables - 1
    return [tuple(last - v for v in strongest(score[::-1], 2)) for score in scores]


def variants(table: Table, run: int) -> dict[str, Callable[[], Skeleton]]:
    """Return what finds the skeleton of every variant."""
    source = ScannedCounts(table)
    paper = cache(lambda: neighbours(table, run))

    def tested(test: IndependenceTest) -> Callable[[], Skeleton]:
        return lambda: pair_rule(test, paper())

    found = {"TsetlinPC": tested(CountsTest(source, alpha=0.05))}
    for method in [name for name in METHODS if name in ("chi2", "g2")]:
        found[f"test: {method}, asymptotic"] = tested(CountsTest(source, method=method, alpha=0.05))
    found["df: textbook (G2)"] = tested(TextbookDf(source, table.n_levels))
    found["alpha: 0.01"] = tested(CountsTest(source, alpha=0.01))
    for answer in (Answer.INDEPENDENT, Answer.DEPENDENT):
        found[f"cannot tell: taken as {answer.value}"] = tested(Decided(source, answer))
    changed: dict[str, dict[str, Any]] = {
        "true positives: boosted": {"machine": dataclasses.replace(PAPER, boost=True)},
        "T: 10": {"machine": dataclasses.replace(PAPER, threshold=10)},
        "importance: frequency alone": {"measure": "frequency"},
        "classes: as they are": {"balance": False},
        "training rows: all": {"train_share": 1.0},
        "ties: last name first": {"mirrored": True},
    }

    def changed_by(changes: dict[str, Any]) -> Skeleton:
        return pair_rule(CountsTest(source, alpha=0.05), neighbours(table, run, **changes))

    found |= {name: partial(changed_by, changes) for name, changes in changed.items()}
    return found | later(table, run)


def later(table: Table, run: int) -> dict[str, Callable[[], Skeleton]]:
    """Return the rule of the authors' later program, WTM-BN, with our settings and with theirs."""

    def shrunk(alpha: float, threshold: int) -> Skeleton:
        machine = dataclasses.replace(PAPER, threshold=threshold)
        ranked = neighbours(table, run, keep=before_the_drop, machine=machine)
        return shrink_candidates(CountsTest(ScannedCounts(table), alpha=alpha), ranked)

    return {
        "cut: relative": lambda: shrunk(0.05, PAPER.threshold),
        "cut: relative, alpha: 0.01, T: 10": lambda: shrunk(0.01, 10),
    }


def main(arguments: list[str] | None = None) -> None:
    """Try every choice, and write the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks paper choices", description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "choices.csv"
    columns = ["variant", "network", "run", "ci_tests", "f1"]
    before = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=columns)
    done = set(before[columns[:3]].itertuples(index=False, name=None))
    lines = list(before[columns].itertuples(index=False, name=None))
    for network in options.networks:
        truth = load_network(network)
        for run in range(options.runs):
            given = Table.from_data(truth.sample(options.rows, random_state=run))
            names = sorted(set(given.names) - set(given.constant))
            for variant, find in variants(given.select(names), run).items():
                if (variant, network, run) in done:
                    continue
                skeleton = find()
                edges = [(names[a], names[b]) for a, b in skeleton.edges]
                result = compare(truth, Graph(given.names, undirected=edges))
                lines.append((variant, network, run, skeleton.n_tests, result.f1))
            print(network, run, flush=True)
        frame = pd.DataFrame(lines, columns=columns)
        frame.round(4).to_csv(path, index=False)
    mean = frame.groupby(["variant", "network"], sort=False)[["ci_tests", "f1"]].mean()
    cells = mean.apply(lambda row: f"{row['ci_tests']:.0f}, {row['f1']:.2f}", axis=1).unstack()
    grid = cells.loc[frame["variant"].unique(), list(options.networks)]
    head = f"| tests, F1 | {' | '.join(grid.columns)} |\n" + "|---" * (grid.shape[1] + 1) + "|\n"
    body = "\n".join(f"| {name} | {' | '.join(row)} |" for name, row in grid.iterrows())
    (options.output / "choices.md").write_text(head + body + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
