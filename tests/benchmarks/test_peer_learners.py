"""What other programs print is read; one that hangs costs only itself."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.common import peer_learners
from benchmarks.common.peer_learners import learn_all

CODES = np.array([[0, 1], [1, 0]])
COST = {"tests": None, "seconds": 0.5, "cpu": 0.25, "version": "1.0"}
LINE = {"arrows": [[0, 1]], "edges": [], **COST}


def test_arcs_of_bnlearn_become_arrows_and_edges(monkeypatch, tmp_path):
    text = "5.2.1 0.5 0.25 7 \n0 1\n1 2\n2 1\n\nerror no such score \n\n"
    monkeypatch.setattr(peer_learners, "limited", lambda command, seconds: text)
    one, other = learn_all("bnlearn", [("hc", ""), ("hc", "score=x")], CODES, tmp_path, 9)
    assert (one.status, one.version, one.n_tests) == ("ok", "5.2.1", 7)
    assert (one.arrows, one.edges) == (((0, 1),), ((1, 2),))
    assert (one.seconds, one.cpu_seconds) == (0.5, 0.25)
    assert other.status == "error: no such score"


def test_a_learner_without_edges_is_no_error(monkeypatch, tmp_path):
    text = "5.2.1 0.5 0.25 7 \n\n"
    monkeypatch.setattr(peer_learners, "limited", lambda command, seconds: text)
    [one] = learn_all("bnlearn", [("hc", "")], CODES, tmp_path, 9)
    assert (one.status, one.arrows, one.edges) == ("ok", (), ())


@pytest.mark.parametrize("tool", ["bnlearn", "pyagrum"])
def test_the_learners_after_one_that_hangs_are_run(monkeypatch, tmp_path, tool):
    printed = "5.2.1 0.5 0.25 7 \n0 1\n\n" if tool == "bnlearn" else json.dumps(LINE) + "\n"
    asked = []

    def limited(command, seconds):
        if tool == "bnlearn":
            left = command[3::2]
        else:
            job = json.loads(Path(command[2]).read_text(encoding="utf-8"))
            left = [algorithm for algorithm, _ in job["learners"]]
        asked.append((left, seconds))
        if "hangs" in left:
            raise TimeoutError(printed * left.index("hangs"))
        return printed * len(left)

    monkeypatch.setattr(peer_learners, "limited", limited)
    monkeypatch.setattr(peer_learners, "python_of", lambda *given: "python")
    learners = [("a", ""), ("hangs", ""), ("b", "")]
    found = learn_all(tool, learners, CODES, tmp_path, 10)
    assert [one.status for one in found] == ["ok", "timeout10", "ok"]
    assert asked == [(["a", "hangs", "b"], 30), (["b"], 10)]
    assert found[0].arrows == ((0, 1),)
