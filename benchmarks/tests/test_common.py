"""What studies share: the list, runs that go on where they stopped, limits, other programs."""

import json
import sys
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from benchmarks.__main__ import main, studies
from benchmarks.common import peer_learners
from benchmarks.common.arrows import Directions, directions
from benchmarks.common.limited import limited
from benchmarks.common.pages import head, table
from benchmarks.common.runs import append, left, perform_all, performed, read_runs, run_of
from bnsieve import Graph, load_network
from bnsieve.metrics import compare

FOLDER = Path(__file__).parents[1]


def test_every_folder_but_the_shared_ones_is_a_study():
    folders = {path.parent.name for path in FOLDER.glob("*/__init__.py")}
    assert set(studies()) == folders - {"common"}


@pytest.mark.parametrize("name", studies())
def test_a_study_explains_itself(name, capsys):
    import_module(f"benchmarks.{name}.study")
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: python -m benchmarks {name}")


def test_an_unknown_study_is_named():
    with pytest.raises(SystemExit, match="no study 'nothing': choose from accuracy, "):
        main(["nothing"])


@dataclass(frozen=True)
class Job:
    label: str
    number: int


JOBS = [Job("one", number) for number in range(3)]


def half(job):
    return run_of(job, {"half": job.number / 2})


def test_a_study_that_was_stopped_goes_on_where_it_was(tmp_path):
    path = tmp_path / "new" / "runs.csv"
    runs = perform_all(iter(JOBS), path, half)
    assert next(runs) == {"label": "one", "number": 0, "half": 0.0}
    assert left(JOBS, path) == JOBS[1:]
    assert [run["half"] for run in runs] == [0.5, 1.0]
    assert read_runs(path).half.tolist() == [0.0, 0.5, 1.0]
    assert left([Job("two", 1)], path) == [Job("two", 1)]


def test_several_processes_give_the_same_results_and_none_starts_after_the_end():
    assert list(performed(JOBS, asdict, n_processes=2)) == [asdict(job) for job in JOBS]
    assert list(performed(JOBS, asdict, minutes=0)) == []


def test_lines_of_other_columns_are_refused(tmp_path):
    path = tmp_path / "runs.csv"
    append(path, [{"label": "a", "f1": 1.0}])
    with pytest.raises(ValueError, match="--output"):
        append(path, [{"label": "a", "edges": 1}])
    with pytest.raises(ValueError, match=r"not \['label', 'number'\]: give another --output"):
        left(JOBS, path)


def test_a_report_does_not_say_where_it_was_written():
    lines = "\n".join(head("Title", "noise", ["--output", "/some/place", "--label", "x"]))
    assert "/some/place" not in lines
    assert "python -m benchmarks noise --label x" in lines
    assert table(["a", "b"], [["x", "1"]]) == ["| a | b |", "| --- | --: |", "| x | 1 |"]


def test_a_command_has_one_thread_and_so_much_processor_time():
    program = "import os; print('said', os.environ['OPENBLAS_NUM_THREADS'])"
    assert limited([sys.executable, "-c", program], 30) == "said 1\n"
    with pytest.raises(TimeoutError, match="first"):
        limited([sys.executable, "-c", "print('first', flush=True)\nwhile True: pass"], 1)
    with pytest.raises(RuntimeError, match="no data"):
        limited([sys.executable, "-c", "import sys; sys.exit('no data')"], 30)


COST = {"tests": None, "seconds": 0.5, "cpu": 0.25, "version": "1.0"}


@pytest.mark.parametrize("tool", ["bnlearn", "pyagrum"])
def test_the_learners_after_one_that_hangs_are_run(monkeypatch, tmp_path, tool):
    line = json.dumps({"arrows": [[0, 1]], "edges": [], "marked": [], **COST}) + "\n"
    printed = "5.2.1 0.5 0.25 7 \n0 1\n\n" if tool == "bnlearn" else line
    asked = []

    def fake(command, seconds):
        if tool == "bnlearn":
            names = command[3::2]
        else:
            job = json.loads(Path(command[2]).read_text(encoding="utf-8"))
            names = [algorithm for algorithm, _ in job["learners"]]
        asked.append((names, seconds))
        if "hangs" in names:
            raise TimeoutError(printed * names.index("hangs"))
        return printed * len(names)

    monkeypatch.setattr(peer_learners, "limited", fake)
    monkeypatch.setattr(peer_learners, "python_of", lambda *given: "python")
    learners = [("a", ""), ("hangs", ""), ("b", "")]
    codes = np.array([[0, 1], [1, 0]])
    found = peer_learners.learn_all(tool, learners, codes, tmp_path, 10)
    assert [one.status for one in found] == ["ok", "timeout10", "ok"]
    assert asked == [(["a", "hangs", "b"], 30), (["b"], 10)]
    assert found[0].arrows == ((0, 1),)


NODES = ["a", "b", "c", "d", "e"]
# a -> c <- b compels c -> d; e - a stays undirected.
TRUTH = Graph(NODES, directed=[("a", "c"), ("b", "c"), ("c", "d"), ("e", "a")])


def test_an_arrow_is_right_only_if_the_true_class_has_it():
    found = Graph(NODES, directed=[("a", "c"), ("c", "b"), ("a", "b"), ("a", "e")])
    # Different: c -> b, a -> b (no edge), a -> e (undirected), c - d (missing).
    assert directions(found, TRUTH) == Directions(4, 1, 0, 3, 4)
    open_end = Graph(NODES, directed=[("a", "c"), ("b", "c")], undirected=[("c", "d"), ("a", "e")])
    assert directions(open_end, TRUTH) == Directions(2, 2, 2, 3, 1)
    asia = load_network("asia").graph
    other = Graph(asia.nodes, directed=asia.directed_edges[2:]).to_cpdag()
    assert directions(other, asia).distance == compare(asia, other).shd
