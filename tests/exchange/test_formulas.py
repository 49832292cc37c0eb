"""Names that a spreadsheet would take for formulas: shown as text there, and read back exactly."""

import errno
import os
from pathlib import Path

import pytest

from bnsieve import Graph
from bnsieve.exchange import read, write

NAMES = [
    "=cmd|' /C calc'!A0",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "'=1",
    "''-x",
    "'plain",
    "plain",
    "1-1",
]


def test_formulas_become_text_and_come_back(tmp_path):
    graph = Graph(NAMES, [(NAMES[i], NAMES[i + 1]) for i in range(len(NAMES) - 1)])
    write(graph, tmp_path / "edges.csv")
    text = (tmp_path / "edges.csv").read_text(encoding="utf-8")
    cells = [cell.strip('"') for line in text.splitlines()[1:] for cell in line.split(",")]
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "\t")]
    assert "'plain,plain" in text
    assert set(read(tmp_path / "edges.csv").directed_edges) == set(graph.directed_edges)


def test_an_old_edge_list_outlives_a_full_disk(tmp_path, monkeypatch):
    path = tmp_path / "edges.csv"
    write(Graph(["a", "b"], [("a", "b")]), path)
    before = path.read_bytes()

    def full(self, content):
        with self.open("wb") as file:
            file.write(content[:3])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        write(Graph(["c", "d"], [("c", "d")]), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
