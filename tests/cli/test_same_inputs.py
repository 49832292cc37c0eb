"""Every command takes a model, and a table, in every form: a table of commands and inputs."""

import inspect
from importlib import import_module

import pandas as pd
import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import COMMANDS, app

# What of a model a command needs: the graph, the network too, or the learner too.
GRAPH, NETWORK, LEARNER = 1, 2, 3
COMMANDS_OF_MODELS = {
    "compare asia MODEL": GRAPH,
    "compare MODEL asia": GRAPH,
    "convert MODEL out.csv": GRAPH,
    "report --compare asia MODEL -o out.html": GRAPH,
    "ask MODEL dysp --given smoke=yes": NETWORK,
    "sample MODEL --rows 3 -o out.csv": NETWORK,
    "predict MODEL d.csv -o out.csv -t dysp": NETWORK,
    "impute MODEL d.csv -o out.csv": NETWORK,
    "explain MODEL smoke lung": LEARNER,
    "report MODEL -o out.html": LEARNER,
    "update MODEL d.csv -o updated -q": LEARNER,
    "check MODEL d.csv --fail-on none": LEARNER,
    "drivers MODEL dysp": NETWORK,
    "synthesize MODEL --rows 3 -o out.csv": LEARNER,
}
MODELS = {
    "net": LEARNER,
    "net/": LEARNER,
    "net/learner.bnsieve": LEARNER,
    "net/network.bif": NETWORK,
    "asia": NETWORK,
    "net/edges.csv": GRAPH,
    "net/graph.json": GRAPH,
}
COMMANDS_OF_TABLES = (
    "describe TABLE",
    "predict net TABLE -o out.csv -t dysp",
    "impute net TABLE -o out.csv",
    "convert TABLE out.parquet",
    "learn TABLE -o new -q",
    "update net TABLE -o new -q",
    "check net TABLE --fail-on none",
)
TABLES = {
    "CSV": "d.csv",
    "Parquet": "d.parquet",
    "folder": "rows",
    "Excel": "d.xlsx --sheet second --header-row 3",
    "missing text": "q.csv --na ?",
}
INPUT_OPTIONS = {"na", "sheet", "header_row"}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("place")
    rows = bn.load_network("asia").sample(200, random_state=0)
    rows.to_csv(place / "d.csv", index=False)
    rows.to_parquet(place / "d.parquet")
    (place / "rows").mkdir()
    rows.to_csv(place / "rows" / "a.csv", index=False)
    unknown = rows.astype(str)
    unknown.loc[:20, "xray"] = "?"
    unknown.to_csv(place / "q.csv", index=False)
    with pd.ExcelWriter(place / "d.xlsx") as writer:
        pd.DataFrame({"nothing": ["here"]}).to_excel(writer, sheet_name="first", index=False)
        rows.to_excel(writer, sheet_name="second", startrow=2, index=False)
        writer.sheets["second"]["A1"] = "A title"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        assert run("learn d.csv -o net -q").exit_code == 0
    return place


def run(line):
    return CliRunner().invoke(app, line.split())


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("line", COMMANDS_OF_MODELS)
def test_commands_take_models_in_every_form(line, model, place, tmp_path, monkeypatch):
    monkeypatch.chdir(place)
    result = run(line.replace("MODEL", model).replace(" -o ", f" -o {tmp_path}/"))
    if MODELS[model] >= COMMANDS_OF_MODELS[line]:
        assert result.exit_code == 0, result.output
    else:
        lacking = "probability tables" if MODELS[model] == GRAPH else "without its learner"
        assert result.exit_code == 1
        assert lacking in result.stderr


@pytest.mark.parametrize("model", ["none", "rows", "none.bif", "d.parquet"])
@pytest.mark.parametrize("line", COMMANDS_OF_MODELS)
def test_commands_refuse_what_is_no_model_in_one_line(line, model, place, tmp_path, monkeypatch):
    monkeypatch.chdir(place)
    result = run(line.replace("MODEL", model).replace(" -o ", f" -o {tmp_path}/"))
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert model in result.stderr


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("line", COMMANDS_OF_TABLES)
def test_commands_take_tables_in_every_form(line, table, place, tmp_path, monkeypatch):
    monkeypatch.chdir(place)
    line = line.replace("TABLE", TABLES[table]).replace("out.", f"{tmp_path}/out.")
    result = run(line.replace(" new", f" {tmp_path}/new"))
    assert result.exit_code == 0, result.output


def test_every_command_that_reads_rows_has_the_options_for_it():
    functions = {
        name: getattr(import_module(f"bnsieve.cli.{module}"), name)
        for name, (module, _) in COMMANDS.items()
    }
    readers = {"learn", "describe", "predict", "impute", "forecast", "update", "check", "convert"}
    having = {
        name
        for name, function in functions.items()
        if inspect.signature(function).parameters.keys() >= INPUT_OPTIONS
    }
    assert having == readers
