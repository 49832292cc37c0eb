"""Other programs on columns of numbers and categories; started by `peers.py`.

    python peer_worker.py JOB.json

The job names the data (``.npz`` with ``values``, rows x variables, and ``n_categories``, zero for
numbers), the tool and its settings. Prints a line of JSON: arrows and undirected edges by column,
and seconds of the processor without loading.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from peer_worker import Found, boss_of, found_by_tetrad, start_tetrad


def tetrad(
    values: np.ndarray, n_categories: np.ndarray, settings: dict[str, str]
) -> Callable[[], Found]:
    search, _ = start_tetrad()
    import jpype

    scores = jpype.JPackage("edu.cmu.tetrad.search.score")
    data = _mixed_data(values, n_categories)
    if settings["score"] == "degenerate":
        score = scores.DegenerateGaussianScore(data, True, 0.0)
    else:
        score = scores.BasisFunctionBicScore(data, 3, 0.0)
    score.setPenaltyDiscount(float(settings["penalty"]))
    learner = boss_of(search, score)
    return lambda: found_by_tetrad(learner)


def _mixed_data(values: np.ndarray, n_categories: np.ndarray) -> object:
    """Return a table of Tetrad, with a column of numbers or of codes for each variable."""
    import jpype

    tables, java = jpype.JPackage("edu.cmu.tetrad.data"), jpype.JPackage("java.util")
    variables, numbers, codes = java.ArrayList(), [], []
    for i, (column, n) in enumerate(zip(values.T, n_categories.tolist(), strict=True)):
        if n:
            variables.add(tables.DiscreteVariable(f"v{i}", n))
        else:
            variables.add(tables.ContinuousVariable(f"v{i}"))
        numbers.append(None if n else jpype.JArray(jpype.JDouble)(column))
        codes.append(jpype.JArray(jpype.JInt)(column.astype(np.int32)) if n else None)
    doubles = jpype.JArray(jpype.JArray(jpype.JDouble))(numbers)
    ints = jpype.JArray(jpype.JArray(jpype.JInt))(codes)
    box = tables.MixedDataBox(variables, len(values), doubles, ints)
    return tables.BoxDataSet(box, variables)


def causallearn(
    values: np.ndarray, n_categories: np.ndarray, settings: dict[str, str]
) -> Callable[[], Found]:
    from causallearn.search.ConstraintBased.PC import pc

    def learn() -> Found:
        graph = pc(values, float(settings["alpha"]), "fisherz", show_progress=False).G
        mark = graph.graph  # at [a, b] the mark at a: -1 a tail, 1 a head
        joined = np.argwhere(mark != 0)
        arrows = [(int(a), int(b)) for a, b in joined if mark[a, b] == -1 and mark[b, a] == 1]
        edges = [(int(a), int(b)) for a, b in joined if a < b and mark[a, b] == mark[b, a]]
        return Found(arrows, edges)

    return learn


TOOLS = {"tetrad": tetrad, "causallearn": causallearn}


def main(path: str) -> None:
    warnings.simplefilter("ignore")
    job = json.loads(Path(path).read_text())
    data = np.load(job["data"])
    learn = TOOLS[job["tool"]](data["values"], data["n_categories"], job["settings"])
    start = time.process_time()
    found = learn()
    seconds = time.process_time() - start
    told = {"arrows": found.arrows, "edges": found.edges, "seconds": seconds}
    print("\n" + json.dumps(told), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
