"""The catalogue of hostile tables and CSV files: a graph of the right nodes, or a named error."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app
from hostile.tables import TABLES
from hostile.test_hostile_columns import fitted
from hostile.texts import TEXTS


def learn(path):
    """Run ``bnsieve learn``; return the nodes, or the one line of the error."""
    result = CliRunner().invoke(app, ["learn", path, "-o", "out", "--jobs", "1"])
    if result.exit_code == 0:
        return bn.read("out/graph.json").nodes
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert not Path("out").exists()
    return result.stderr


def refused(found, says):
    assert isinstance(found, str), found
    assert says in found


def nodes_or_error(data):
    try:
        return fitted(data).graph_.nodes
    except (TypeError, ValueError) as error:
        assert type(error) in (TypeError, ValueError)
        return str(error)


@pytest.mark.parametrize("hostile", TABLES, ids=lambda hostile: hostile.name)
def test_tables(hostile, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = hostile.make()
    ways = {"frame": nodes_or_error(frame)}
    if hostile.files:
        frame.to_csv("rows.csv", index=False)
        if len(set(frame.columns)) == len(frame.columns):  # pandas writes no other
            frame.to_parquet("rows.parquet")
            ways["parquet"] = nodes_or_error("rows.parquet")
    for found in ways.values():
        if hostile.nodes is None:
            refused(found, hostile.says)
        else:
            assert found == hostile.nodes
    if hostile.files:
        found = learn("rows.csv")
        if hostile.says:
            refused(found, hostile.says)
        else:
            assert found == hostile.nodes


@pytest.mark.parametrize(("content", "expected"), [t[1:] for t in TEXTS], ids=[t[0] for t in TEXTS])
def test_csv_files(content, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_bytes(content)
    for found in (learn("rows.csv"), nodes_or_error("rows.csv")):
        if isinstance(expected, tuple):
            assert found == expected
        elif expected != "one column" or isinstance(found, str):  # which a learner takes
            refused(found, expected)
            assert "rows.csv" in found


def test_the_catalogue_is_as_large_as_promised():
    from hostile.columns import COLUMNS, NAMES

    inputs = [*COLUMNS, *NAMES, *TABLES, *TEXTS]
    assert len(inputs) >= 200
