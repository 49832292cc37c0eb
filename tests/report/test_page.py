"""The report page, read without a browser: `test_browser` opens it in one."""

import base64
import hashlib
import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app
from bnsieve.cli.run.files import record_of, write_files
from bnsieve.cli.run.run import RunSettings, learn
from bnsieve.learners import findings_of
from bnsieve.report import tables
from bnsieve.report.sentences import rule_words
from bnsieve.report.writing import named, plain_name, share
from bnsieve.sieve.machine import Condition, Rule
from hostile_names import HOSTILE
from read_page import ReadPage


@pytest.fixture(scope="module")
def asia(asia_page):
    return ReadPage(asia_page.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def hostile(hostile_page):
    return ReadPage(hostile_page.read_text(encoding="utf-8"))


def test_a_page_needs_no_other_file_and_asks_no_host(asia):
    for name in ("src", "srcset", "xlink:href", "action", "data", "poster"):
        assert asia.attributes(name) == []
    assert all(link.startswith("#") for link in asia.attributes("href"))
    assert not re.search(r"url\(|@import", asia.style)
    code = "".join(text for own, text in asia.scripts if own.get("type") is None)
    assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|import\(|innerHTML|eval\(", code)


def test_the_policy_allows_the_page_its_own_script_and_style_only(asia):
    policy = next(
        own["content"] for tag, own in asia.elements if tag == "meta" and "http-equiv" in own
    )
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    code = [text for own, text in asia.scripts if own.get("type") is None]
    for name, texts in (("script-src", code), ("style-src", [asia.style])):
        digests = [hashlib.sha256(text.encode()).digest() for text in texts]
        hashes = [f"'sha256-{base64.b64encode(one).decode()}'" for one in digests]
        assert rules[name].split() == hashes
    assert not any(name.startswith("on") for _, own in asia.elements for name in own)
    assert asia.attributes("style") == []


def test_the_first_screen_has_the_picture_and_five_sentences(asia, asia_learner):
    assert asia.text.index("What was learned") < asia.text.index("Edges, the most reliable first")
    sentences = re.findall(r"learned (\d+) edges between \d+ variables from 2,000 rows", asia.text)
    assert sentences == [str(asia_learner.graph_.n_edges)]
    assert "learned again from 4 resamples" in asia.text
    numbers = [own["data-node"] for tag, own in asia.elements if "data-node" in own]
    assert numbers == [str(i) for i in range(8)]
    drawn = [own["data-edge"] for tag, own in asia.elements if tag == "g" and "data-edge" in own]
    assert sorted(map(int, drawn)) == list(range(asia_learner.graph_.n_edges))


def test_ids_are_unique_and_labels_point_to_them(asia):
    ids = asia.attributes("id")
    assert len(ids) == len(set(ids))
    for name in ("for", "aria-labelledby", "aria-controls"):
        assert set(asia.attributes(name)) <= set(ids)


def test_tables_travel_as_they_are(asia, asia_learner):
    network = asia_learner.network_
    names = [node["name"] for node in asia.data["nodes"]]
    assert names == list(network.graph.nodes)
    for node in asia.data["nodes"]:
        values = np.frombuffer(base64.b64decode(node["table"]), dtype="<f4")
        expected = network.tables[node["name"]]
        np.testing.assert_allclose(values, expected.ravel(), atol=1e-7)
        assert [names[parent] for parent in node["parents"]] == list(network.parents(node["name"]))
        assert sum(node["rows"]) == 2_000


def test_rows_behind_a_table_are_counted(asia, asia_learner):
    frame = asia_learner.fit_result_.rows.to_frame()
    for node in asia.data["nodes"]:
        parents = [asia.data["nodes"][parent] for parent in node["parents"]]
        if len(parents) == 1:
            found = frame[parents[0]["name"]].astype(str).value_counts()
            assert node["rows"] == [found[label] for label in parents[0]["labels"]]


def test_hostile_names_are_text(hostile):
    assert {"script", "style", "svg"} <= hostile.tags
    assert hostile.tags.isdisjoint({"b", "img"})
    assert len(hostile.scripts) == 2
    names = [node["name"] for node in hostile.data["nodes"]]
    assert names == [name or "empty" for name in HOSTILE]
    assert all(node["labels"][1] == "</td><b>1" for node in hostile.data["nodes"])
    spoken = "".join(filter(None, hostile.attributes("aria-label")))
    for name in names:
        assert f"{name}, " in spoken or f"({name}), " in spoken
    assert "<img src=x onerror=alert(3)>" in hostile.text
    assert "49" not in hostile.text.split("{{ 7 * 7 }}")[1][:20]


def test_hostile_names_do_not_leave_the_object_for_the_scripts(hostile_page):
    page = hostile_page.read_text(encoding="utf-8")
    data = page.split('id="data">', 1)[1].split("</script>", 1)[0]
    assert not set(data) & set("<>&\u2028\u2029")


def test_a_network_too_large_says_so(asia_learner, tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "MAX_STEPS", 10)
    asia_learner.report(tmp_path / "slow.html")
    monkeypatch.setattr(tables, "MAX_NUMBERS", 20)
    asia_learner.report(tmp_path / "large.html")
    slow, large = (
        ReadPage((tmp_path / name).read_text(encoding="utf-8"))
        for name in ("slow.html", "large.html")
    )
    for page in (slow, large):
        assert "This page cannot answer queries" in page.text
        assert "bnsieve ask" in page.text
        assert "cliques" not in page.data["answers"]
    kept = [node["table"] is not None for node in large.data["nodes"]]
    assert any(kept) and not all(kept)


def test_a_column_of_very_many_labels_takes_no_table_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "MAX_LABELS", 2)
    rng = np.random.default_rng(0)
    code = rng.integers(0, 3, 900)
    data = pd.DataFrame({"code": code.astype(str), "part": np.where(code == 0, "x", "y")})
    data["noise"] = rng.choice(["p", "q"], 900)
    bn.TsetlinSieve(random_state=0, prepare=None).fit(data).report(tmp_path / "report.html")
    page = ReadPage((tmp_path / "report.html").read_text(encoding="utf-8"))
    found = {node["name"]: node for node in page.data["nodes"]}
    assert found["code"]["n_labels"] == 3
    assert len(found["code"]["labels"]) == 2
    assert found["code"]["table"] is None
    assert found["noise"]["table"] is not None
    for node in page.data["nodes"]:
        if any(page.data["nodes"][parent]["n_labels"] > 2 for parent in node["parents"]):
            assert node["table"] is None


def test_a_learner_without_its_rows_still_has_a_page(asia_learner, tmp_path):
    asia_learner.save(tmp_path / "small.bnsieve", data=False)
    bn.load(tmp_path / "small.bnsieve").report(tmp_path / "report.html")
    page = ReadPage((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert len(page.data["edges"]) == asia_learner.graph_.n_edges
    assert not any(edge["explained"] for edge in page.data["edges"])
    assert "2,000 rows" in page.text


@pytest.mark.parametrize("learner", [bn.PC(), bn.HitonPC(), bn.TsetlinPC(random_state=0)])
def test_every_learner_has_a_page(learner, tmp_path):
    data = bn.load_network("cancer").sample(500, random_state=0)
    learner.fit(data).report(tmp_path / "report.html")
    page = ReadPage((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert len(page.data["edges"]) == learner.graph_.n_edges
    assert type(learner).__name__ in page.text


def test_columns_that_say_nothing_have_a_page(tmp_path):
    data = bn.load_network("asia").sample(40, random_state=0)[["asia", "smoke"]]
    bn.TsetlinSieve(random_state=0).fit(data).report(tmp_path / "report.html")
    page = ReadPage((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "no dependence between variables was found" in page.text
    assert page.data["edges"] == []


def test_a_run_leaves_a_report_which_is_made_again(tmp_path):
    path = tmp_path / "asia.csv"
    frame = bn.load_network("asia").sample(800, random_state=0)
    frame.insert(0, "patient_id", [f"p{i}" for i in range(800)])
    frame["same"] = "x"
    frame.to_csv(path, index=False)
    outcome = learn(RunSettings(path))
    folder = tmp_path / "run"
    assert "report.html" in write_files(outcome, record_of(outcome), folder)
    text = (folder / "report.html").read_text(encoding="utf-8")
    page = ReadPage(text)
    assert "2 columns left out" in page.text
    assert f"bnsieve learn {path}" in page.text
    assert record_of(outcome)["data"]["files"][0]["sha256"] in page.text
    again = CliRunner().invoke(app, ["report", str(folder), "-o", str(tmp_path / "again.html")])
    assert again.exit_code == 0
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == text


def test_a_target_has_a_page_of_its_blanket(tmp_path):
    path = tmp_path / "asia.csv"
    bn.load_network("asia").sample(2_000, random_state=0).to_csv(path, index=False)
    outcome = learn(RunSettings(path, target="dysp"))
    write_files(outcome, record_of(outcome), tmp_path / "run")
    html = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    page = ReadPage(html)
    assert {node["name"] for node in page.data["nodes"]} == set(outcome.graph.nodes)
    assert "variables that predict dysp" in page.text
    # What others say about a variable is open: only the graph's independence is known.
    assert "say nothing more" not in html
    assert "Given these, it is independent of all other variables." in html
    assert "given these, none of the others was found to add anything" in page.text


def test_rules_are_sentences():
    conditions = (Condition("smoke", "yes"), Condition("asia", "no", negated=True))
    # gain = weight x support x (precision - base): 2 x 0.25 x (0.68 - 0.21).
    rule = Rule(conditions, "lung", "yes", True, 2, 1, 0.25, 0.68, 0.235)
    plain = rule_words(rule).translate({0x2068: None, 0x2069: None, 0xA0: " "})
    assert plain == (
        "68 % of the rows with smoke = yes and asia \u2260 no have lung = yes; "
        "of all rows, 21 % do. Such rows are 25 % of all."
    )


def test_names_in_sentences_stay_apart():
    assert named("a\nb") == "\u2068a b\u2069"
    assert plain_name("\u202eabc\u2069") == "abc"
    assert plain_name("  ") == "(no name)"
    assert len(plain_name("x" * 300)) == 60


def test_shares_are_never_a_false_nothing_or_all():
    shown = [share(value).replace("\u00a0", " ") for value in (0.0, 0.001, 0.5, 0.999, 1.0)]
    assert shown == [
        "0 %",
        "under 1 %",
        "50 %",
        "over 99 %",
        "100 %",
    ]


def test_edges_are_explained_together_as_alone(asia_learner):
    findings = findings_of(asia_learner.fit_result_, asia_learner.get_params())
    found = findings.explain_edges([("smoke", "lung"), ("asia", "tub")], n_machines=2)
    alone = [asia_learner.explain("smoke", "lung"), asia_learner.explain("asia", "tub")]
    # Text, because the precision of a rule that no row fits is no number.
    assert [str(rule) for rule in found[0].rules] == [str(rule) for rule in alone[0].rules]
    assert found[1].tests == alone[1].tests
    assert found[1].rules == ()


def methods_of(learner, folder, title="clinic.csv"):
    learner.report(folder / "report.html", title=title)
    text = (folder / "report.html").read_text(encoding="utf-8")
    found = re.search(r'id="methods-text">(.*?)</blockquote>', text, re.DOTALL)
    return found.group(1).replace("&#39;", "'")


def test_the_methods_paragraph_is_true_of_the_fit(asia_learner, tmp_path):
    text = methods_of(asia_learner, tmp_path)
    version = bn.__version__
    assert f"8 variables from 2,000 rows of clinic.csv with bnsieve {version}" in text
    assert "All other variables were candidate parents" in text
    assert "Parent sets of at most 8 variables were scored by a Bayesian Dirichlet score" in text
    assert f"less {np.log(8):.2f} nats for every parent" in text
    assert "No background knowledge was given." in text
    assert f"with {asia_learner.graph_.n_edges} edges" in text
    assert "shares of 4 bootstrap resamples" in text
    assert "The random seed was 0." in text
    assert "Dumbre" in text
    assert "missing value" not in text


def test_the_methods_paragraph_names_knowledge_bins_and_missing_values(tmp_path):
    rng = np.random.default_rng(0)
    age = rng.normal(50, 10, 600)
    data = pd.DataFrame({"age": age, "ill": np.where(age + rng.normal(0, 9, 600) > 55, "y", "n")})
    data["id"] = [f"p{i}" for i in range(600)]
    data.loc[:29, "ill"] = None
    known = bn.Knowledge(tiers=[["age"], ["ill"]])
    learner = bn.TsetlinSieve(knowledge=known, prepare=bn.Discretizer(), method="tests")
    with pytest.warns(UserWarning, match="id is left out"):
        learner.fit(data)
    text = methods_of(learner, tmp_path)
    assert "1 column left out (id)" in text
    assert "1 column binned (age)" in text
    assert "30 missing values (0.025 of all cells) were left out of each score or test" in text
    assert "Background knowledge was given, not learned: 2 tiers." in text
    assert "alpha = 0.01" in text
    assert "No random seed was fixed." in text


def test_the_methods_paragraph_of_tests_names_no_score(tmp_path):
    data = bn.load_network("cancer").sample(500, random_state=0)
    text = methods_of(bn.PC(alpha=0.03).fit(data), tmp_path)
    assert "the PC algorithm, variant stable" in text
    assert "alpha = 0.03" in text
    assert "score" not in text
    assert "Dumbre" not in text
    assert "The method draws no random numbers." in text
