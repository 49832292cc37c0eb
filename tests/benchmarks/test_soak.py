"""The soak sees what it is there for: growth, graphs that differ, fits that do not end."""

import sys

import pytest

from benchmarks.soak import study
from bnsieve import Graph

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")


def test_a_leak_is_seen(monkeypatch):
    kept = []
    monkeypatch.setattr(study, "graph_of", lambda number: kept.append(bytearray(b"x" * (8 << 20))))
    held, wrong = study.soak(50)
    assert len(held) == 10
    assert "memory grew" in wrong[0]


def test_open_files_are_seen(monkeypatch, tmp_path):
    kept = []
    monkeypatch.setattr(study, "graph_of", lambda n: kept.append((tmp_path / str(n)).open("w")))
    _, wrong = study.soak(10)
    assert any("open files grew" in one for one in wrong)
    for file in kept:
        file.close()


def test_graphs_that_differ_are_seen(monkeypatch):
    seen = []

    def another_each_time(number):
        seen.append(number)
        return Graph([f"n{len(seen)}"], [])

    monkeypatch.setattr(study, "graph_of", another_each_time)
    assert len(study.at_once()) == study.N_AT_ONCE


def test_fits_at_once_and_beside_one_that_ends():
    assert study.at_once() == []
    assert study.beside_one_that_ends() == []
