"""Which arrows of the hospital's graph are right, and whether one points into age or sex.

``python -m benchmarks tables directions`` learns from 1,000, 5,000 and 20,000 rows, three samples
each, without any knowledge; from the table as the file shows it and from the one that a person
prepared (``--hand``). An arrow is right if the true graph has it; an arrow between columns that are
not joined in truth is wrong.
"""

import argparse
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from benchmarks.common.pages import table
from benchmarks.tables.catalogue import TABLES, complete, truth_of
from bnsieve import TsetlinSieve

ROWS = (1_000, 5_000, 20_000)
BAR = 0.9
FIRST = ("age", "sex")

Arrow = tuple[str, str]


@dataclass(frozen=True)
class Arrows:
    """Arrows called sure, those of them that are right, and those that point into age or sex."""

    sure: tuple[Arrow, ...]
    right: tuple[Arrow, ...]
    into_first: tuple[Arrow, ...]

    @property
    def wrong(self) -> tuple[Arrow, ...]:
        """Arrows that the true graph does not have."""
        return tuple(arrow for arrow in self.sure if arrow not in self.right)


def judged(arrows: Iterable[Arrow]) -> Arrows:
    """Judge arrows between columns of the hospital's table."""
    sure = tuple(sorted(set(arrows)))
    true_edges = truth_of(TABLES["hospital"]).edges
    return Arrows(
        sure,
        tuple(arrow for arrow in sure if arrow in true_edges),
        tuple(arrow for arrow in sure if arrow[1] in FIRST),
    )


def from_prepared(n_rows: int, seed: int) -> Arrows:
    """Learn from the table that a person prepared."""
    data = complete(TABLES["hospital"].prepared(n_rows, seed)).astype(str)
    return judged(TsetlinSieve(random_state=0).fit(data).confirmed_edges_)


def from_table(n_rows: int, seed: int) -> Arrows:
    """Learn from the table as the file shows it; a part of a date counts as the date."""
    frame = TABLES["hospital"].frame(n_rows, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it says what it leaves out
        learner = TsetlinSieve(random_state=0).fit(frame)
    plan = learner.preparation_
    if plan is None:
        raise ValueError("the learner prepared nothing")
    sources = {output.name: column.name for column in plan.columns for output in column.outputs}
    arrows = ((sources[tail], sources[head]) for tail, head in learner.confirmed_edges_)
    return judged(arrow for arrow in arrows if arrow[0] != arrow[1])


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks tables directions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", nargs="+", type=int, default=ROWS)
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--hand", action="store_true", help="the table that a person prepared")
    asked = parser.parse_args(arguments)
    learn = from_prepared if asked.hand else from_table
    lines = []
    for rows in asked.rows:
        for seed in range(asked.samples):
            found = learn(rows, seed)
            lines.append(
                {
                    "rows": rows,
                    "sample": seed,
                    "sure": len(found.sure),
                    "right": len(found.right),
                    "into age or sex": len(found.into_first),
                    "wrong ones": ", ".join(f"{tail} -> {head}" for tail, head in found.wrong),
                }
            )
    runs = pd.DataFrame(lines)
    cells = [[str(cell) for cell in line] for line in runs.to_numpy()]
    print("\n".join(table(list(runs.columns), cells)))
    share = runs.right.sum() / max(1, runs.sure.sum())
    print(f"\n{share:.3f} of the arrows called sure are right (bar: {BAR}).")


if __name__ == "__main__":
    main()
