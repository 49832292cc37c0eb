"""A run from a file to its outcome, and the five files."""

import json
import signal
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app
from bnsieve.cli.run import files
from bnsieve.cli.run.files import (
    DRIVERS,
    NAMES,
    SLICES,
    SUMMARY,
    TORNADO,
    command,
    record_of,
    require_free,
    write_files,
)
from bnsieve.cli.run.run import METHODS, RunSettings, learn
from bnsieve.cli.run.summary import meaning, summary_of
from bnsieve.exchange import read, read_strengths
from bnsieve.explain import RELIABILITY, EdgeStrengths
from bnsieve.learners.blanket import surroundings
from bnsieve.table import LIMITS, Table


@pytest.fixture(scope="module")
def asia(tmp_path_factory):
    path = tmp_path_factory.mktemp("asia") / "asia.csv"
    bn.load_network("asia").sample(2_000, random_state=0).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def messy(asia):
    data = pd.read_csv(asia)
    data["id"] = range(len(data))
    data["country"] = "NO"
    data["age"] = data["smoke"].map({"yes": 60.5, "no": 41.25}) + pd.Series(range(len(data))) % 7
    data.loc[::9, "xray"] = None
    data.loc[::11, "dysp"] = None
    data["copy"] = data["tub"].map({"yes": "Y", "no": "N"})
    path = asia.with_name("messy.csv")
    data.to_csv(path, index=False)
    return path


def texts(outcome):
    return "\n".join(f"{title}: {text}" for title, text in summary_of(outcome))


def test_the_same_as_the_learner(asia):
    outcome = learn(RunSettings(asia, seed=3))
    learner = bn.TsetlinSieve(random_state=3).fit(pd.read_csv(asia))
    assert outcome.graph == learner.graph_
    assert outcome.network == learner.network_
    assert {(e.tail, e.head) for e in outcome.edges if e.directed} == {
        *learner.graph_.directed_edges
    }
    strongest = outcome.edges[0]
    (score,) = learner.explain(strongest.tail, strongest.head).scores
    assert strongest.score_gain == pytest.approx(score.gain)
    assert [e.margin for e in outcome.edges] == sorted(e.margin for e in outcome.edges)[::-1]
    assert strongest.margin == max(learner.edge_margins_.values())


@pytest.mark.parametrize("method", METHODS)
def test_methods(asia, method):
    outcome = learn(RunSettings(asia, method))
    assert "bronc" in outcome.graph.adjacent("dysp")
    assert record_of(outcome)["settings"]["method"] == method


def test_a_messy_table(messy):
    outcome = learn(RunSettings(messy))
    what = {change.column: change.what for change in outcome.changes}
    # One number among so many labels is cut.
    assert what == {"id": "dropped", "country": "dropped", "age": "binned"}
    assert outcome.learner.numeric_features_ == ()
    assert outcome.numeric is None
    assert "smoke" in outcome.graph.adjacent("age")
    shown = texts(outcome)
    assert "columns: 10 of 12" in shown
    assert "missing: 405 values in 2 columns, most in xray (11.2%)" in shown
    assert "deterministic: tub is a duplicate of copy" in shown
    assert "suggested: age has no causes among the other columns? --knowledge" in shown
    assert len(summary_of(outcome)) < 24


def test_the_record_is_enough_to_repeat_the_run(messy):
    outcome = learn(RunSettings(messy, "tests", drop=("age",), missing_texts=("?",)))
    found = json.loads(json.dumps(record_of(outcome)))
    assert found["versions"]["bnsieve"] == bn.__version__
    assert found["data"]["rows"] == 2_000
    assert found["data"]["files"][0]["name"] == "messy.csv"
    assert found["command"].endswith("--method tests --seed 0 --drop age --na '?'")
    assert found["learner"]["parameters"]["alpha"] == 0.01
    assert command(RunSettings(messy, bootstrap=3, target="a b")).endswith(
        "--bootstrap 3 --target 'a b' --seed 0"
    )


def test_target(messy):
    whole = learn(RunSettings(messy))
    outcome = learn(RunSettings(messy, target="dysp"))
    assert set(outcome.graph.nodes) == {"dysp", *whole.learner.dag_.markov_blanket("dysp")}
    assert "target: dysp" in texts(outcome)
    data = pd.read_csv(messy)
    probabilities = [
        run.network.predict_proba(data[["bronc", "either"]].head(3), "dysp")
        for run in (outcome, learn(RunSettings(messy, target="dysp")))
    ]
    assert probabilities[0].equals(probabilities[1])
    with pytest.raises(ValueError, match="'country': it is always 'NO'"):
        learn(RunSettings(messy, target="country"))
    with pytest.raises(ValueError, match="no column 'dyps'"):
        learn(RunSettings(messy, target="dyps"))


def test_a_target_among_many_columns_takes_few():
    network = bn.load_network("alarm")
    parts = [network.sample(2_000, random_state=i).add_suffix(f" {i}", axis=1) for i in range(5)]
    table = Table.from_data(pd.concat(parts, axis=1))
    around = surroundings(table, "HR 0", [], 0, None)
    blanket = {f"{name} 0" for name in network.graph.markov_blanket("HR")}
    assert {"HR 0", *blanket} <= {*around}
    assert len(around) < 0.4 * table.n_variables
    absent = min({*table.names} - {*around})
    assert absent in surroundings(table, "HR 0", [absent], 0, 2)


def test_weak_is_explained_where_an_edge_is_weak(asia):
    outcome = learn(RunSettings(asia))
    explained = [any(line.startswith("weak:") for line in meaning(outcome))]
    assert explained == [any(edge.is_weak for edge in outcome.edges)]
    few = replace(outcome, graph=outcome.graph.subgraph(["bronc", "dysp"]))
    assert not any(edge.is_weak for edge in few.edges)
    assert not any(line.startswith("weak:") for line in meaning(few))
    weak = replace(
        outcome,
        findings=None,
        learner=SimpleNamespace(
            graph_=outcome.graph,
            confirmed_edges_=(),
            knowledge_edges_=(),
            knowledge=None,
            strengths_=None,
            determinism=lambda: outcome.determinism,
            fit_result_=outcome.learner.fit_result_,
        ),
    )
    assert all(edge.is_weak for edge in weak.edges)
    assert "weak: less than 5 nats" in meaning(weak)


def test_bootstrap(asia, tmp_path):
    outcome = learn(RunSettings(asia, bootstrap=4))
    assert all(edge.strength is not None for edge in outcome.edges)
    write_files(outcome, record_of(outcome), tmp_path / "run")
    strengths = read_strengths(tmp_path / "run" / "edges.csv")
    first = outcome.edges[0]
    assert strengths[first.tail, first.head].strength == first.strength == 1.0
    assert "100%, " in texts(outcome)
    assert "replicates" in meaning(outcome)[0]
    assert {edge.strength >= 0.3 for edge in outcome.left_out} <= {True}


def test_edges_that_no_replicate_has(asia, tmp_path, monkeypatch):
    whole = EdgeStrengths.of
    monkeypatch.setattr(
        EdgeStrengths,
        "of",
        lambda self, x, y: (0.0, float("nan")) if "dysp" in (x, y) else whole(self, x, y),
    )
    outcome = learn(RunSettings(asia, bootstrap=2))
    write_files(outcome, record_of(outcome), tmp_path / "run")
    assert read_strengths(tmp_path / "run" / "edges.csv")["bronc", "dysp"] == (0.0, 0.0)
    assert outcome.edges[-1].direction is None
    assert "NaN" not in (tmp_path / "run" / "run.json").read_text(encoding="utf-8")


def test_two_columns(tmp_path):
    rows = "u,1\n" * 40 + "v,2\n" * 40 + "u,2\n" * 5
    (tmp_path / "two.csv").write_text("a,b\n" + rows, encoding="utf-8")
    assert "graph: 1 edge: 0 directed, 1 undirected" in texts(
        learn(RunSettings(tmp_path / "two.csv"))
    )


def test_knowledge(asia, messy, tmp_path):
    file = tmp_path / "known.json"
    file.write_text('{"forbidden": [["bronc", "dysp"], ["dysp", "bronc"], ["id", "dysp"]]}')
    outcome = learn(RunSettings(messy, knowledge=file))
    assert "bronc" not in outcome.graph.adjacent("dysp")
    (tmp_path / "known.yaml").write_text("required: [[asia, xray]]")
    outcome = learn(RunSettings(asia, knowledge=tmp_path / "known.yaml", target="asia"))
    assert outcome.graph.has_edge("asia", "xray")
    with pytest.raises(ValueError, match="'id', which is not a column"):
        learn(RunSettings(asia, knowledge=file))
    with pytest.raises(FileNotFoundError, match="check the path"):
        learn(RunSettings(asia, knowledge=tmp_path / "absent.yaml"))


def test_unknown_method(asia):
    result = CliRunner().invoke(app, ["learn", str(asia), "--method", "magic"])
    assert result.exit_code == 2
    assert "'magic' is not one of" in result.stderr


def test_files_too_large_for_memory(asia, monkeypatch):
    monkeypatch.setattr(LIMITS, "in_memory", 5)
    outcome = learn(RunSettings(asia))
    assert outcome.n_rows == 2_000
    assert outcome.columns == outcome.examined
    assert "bronc" in outcome.graph.adjacent("dysp")
    with pytest.raises(ValueError, match=r"too large for memory, and --method pc with --target"):
        learn(RunSettings(asia, target="dysp", method="pc"))


def test_the_blanket_of_a_target_in_files_too_large_for_memory(asia, monkeypatch):
    in_memory = learn(RunSettings(asia, target="dysp"))
    monkeypatch.setattr(LIMITS, "in_memory", 5)
    monkeypatch.setitem(
        METHODS, "search", lambda **options: bn.TsetlinSieve(sample_rows=500, **options)
    )
    outcome = learn(RunSettings(asia, target="dysp"))
    assert outcome.learner.fit_result_.rows.n_rows == 500  # all others were only counted
    assert outcome.n_rows == 2_000
    assert set(outcome.graph.nodes) == set(in_memory.graph.nodes) == {"dysp", "bronc", "either"}
    for name, counts in outcome.network.tables.items():
        assert counts == pytest.approx(in_memory.network.tables[name], abs=1e-12)


def test_numbers_in_files_too_large_for_memory_are_learned_from_as_numbers(messy, monkeypatch):
    kept = pd.read_csv(messy)[["age", "bronc", "dysp"]]
    kept.to_csv(messy, index=False)
    monkeypatch.setattr(LIMITS, "in_memory", 5)
    found = learn(RunSettings(messy))
    in_memory = bn.TsetlinSieve(random_state=0).fit(kept)
    assert found.graph == in_memory.graph_
    assert found.learner.numeric_features_ == in_memory.numeric_features_ == ("age",)
    assert not any(change.what == "binned" for change in found.changes)


def test_files(messy, tmp_path):
    outcome = learn(RunSettings(messy))
    folder = tmp_path / "deep" / "run"
    others = (DRIVERS, TORNADO, SUMMARY, SLICES)  # of a target, and over time
    without_target = tuple(name for name in NAMES if name not in others)
    assert write_files(outcome, record_of(outcome), folder) == without_target
    assert sorted(path.name for path in folder.iterdir()) == sorted(without_target)
    assert read(folder / "network.bif") == outcome.network
    assert "<" not in (folder / "network.bif").read_text(encoding="utf-8")  # cut numbers
    assert [path.name for path in folder.parent.iterdir()] == ["run"]
    assert read(folder / "graph.json") == outcome.graph
    assert read(folder / "network.bif").graph == outcome.network.graph
    assert read(folder / "edges.csv") == outcome.graph
    assert (folder / "graph.svg").read_text(encoding="utf-8").startswith("<svg")


def test_figures_of_a_sample_say_so(asia, monkeypatch):
    outcome = learn(RunSettings(asia))
    assert not any("sample" in line for line in meaning(outcome))
    assert record_of(outcome)["graph"]["support_rows"] == 2_000
    monkeypatch.setattr(LIMITS, "in_memory", 5)
    monkeypatch.setitem(
        METHODS, "search", lambda **options: bn.TsetlinSieve(sample_rows=500, **options)
    )
    outcome = learn(RunSettings(asia, bootstrap=2))
    shares, nats, *_ = meaning(outcome)
    assert nats.endswith("over the best network without it")  # of all rows
    assert shares.endswith("have the edge, in a sample of 500 rows")
    assert record_of(outcome)["graph"]["support_rows"] == 500
    assert record_of(outcome)["data"]["rows"] == 2_000


def test_an_interrupted_run_leaves_a_folder_as_it_was(asia, tmp_path, monkeypatch):
    outcome = learn(RunSettings(asia))
    folder = tmp_path / "run"
    write_files(outcome, record_of(outcome), folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "_edges_text", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_files(outcome, record_of(outcome) | {"other": 1}, folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals wait as on POSIX")
def test_an_interruption_that_comes_too_late_interrupts_nothing(asia, tmp_path, monkeypatch):
    outcome = learn(RunSettings(asia))
    folder = tmp_path / "run"
    written = write_files(outcome, record_of(outcome), folder)
    replace = Path.replace

    def while_replacing(path, target):
        if path.name == "graph.json":
            signal.raise_signal(signal.SIGINT)
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", while_replacing)
    assert write_files(outcome, record_of(outcome) | {"other": 1}, folder) == written
    assert "other" in (folder / "run.json").read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_no_picture_of_what_nobody_can_read(asia, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_NODES", 5)
    outcome = learn(RunSettings(asia))
    written = write_files(outcome, record_of(outcome), tmp_path / "run")
    assert "graph.svg" not in written


def test_folders_in_use_are_refused(tmp_path):
    require_free(tmp_path / "new", force=False)
    require_free(tmp_path, force=False)
    (tmp_path / "x").touch()
    with pytest.raises(ValueError, match="--force"):
        require_free(tmp_path, force=False)
    require_free(tmp_path, force=True)
    with pytest.raises(ValueError, match="is a file"):
        require_free(tmp_path / "x", force=True)


def test_long_lists_are_cut_short(tmp_path):
    data = bn.load_network("alarm").sample(300, random_state=0)
    for i in range(7):
        data[f"always {i}"] = "same"
    data.to_csv(tmp_path / "alarm.csv", index=False)
    shown = summary_of(learn(RunSettings(tmp_path / "alarm.csv", "tests")))
    assert ("dropped", "... and 3 more, listed in run.json") in shown
    assert any(title == "strongest" and text.startswith("... and ") for title, text in shown)
    assert len(shown) < 30


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """Smoking and age, with a column that says both what another says and one fact."""
    rng = np.random.default_rng(0)
    data = bn.load_network("asia").sample(4_000, random_state=0).astype(object)
    data["Alter"] = np.where(data.smoke == "yes", "old", "young")
    data.loc[rng.random(4_000) < 0.2, "Alter"] = "young"
    ward = rng.choice(["A", "B", "none"], 4_000)
    data["ward"] = ward
    for name in ("bed", "nurse"):
        data[name] = np.where(ward == "none", "not admitted", rng.choice(["1", "2"], 4_000))
    path = tmp_path_factory.mktemp("clinic") / "clinic.csv"
    data.to_csv(path, index=False)
    return path


def test_directions_are_counted_as_they_are(clinic):
    outcome = learn(RunSettings(clinic))
    kinds = [edge.reliability for edge in outcome.edges]
    arrows, sure = outcome.graph.directed_edges, outcome.learner.confirmed_edges_
    assert kinds.count("confirmed") == len(sure)
    assert kinds.count("tentative") == len(arrows) - len(sure)
    assert kinds.count("undetermined") == outcome.graph.n_edges - len(arrows)
    words = [word for word in RELIABILITY if word not in ("knowledge", "time")]
    said = ", ".join(f"{kinds.count(word)} {word}" for word in words)
    assert f"directions: {said}" in texts(outcome)


def test_one_fact_comes_last_among_the_edges(clinic, tmp_path):
    outcome = learn(RunSettings(clinic))
    rows = int((pd.read_csv(clinic, keep_default_na=False).ward == "none").sum())
    shown = texts(outcome)
    assert (
        f"'not admitted' in bed and nurse and 'none' in ward occur in the same {rows:,} rows"
        in shown
    )
    bound = [bool(edge.deterministic) for edge in outcome.edges]
    assert sum(bound) == 2
    assert bound == sorted(bound)
    assert not any(
        edge.deterministic for edge in outcome.edges if "smoke" in (edge.tail, edge.head)
    )
    write_files(outcome, record_of(outcome), tmp_path / "run")
    edges = pd.read_csv(tmp_path / "run" / "edges.csv").dropna(subset="to")
    assert set(edges.reliability) <= set(RELIABILITY)
    assert edges.deterministic.notna().sum() == sum(
        1 if edge.directed else 2 for edge in outcome.edges if edge.deterministic
    )
    record = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert record["deterministic"]["facts"][0]["n_rows"] == rows
    picture = (tmp_path / "run" / "graph.svg").read_text(encoding="utf-8")
    assert "deterministic" in picture


def test_knowledge_is_offered_and_not_used(clinic, tmp_path):
    outcome = learn(RunSettings(clinic))
    assert outcome.learner.knowledge is None
    assert "Alter has no causes among the other columns? --knowledge" in texts(outcome)
    write_files(outcome, record_of(outcome), tmp_path / "run")
    again = learn(RunSettings(clinic, knowledge=tmp_path / "run" / "suggested.json"))
    assert again.suggested is None
    assert not again.graph.parents("Alter")
    assert ("Alter", "smoke") in again.learner.knowledge_edges_


def test_the_command_to_repeat_a_run_has_numbers_in_full():
    settings = RunSettings(Path("d.csv"), cut={"income": (1234567.25, 0.1, 25.0, 1e300)})
    assert "--cut income=1234567.25,0.1,25,1e+300" in files.command(settings)
