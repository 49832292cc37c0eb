"""``bnsieve report``, and the page that ``bnsieve learn`` leaves."""

import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app
from read_page import ReadPage


def run(*arguments, code=0):
    """Run a command; return what it printed."""
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("cancer")
    bn.load_network("cancer").sample(1_000, random_state=0).to_csv(path / "cancer.csv", index=False)
    output = run("learn", path / "cancer.csv", "-o", path / "net", "--jobs", 1)
    assert "report.html" in "".join(output.split())
    return path / "net"


def test_a_report_is_made_again_for_a_folder_or_a_learner(folder, tmp_path):
    first = (folder / "report.html").read_text(encoding="utf-8")
    run("report", folder, "-o", tmp_path / "again.html")
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == first
    (folder / "learner.bnsieve").rename(tmp_path / "alone.bnsieve")
    run("report", tmp_path / "alone.bnsieve")
    (tmp_path / "alone.bnsieve").rename(folder / "learner.bnsieve")
    alone = ReadPage((tmp_path / "alone.html").read_text(encoding="utf-8"))
    assert alone.data["edges"] == ReadPage(first).data["edges"]
    assert "bn.TsetlinSieve" in alone.text


def test_graphs_are_compared_by_name_folder_or_file(folder, tmp_path):
    graph = folder / "graph.json"
    for other in (folder, graph, folder / "learner.bnsieve"):
        run("report", "--compare", "cancer", other, "-o", tmp_path / "compare.html")
        page = ReadPage((tmp_path / "compare.html").read_text(encoding="utf-8"))
        assert page.data["names"] == list(bn.load_network("cancer").graph.nodes)


def test_of_a_network_the_class_is_compared(tmp_path):
    graph = bn.load_network("cancer").graph
    bn.write(graph.to_cpdag(), tmp_path / "class.json")
    run("report", "--compare", "cancer", tmp_path / "class.json", "-o", tmp_path / "same.html")
    page = ReadPage((tmp_path / "same.html").read_text(encoding="utf-8"))
    assert page.data["kinds"] == ["agreed"] * graph.n_edges


def test_a_folder_and_two_graphs_are_too_much(folder, tmp_path):
    assert "give a folder, or --compare" in run(
        "report", folder, "--compare", "asia", "cancer", code=2
    )
    assert "give a folder, or --compare" in run("report", code=2)
    run("report", tmp_path / "nothing", code=1)
    run("report", "--compare", "asia", "cancer", "-o", tmp_path / "x.html", code=1)
