"""Functions, copies and facts: found where they are, and not where rows are too few to say."""

import json

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.counts import count
from bnsieve.explain import Function, find_determinism
from bnsieve.table import Table

pytestmark = pytest.mark.usefixtures("rows_stay_in_files")

SERVICES = ["security", "backup", "support", "television"]


def found_in(frame, *families, duplicates=None):
    """Look at families of a frame's columns, each with its child last."""
    table = Table.from_data(frame)
    place = {name: i for i, name in enumerate(table.names)}
    return find_determinism(
        table.names,
        dict(zip(table.names, table.categories, strict=True)),
        [count(table, [place[name] for name in family]) for family in families],
        duplicates,
    )


def churn(n=4_000, seed=0):
    """Services of customers, of whom a fifth have no internet."""
    rng = np.random.default_rng(seed)
    internet = rng.choice(["DSL", "fibre", "No"], n, p=[0.4, 0.4, 0.2])
    frame = pd.DataFrame({"internet": internet})
    for name in SERVICES:
        answer = rng.choice(["Yes", "No"], n)
        frame[name] = np.where(internet == "No", "No internet service", answer)
    frame["online"] = np.where(internet == "No", "no", "yes")
    leave = rng.random(n) < np.where(frame.support == "Yes", 0.1, 0.3)
    frame["churn"] = np.where(leave, "Yes", "No")
    return frame


def test_a_function_and_which_label_implies_which():
    frame = churn()
    found = found_in(frame, ("internet", "online"))
    (function,) = found.functions
    assert (function.column, function.of, function.exceptions) == ("online", ("internet",), 0)
    assert function.n_rows == len(frame)
    assert dict(function.implies) == {("DSL",): "yes", ("fibre",): "yes", ("No",): "no"}
    assert str(function) == "online is a function of internet"
    assert set(found.pairs) == {frozenset(("internet", "online"))}


def test_exceptions_are_counted():
    frame = churn()
    wrong = frame.index[frame.internet == "DSL"][:3]
    frame.loc[wrong, "online"] = "no"
    (function,) = found_in(frame, ("internet", "online")).functions
    assert function.exceptions == 3
    assert str(function) == "online is a function of internet, but for 3 rows"
    frame.loc[frame.index[frame.internet == "DSL"][:40], "online"] = "no"
    assert found_in(frame, ("internet", "online")).functions == ()


def test_one_fact_not_fifteen_edges():
    frame = churn()
    found = found_in(frame, *(("internet", name) for name in SERVICES))
    (fact,) = found.facts
    assert dict(fact.states) == {"internet": "No", **dict.fromkeys(SERVICES, "No internet service")}
    assert fact.n_rows == (frame.internet == "No").sum()
    assert fact.exceptions == 0
    assert found.functions == ()
    assert "'No internet service' in backup, security, support and television" in str(fact)
    assert frozenset(("backup", "television")) in found.pairs  # never compared, yet the same fact


def test_implications_go_one_way():
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], 2_000)
    pregnant = np.where((sex == "f") & (rng.random(2_000) < 0.2), "yes", "no")
    frame = pd.DataFrame({"sex": sex, "pregnant": pregnant})
    found = found_in(frame, ("sex", "pregnant"))
    assert {(one.given, one.then) for one in found.implications} == {
        (("sex", "m"), ("pregnant", "no")),
        (("pregnant", "yes"), ("sex", "f")),
    }
    assert not found.functions
    assert not found.facts
    assert not found.pairs


def test_a_function_of_two_columns_and_no_more():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (3_000, 3)), columns=["a", "b", "idle"])
    frame["either"] = frame.a | frame.b
    (function,) = found_in(frame, ("a", "idle", "b", "either")).functions
    assert (function.column, set(function.of)) == ("either", {"a", "b"})
    implied = {
        dict(zip(function.of, given, strict=True))["a"]: then for given, then in function.implies
    }
    assert implied[1] == 1
    assert not found_in(frame, ("a", "idle", "b", "either")).pairs


def test_copies_but_for_a_few_rows():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 5, 3_000)
    name = np.array(list("abcde"))[code]
    name[:4] = "a"
    frame = pd.DataFrame({"code": code, "name": name})
    (copy,) = found_in(frame, ("code", "name")).functions
    assert copy.mutual
    assert copy.exceptions == int((np.array(list("abcde"))[code] != name).sum())
    assert str(copy).startswith("name is a duplicate of code, but for")


@pytest.mark.parametrize("n_odd", [1, 5])
def test_a_few_shared_rows_claim_nothing(n_odd):
    """Five odd rows of a hundred that two columns share: by chance five rows would contradict."""
    column = np.where(np.arange(100) < n_odd, "odd", "usual")
    frame = pd.DataFrame({"a": column, "b": column})
    found = found_in(frame, ("a", "b"))
    assert (found.functions, found.facts, found.implications) == ((), (), ())
    assert str(found) == "no column is a function of another"


def test_labels_of_their_own_claim_nothing():
    """An identifier determines every column, and says nothing."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": np.arange(500), "a": rng.integers(0, 2, 500)})
    assert found_in(frame, ("id", "a")).functions == ()
    frame["pair"] = frame.id // 2  # every label twice: half of them disagree
    assert found_in(frame, ("pair", "a")).functions == ()


def test_noise_claims_nothing():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 12, (300, 5)), columns=list("abcde"))
    found = found_in(frame, ("a", "b", "c", "d", "e"), ("a", "b"))
    assert (found.functions, found.facts, found.implications) == ((), (), ())


def test_missing_cells_are_left_out():
    frame = churn()
    frame.loc[::3, "internet"] = None
    (function,) = found_in(frame, ("internet", "online")).functions
    assert function.n_rows == frame.internet.notna().sum()


@pytest.mark.parametrize("missing", [False, True])
def test_a_learner_says_it(missing):
    frame = churn()
    frame["code"] = frame.churn.map({"Yes": 1, "No": 0})
    if missing:
        frame.loc[::10, "support"] = None
    learner = bn.TsetlinSieve(random_state=0).fit(frame)
    found = learner.determinism()
    assert Function("code", ("churn",), 0, 0, True, ()) in found.functions
    (fact,) = found.facts
    assert {column for column, _ in fact.states} == {"internet", "online", *SERVICES}
    assert [one.column for one in found.functions] == ["code"]
    json.dumps(found.to_dict())
    said = str(learner.explain("security", "internet"))
    assert "deterministic: " in said


def test_counts_of_all_rows_are_read(tmp_path):
    pytest.importorskip("pyarrow")
    frame = churn(30_000)
    frame.to_parquet(tmp_path / "rows.parquet")
    learner = bn.TsetlinSieve(random_state=0, sample_rows=3_000).fit(tmp_path / "rows.parquet")
    found = learner.determinism()
    rows = {fact.n_rows for fact in found.facts} | {one.n_rows for one in found.functions}
    assert rows <= {int((frame.internet == "No").sum()), 30_000, 0}
    assert rows


def test_rare_copies_take_part():
    """One odd row of a hundred in two columns is no reason to set one of them aside."""
    frame = pd.DataFrame({"a": ["usual"] * 99 + ["odd"], "b": ["u"] * 99 + ["o"]})
    frame["c"] = np.arange(100) % 2
    assert bn.TsetlinSieve(random_state=0).fit(frame).duplicates_ == {}
    frame["d"] = frame.c.map({0: "x", 1: "y"})
    assert bn.TsetlinSieve(random_state=0).fit(frame).duplicates_ == {"d": "c"}
