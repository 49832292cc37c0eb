"""pyAgrum's greedy hill climbing on the rows of a CSV file, in memory, one thread.

Run in an environment of its own that has pyAgrum:

    bnsieve sample alarm --rows 1000000 --seed 11 -o alarm.csv
    python benchmarks/scale/pyagrum_learn.py alarm.csv

Prints seconds and processor seconds of learning (loading apart), and the arrows, as JSON.
"""

import json
import sys
import time

import pyagrum


def main(path: str) -> None:
    clock = time.perf_counter()
    learner = pyagrum.BNLearner(path)
    loading = time.perf_counter() - clock
    learner.setNumberOfThreads(1)
    learner.useGreedyHillClimbing()
    clock, processor = time.perf_counter(), time.process_time()
    graph = learner.learnDAG()
    seconds, used = time.perf_counter() - clock, time.process_time() - processor
    names = learner.names()
    answer = {
        "rows": learner.nbRows(),
        "loading": loading,
        "seconds": seconds,
        "processor_seconds": used,
        "arrows": [[names[a], names[b]] for a, b in graph.arcs()],
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1])
