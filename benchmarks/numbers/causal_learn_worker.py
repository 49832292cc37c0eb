"""PC of causal-learn with Fisher's z on columns of numbers; started by `peers.py`.

    python causal_learn_worker.py DATA.csv ALPHA

Runs in an environment of its own. Prints the seconds of processor, then one edge to a line, by
column number: ">" is an arrow, "-" a line.
"""

import sys
import time

import numpy as np
from causallearn.search.ConstraintBased.PC import pc


def main(path: str, alpha: str) -> None:
    data = np.loadtxt(path, delimiter=",", skiprows=1)
    start = time.process_time()
    # Entry [a, b] is the mark at a's end: -1 a tail, 1 a head.
    mark = pc(data, float(alpha), "fisherz", show_progress=False).G.graph
    print("found", time.process_time() - start)
    for a, b in np.argwhere(mark != 0):
        if mark[a, b] == -1 and mark[b, a] == 1:
            print(">", a, b)
        elif a < b and mark[a, b] == mark[b, a]:
            print("-", a, b)


if __name__ == "__main__":
    main(*sys.argv[1:])
