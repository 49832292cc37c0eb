"""The command line: results, messages and exit codes."""

import io
import json
import re
import subprocess
import sys

import pandas as pd
import pytest
from typer.testing import CliRunner

import bnsieve
from bnsieve.cli import networks as rows
from bnsieve.cli.app import COMMANDS, app
from bnsieve.exchange import read, write


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def assert_one_line_error(result, message):
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


def test_version():
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout == f"bnsieve {bnsieve.__version__}\n"


def test_no_command_shows_help_and_is_a_usage_error():
    result = run()
    assert result.exit_code == 2
    assert "Exit codes" in result.output


def test_unknown_commands_and_options_are_usage_errors():
    assert run("lern").exit_code == 2
    assert run("doctor", "--jason").exit_code == 2


def test_every_command_teaches_by_example():
    for command in COMMANDS:
        result = run(command, "--help")
        assert result.exit_code == 0
        assert "Examples" in result.stdout


def test_doctor_for_people():
    result = run("doctor")
    assert result.exit_code == 0
    lines = dict(line.strip().split(maxsplit=1) for line in result.stdout.splitlines())
    assert lines["bnsieve"] == bnsieve.__version__
    assert {"python", "numpy", "instructions", "[ray]"} <= lines.keys()


def test_doctor_for_programs():
    result = run("doctor", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["bnsieve"] == bnsieve.__version__


# --- networks --------------------------------------------------------------------------------


def test_networks_for_people():
    result = run("networks")
    assert result.exit_code == 0
    rows = {line.split()[0]: line.split()[1:] for line in result.stdout.splitlines()[1:]}
    assert len(rows) == 19
    assert rows["munin"][:3] == ["1,041", "1,397", "80,592"]


def test_networks_for_programs():
    listed = json.loads(run("networks", "--json").stdout)
    alarm = next(network for network in listed if network["name"] == "alarm")
    assert (alarm["nodes"], alarm["arcs"], alarm["parameters"]) == (37, 46, 509)


# --- sample ----------------------------------------------------------------------------------


def as_text(frame):
    return frame.astype(object).map(str).to_numpy().tolist()


def read_csv(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def test_csv_rows_are_those_of_the_library(tmp_path):
    result = run("sample", "alarm", "--rows", 50, "--seed", 3, "-o", tmp_path / "a.csv")
    assert result.exit_code == 0
    assert "50 rows of 37 columns" in result.stderr
    assert result.stdout == ""
    expected = bnsieve.load_network("alarm").sample(50, random_state=3)
    written = read_csv(tmp_path / "a.csv")
    assert list(written.columns) == list(expected.columns)
    assert as_text(written) == as_text(expected)


def test_parquet_rows_are_categoricals_with_every_level(tmp_path):
    path = tmp_path / "a.parquet"
    assert run("sample", "alarm", "-n", 50, "-s", 3, "-o", path).exit_code == 0
    expected = bnsieve.load_network("alarm").sample(50, random_state=3)
    written = pd.read_parquet(path)
    assert as_text(written) == as_text(expected)
    assert all(isinstance(dtype, pd.CategoricalDtype) for dtype in written.dtypes)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_pieces_make_the_same_file_as_one(tmp_path, monkeypatch, suffix):
    whole, pieces = tmp_path / f"whole.{suffix}", tmp_path / f"pieces.{suffix}"
    assert run("sample", "asia", "-n", 100, "-s", 1, "-o", whole).exit_code == 0
    monkeypatch.setattr(rows, "_PIECE_CELLS", 8 * 7)
    assert run("sample", "asia", "-n", 100, "-s", 1, "-o", pieces).exit_code == 0
    reader = read_csv if suffix == "csv" else pd.read_parquet
    assert as_text(reader(pieces)) == as_text(reader(whole))


def test_standard_output_gets_csv_and_nothing_else():
    result = run("sample", "asia", "-n", 5, "-s", 1)
    assert result.exit_code == 0
    assert as_text(read_csv(io.StringIO(result.stdout))) == as_text(
        bnsieve.load_network("asia").sample(5, random_state=1)
    )


def test_without_a_seed_the_one_used_is_told():
    first, second = run("sample", "alarm", "-n", 20), run("sample", "alarm", "-n", 20)
    assert first.stdout != second.stdout
    seed = re.search(r"\(seed (\d+)\)", first.stderr)[1]
    assert run("sample", "alarm", "-n", 20, "-s", seed).stdout == first.stdout


def test_labels_are_quoted_where_csv_needs_it(tmp_path):
    labels = ["a,b", 'say "no"', "two\nlines", " spaced ", "é"]
    network = bnsieve.BayesianNetwork(
        bnsieve.Graph(["x,y"]), states={"x,y": labels}, tables={"x,y": [0.2] * 5}
    )
    write(network, tmp_path / "odd.bif")
    result = run("sample", tmp_path / "odd.bif", "-n", 60, "-s", 0, "-o", tmp_path / "odd.csv")
    assert result.exit_code == 0
    written = read_csv(tmp_path / "odd.csv")
    assert list(written.columns) == ["x,y"]
    assert set(written["x,y"]) == set(labels)


def test_sample_mistakes(tmp_path):
    assert_one_line_error(run("sample", "alram"), "did you mean 'alarm'")
    assert_one_line_error(run("sample", "asia", "-o", tmp_path / "a.txt"), ".csv or .parquet")
    assert_one_line_error(run("sample", "asia", "-o", tmp_path / "no" / "a.csv"), "No such file")
    assert run("sample", "asia", "--rows", 0).exit_code == 2
    assert run("sample").exit_code == 2
    (tmp_path / "edges.csv").write_text("from,to\na,b\n", encoding="utf-8")
    assert_one_line_error(run("sample", tmp_path / "edges.csv"), "without probability tables")


# --- convert ---------------------------------------------------------------------------------


def test_convert_between_formats(tmp_path):
    bif, packed, edges = (tmp_path / f"asia.{end}" for end in ("bif", "bif.gz", "csv"))
    for source, target in (("asia", packed), (packed, bif), (bif, edges)):
        assert run("convert", source, target).exit_code == 0
    network = bnsieve.load_network("asia")
    assert read(bif) == network
    assert read(edges) == network.graph


def test_convert_to_a_picture(tmp_path):
    run("convert", "asia", tmp_path / "asia.csv")
    for source in ("asia", tmp_path / "asia.csv"):
        assert run("convert", source, tmp_path / "asia.svg").exit_code == 0
        assert (tmp_path / "asia.svg").read_text(encoding="utf-8").startswith("<svg")


def test_convert_to_a_pag(tmp_path):
    pag = bnsieve.load_network("asia").graph.to_pag()
    for end in ("txt", "dot", "svg"):
        assert run("convert", "asia", tmp_path / f"pag.{end}", "--pag").exit_code == 0
        text = (tmp_path / f"pag.{end}").read_text(encoding="utf-8")
        assert {"txt": "tub o-> either", "dot": "arrowtail=odot", "svg": "<circle"}[end] in text
    assert "1. asia o-o tub" in (tmp_path / "pag.txt").read_text(encoding="utf-8")
    assert (tmp_path / "pag.svg").read_text(encoding="utf-8") == pag.plot().svg
    for end in ("bif", "parquet"):
        refused = run("convert", "asia", tmp_path / f"pag.{end}", "--pag")
        assert_one_line_error(refused, ".txt")


def test_convert_mistakes(tmp_path):
    assert_one_line_error(run("convert", "asia", tmp_path / "asia.xyz"), "must end in .bif")
    (tmp_path / "edges.csv").write_text("from,to\na,b\n", encoding="utf-8")
    assert_one_line_error(
        run("convert", tmp_path / "edges.csv", tmp_path / "a.bif"),
        "hold a network with its tables, not a graph",
    )
    (tmp_path / "broken.bif").write_text("network x {\n}\nvariabel y {\n", encoding="utf-8")
    assert_one_line_error(run("convert", tmp_path / "broken.bif", tmp_path / "a.bif"), "line 3")


# --- compare ---------------------------------------------------------------------------------


def test_compare_a_network_with_an_edge_list(tmp_path):
    # asia without asia -> tub, with smoke -> dysp instead: 7 of 8 edges right, one wrong.
    arrows = [*bnsieve.load_network("asia").graph.directed_edges, ("smoke", "dysp")]
    arrows.remove(("asia", "tub"))
    text = "".join(f"{a},{b}\n" for a, b in arrows)
    (tmp_path / "learned.csv").write_text("from,to\n" + text, encoding="utf-8")
    result = run("compare", "asia", tmp_path / "learned.csv", "--json")
    assert result.exit_code == 0
    measures = json.loads(result.stdout)
    assert (measures["missing_edges"], measures["wrong_edges"], measures["skeleton_shd"]) == (
        1,
        1,
        2,
    )
    assert measures["precision"] == measures["recall"] == 7 / 8
    assert measures["missing_nodes"] == 1
    for_people = run("compare", "asia", tmp_path / "learned.csv").stdout
    assert "0.875" in for_people
    assert "isolated nodes" in for_people


def test_compare_two_edge_lists_over_the_nodes_of_both(tmp_path):
    (tmp_path / "truth.csv").write_text("from,to\na,b\n", encoding="utf-8")
    (tmp_path / "learned.csv").write_text("from,to\nb,c\n", encoding="utf-8")
    result = run("compare", tmp_path / "truth.csv", tmp_path / "learned.csv", "--json")
    measures = json.loads(result.stdout)
    assert (measures["missing_edges"], measures["wrong_edges"]) == (1, 1)
    assert measures["missing_nodes"] == 1


def test_compare_counts_wrong_effects():
    pytest.importorskip("gadjid")
    measures = json.loads(run("compare", "asia", "asia", "--distance", "sid", "--json").stdout)
    assert measures["sid_mistakes"] == 0


def test_compare_mistakes(tmp_path):
    assert_one_line_error(run("compare", "asia", "alarm"), "no node in common")
    assert_one_line_error(run("compare", "asia", tmp_path / "no.csv"), "there is no file")
    converted = run("convert", tmp_path / "no.csv", tmp_path / "no.parquet")
    assert_one_line_error(converted, "there is no file")
    (tmp_path / "learned.csv").write_text("from,to\nasia,smoek\n", encoding="utf-8")
    assert run("compare", "asia").exit_code == 2


def test_compare_names_the_edges_and_nodes_that_differ(tmp_path):
    # Directions of a -> c <- b are compelled; the edge c - d is compelled too, away from c.
    truth = bnsieve.BayesianNetwork(
        bnsieve.Graph(["a", "b", "c", "d"], [("a", "c"), ("b", "c"), ("c", "d")]),
        dict.fromkeys("abcd", ("x", "y")),
        {
            "a": [0.5, 0.5],
            "b": [0.5, 0.5],
            "c": [[[0.5, 0.5]] * 2] * 2,
            "d": [[0.5, 0.5]] * 2,
        },
    )
    write(truth, tmp_path / "truth.bif")
    (tmp_path / "learned.csv").write_text("from,to\na,c\ne,c\nc,b\n", encoding="utf-8")
    result = run("compare", tmp_path / "truth.bif", tmp_path / "learned.csv", "--json")
    found = json.loads(result.stdout)
    assert found["edges"] == {
        "missing": ["c -> d"],
        "extra": ["e -> c"],
        "turned": [{"true": "b -> c", "learned": "c -> b"}],
    }
    assert found["shd"] == 3
    assert (found["nodes_only_in_truth"], found["nodes_only_in_learned"]) == (["d"], ["e"])
    shown = run("compare", tmp_path / "truth.bif", tmp_path / "learned.csv").stdout
    assert "turned edge" in shown
    assert "b -> c, learned as c -> b" in shown
    # Two networks over different nodes.
    write(bnsieve.load_network("asia"), tmp_path / "asia.bif")
    small = bnsieve.BayesianNetwork(
        bnsieve.Graph(["asia", "new"]), {"asia": ["a"], "new": ["b"]}, {"asia": [1], "new": [1]}
    )
    write(small, tmp_path / "small.bif")
    found = json.loads(
        run("compare", tmp_path / "asia.bif", tmp_path / "small.bif", "--json").stdout
    )
    assert found["missing_edges"] == 8
    assert len(found["nodes_only_in_truth"]) == 7


def test_a_real_process(tmp_path):
    process = subprocess.run(
        [sys.executable, "-m", "bnsieve", "doctor", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0
    assert process.stderr == ""
    assert json.loads(process.stdout)["bnsieve"] == bnsieve.__version__


def test_a_real_process_fails_in_one_line(tmp_path):
    process = subprocess.run(
        [sys.executable, "-m", "bnsieve", "compare", "asia", "no.bif"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 1
    assert process.stdout == ""
    assert process.stderr.startswith("error: there is no file 'no.bif'")
    assert process.stderr.count("\n") == 1


def test_convert_rows_to_parquet(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\nx,1\ny,2\n", encoding="utf-8")
    result = run("convert", path, tmp_path / "rows.parquet")
    assert result.exit_code == 0
    assert "2 rows written" in result.stderr
    assert pd.read_parquet(tmp_path / "rows.parquet").to_dict("list") == {
        "a": ["x", "y"],
        "b": [1, 2],
    }
