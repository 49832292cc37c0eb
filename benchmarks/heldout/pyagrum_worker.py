"""Graphs that pyAgrum learns from the tables of ``compare.py draw WORK``.

Run in an environment of its own that has pyAgrum:

    python -P benchmarks/heldout/pyagrum_worker.py WORK
"""

import csv
import sys
from pathlib import Path

import pyagrum

SCORES = {"bic": "useScoreBIC", "bdeu": "useScoreBDeu"}


def main(folder: Path) -> None:
    for path in sorted(folder.glob("*.csv")):
        if path.name.endswith(".edges.csv"):
            continue
        for score, use in SCORES.items():
            output = path.with_suffix(f".pyAgrum_greedy_{score}.edges.csv")
            if output.exists():
                continue
            learner = pyagrum.BNLearner(str(path))
            learner.useGreedyHillClimbing()
            getattr(learner, use)()
            names = learner.names()
            graph = learner.learnDAG()
            with output.open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(["from", "to"])
                for tail, head in graph.arcs():
                    writer.writerow([names[tail], names[head]])
            print(output.name, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
