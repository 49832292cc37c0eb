"""Learners, networks and evidence in a notebook."""

import json

import numpy as np
import pandas as pd
import pytest
import sklearn

import bnsieve as bn
from shown_html import HOSTILE, cells, parsed


@pytest.fixture(scope="module")
def hostile():
    """Columns of hostile names with hostile labels, each a noisy copy of the one before."""
    random = np.random.default_rng(0)
    names = [name for name in HOSTILE if name != "\ud800"]  # no frame of text has that one
    labels = np.array(["<i>no</i>", '"yes"\n'], dtype=object)
    codes = random.integers(0, 2, 600)
    frame = {}
    for name in names:
        codes = np.where(random.random(600) < 0.1, 1 - codes, codes)
        frame[name] = labels[codes]
    return bn.TsetlinSieve(random_state=0, prepare=None).fit(pd.DataFrame(frame))


@pytest.fixture(scope="module")
def asia():
    return bn.TsetlinSieve(random_state=0).fit(bn.load_network("asia").sample(2000, random_state=0))


def test_before_fit_scikit_learn_shows_the_parameters():
    learner = bn.TsetlinSieve(random_state=3)
    html = learner._repr_mimebundle_()["text/html"]
    assert "sk-" in html
    assert 'class="bnsieve"' not in html
    assert "sk-" in learner._repr_html_()


def test_after_fit_the_graph_is_shown(asia):
    bundle = asia._repr_mimebundle_()
    assert bundle["text/plain"] == "TsetlinSieve(random_state=0)"
    found = parsed(bundle["text/html"])
    assert [title.text for title in found["title"]] == list(asia.graph_.nodes)
    names, values = (
        ["".join(one.itertext()) for one in found["table"][0].iter(tag)] for tag in ("th", "td")
    )
    told = dict(zip(names, values, strict=True))
    assert told["learned from"] == "2,000 rows, 8 columns"
    assert told["edges"] == str(asia.graph_.n_edges)
    n_sure = len(asia.confirmed_edges_)
    n_unsure = len(asia.graph_.directed_edges) - n_sure
    n_open = len(asia.graph_.undirected_edges)
    assert told["directions"] == f"{n_sure} confirmed, {n_unsure} tentative, {n_open} undetermined"
    assert parsed(asia._repr_html_())


def test_scikit_learn_can_be_set_to_text(asia):
    with sklearn.config_context(display="text"):
        assert asia._repr_mimebundle_() == {"text/plain": "TsetlinSieve(random_state=0)"}
        assert not hasattr(asia, "_repr_html_")


def test_strengths_are_shown_once_there_are_any(asia):
    learner = bn.TsetlinSieve(random_state=0).fit(asia.fit_result_.rows)
    assert "replicates" not in learner._repr_html_()
    learner.bootstrap(3, random_state=0)
    found = parsed(learner._repr_html_())
    assert "3 replicates" in cells(found)
    assert "100%" in cells(found)


@pytest.mark.parametrize("learner", [bn.PC, bn.HitonPC, bn.FSMBPC, bn.TsetlinPC])
def test_every_learner(learner, asia):
    found = parsed(learner().fit(asia.fit_result_.rows)._repr_html_())
    assert "".join(found["b"][0].itertext()) == learner.__name__
    assert "svg" in found


def test_what_was_left_out_and_missing_is_said():
    frame = bn.load_network("asia").sample(500, random_state=0).astype(object)
    frame["patient_id"] = [f"p{i:05}" for i in range(500)]
    frame.loc[:9, "smoke"] = None
    with pytest.warns(UserWarning, match="patient_id is left out"):
        html = bn.TsetlinSieve(random_state=0).fit(frame)._repr_html_()
    assert "patient_id (identifier)" in cells(parsed(html))
    assert any(cell.startswith("10 values in smoke") for cell in cells(parsed(html)))


def test_a_learner_without_its_data(asia, tmp_path):
    asia.save(tmp_path / "learner.bnsieve", data=False)
    parsed(bn.load(tmp_path / "learner.bnsieve")._repr_html_())


def test_a_network_shows_labels_and_parents(asia):
    found = parsed(bn.load_network("asia")._repr_html_())
    assert cells(found)[:8] == ["asia", "2", "yes, no", "", "tub", "2", "yes, no", "asia"]


def test_evidence_shows_the_pair_and_all_that_its_text_says(asia):
    evidence = asia.explain("smoke", "bronc")
    found = parsed(evidence._repr_html_())
    assert {"smoke", "bronc"} <= {title.text for title in found["title"]}
    assert evidence.rationale in "".join(found["p"][1].itertext())
    table = " ".join("".join(found["table"][0].itertext()).split())
    for line in str(evidence).splitlines()[2:]:
        if not line.startswith("  ..."):
            told = line.removeprefix("  test ").partition(": ")[2]
            assert " ".join(told.split()) in table
    assert "around" not in evidence.to_dict()
    json.dumps(evidence.to_dict())


def test_hostile_names_and_labels_are_text(hostile):
    parsed(hostile._repr_html_())
    found = parsed(hostile.network_._repr_html_())
    assert '"yes" , <i>no</i>' in cells(found)
    x, y = hostile.dag_.edges[0]
    found = parsed(hostile.explain(x, y)._repr_html_())
    assert any("<i>no</i>" in cell for cell in cells(found))  # in a rule


def test_a_preparation_shows_what_each_column_is():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({name: random.choice(["<i>", "b"], 100) for name in HOSTILE[:4]})
    frame["level"] = random.normal(size=100).round(3)
    frame.loc[:9, "level"] = np.nan
    found = parsed(bn.prepare(frame)._repr_html_())
    assert "".join(found["b"][0].itertext()) == "100 rows, 5 columns, 5 to learn from"
    shown = cells(found)
    assert shown[:4] == [HOSTILE[0], "category", "2", ""]
    assert shown[shown.index("level") : shown.index("level") + 2] == ["level", "quantity"]
    assert "10%" in shown
