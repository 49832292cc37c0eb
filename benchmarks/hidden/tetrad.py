"""PAGs and files of ours beside Tetrad's, on random DAGs with hidden variables.

    python -m benchmarks hidden tetrad CACHE [--graphs 100]

CACHE is a folder for virtual environments. Tetrad reads each DAG from our file, finds the PAG
itself, and reads our PAG from our file. Exit code 1 if it misreads a file. Where PAGs differ,
Tetrad 7.6.8 has tails that not all equivalent graphs have: see ``tests/graph/test_ancestral.py``.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.common.environments import python_of
from benchmarks.common.limited import limited
from benchmarks.common.peer_learners import TETRAD, TOOLS
from bnsieve import Graph, write

WORKER = Path(__file__).with_name("tetrad_worker.py")
SIZES = (8, 16, 32)


def main(arguments: list[str] | None = None) -> None:
    """Print how many PAGs and files agree."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks hidden tetrad", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("cache", type=Path)
    parser.add_argument("--graphs", type=int, default=100)
    options = parser.parse_args(arguments)
    python = python_of(TOOLS["tetrad"], TETRAD, options.cache)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.graphs):
            write_graph(Path(folder), number)
        printed = limited([str(python), str(WORKER), folder], 600)
    found = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    for what in ("same PAG", "file read"):
        print(f"{what}: {sum(one[what] for one in found)} of {options.graphs}")
    if len(found) < options.graphs or not all(one["file read"] for one in found):
        sys.exit(1)


def write_graph(folder: Path, number: int) -> None:
    """Write a random DAG with two neighbours per node, its PAG, and the names of what is hidden."""
    rng = np.random.default_rng(number)
    n_nodes = SIZES[number % len(SIZES)]
    order = rng.permutation(n_nodes)
    edges = [
        (f"v{order[i]}", f"v{order[j]}")
        for i in range(n_nodes)
        for j in range(i + 1, n_nodes)
        if rng.random() < 2 / (n_nodes - 1)
    ]
    dag = Graph([f"v{i}" for i in range(n_nodes)], edges)
    hidden = [f"v{i}" for i in rng.choice(n_nodes, n_nodes // 8 + 1, replace=False)]
    write(dag, folder / f"{number}.dag.txt")
    write(dag.to_pag(hidden), folder / f"{number}.pag.txt")
    (folder / f"{number}.json").write_text(json.dumps(hidden), encoding="utf-8")


if __name__ == "__main__":
    main()
