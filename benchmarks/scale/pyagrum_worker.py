"""pyAgrum on the rows of a CSV file, in memory, one thread; started by `peers.py`.

Run in an environment of its own that has pyAgrum:

    python -P benchmarks/scale/pyagrum_worker.py rows.csv GHC

Prints a line of JSON: version, seconds of loading, seconds and processor seconds of learning,
arrows and undirected edges by name.
"""

import json
import sys
import time

import pyagrum


def main(path: str, algorithm: str) -> None:
    clock = time.perf_counter()
    learner = pyagrum.BNLearner(path)
    loading = time.perf_counter() - clock
    learner.setNumberOfThreads(1)
    {
        "GHC": learner.useGreedyHillClimbing,
        "tabu": learner.useLocalSearchWithTabuList,
        "MIIC": learner.useMIIC,
    }[algorithm]()
    clock, processor = time.perf_counter(), time.process_time()
    graph = learner.learnPDAG() if algorithm == "MIIC" else learner.learnDAG()
    seconds, used = time.perf_counter() - clock, time.process_time() - processor
    names = learner.names()
    edges = graph.edges() if algorithm == "MIIC" else ()
    answer = {
        "version": pyagrum.__version__,
        "loading_seconds": loading,
        "seconds": seconds,
        "processor_seconds": used,
        "arrows": [(names[a], names[b]) for a, b in graph.arcs()],
        "edges": [(names[a], names[b]) for a, b in edges],
    }
    print("\n" + json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
