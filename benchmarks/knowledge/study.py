"""Whether knowledge is always honoured, on random data; and what it spares.

``python -m benchmarks knowledge OUTPUT_FOLDER [--cases 300] [--first 0]`` fits every
learner on each case (seven fits a case), measures what forbidding half of the pairs of hepar2
spares, and writes ``README.md``. It ends with an error if anything was at fault.
"""

import argparse
from pathlib import Path

from benchmarks.knowledge.cases import LEARNERS, check_random_fits, spared


def main(arguments: list[str] | None = None) -> None:
    """Fit, measure, and write the report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks knowledge", description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--first", type=int, default=0, help="seed of the first case")
    options = parser.parse_args(arguments)
    n_fits, wrong = 0, []
    for seed, learner, found in check_random_fits(
        range(options.first, options.first + options.cases)
    ):
        n_fits += 1
        wrong += [f"seed {seed}, {learner}: {fault}" for fault in found]
    lines = [
        "# Random fits with random knowledge",
        "",
        f"Command: `python -m benchmarks knowledge OUTPUT --cases {options.cases}`.",
        "",
        f"{n_fits:,} fits ({options.cases:,} cases, {len(LEARNERS)} learners each): "
        f"{len(wrong)} graphs that are invalid or violate what is known.",
        *(f"- {fault}" for fault in wrong),
        "",
        "## Half of the pairs of hepar2 forbidden at random, 5,000 rows",
        "",
        "| learner | tests without | with | less | parent sets without | with | less |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for one in spared("hepar2", 5000, 0):
        cells = [f"`{one.learner}`"]
        for before, after in (one.tests, one.parent_sets):
            less = f"{1 - after / before:.0%}" if before else ""
            cells += [f"{before:,}", f"{after:,}", less] if before else ["", "", ""]
        lines.append(f"| {' | '.join(cells)} |")
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if wrong:
        raise SystemExit(f"{len(wrong)} faults")


if __name__ == "__main__":
    main()
