"""Advice in Python names parameters of `bnsieve.prepare`, and following it does what it says."""

import ast
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.rows import open_data
from bnsieve.table.prepare import ColumnOverrides, plan_columns

OPTION = re.compile(r"--[a-z]")
PARAMETER = re.compile(r"bnsieve\.prepare with ((?:keep|roles|missing_texts)=(\[.*?\]\}?|\{.*?\}))")
N = 1_000


def frame():
    """Columns that each give advice: names with spaces, quotes and dashes among them."""
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, N)
    level = (20 + 5 * sex + rng.normal(0, 2, N)).round(1)
    near = level.copy()
    near[::50] = -9
    far = rng.normal(50, 5, N).round(1)
    far[::50] = -9999
    drug = np.where(rng.random(N) < 0.9 * sex, None, rng.choice(["x", "y"], N))
    kind = rng.choice(["aa", "bb", "cc"], N).astype(object)
    kind[::40] = [text.upper() for text in kind[::40]]
    weight = rng.normal(75, 12, N).round(1)
    return pd.DataFrame(
        {
            "sex": np.where(sex, "f", "m"),
            "the key": [f"A{number:05}" for number in range(N)],
            "it's": [f"B{number:05}" for number in range(N)],
            "--keep": [f"C{number:05}" for number in range(N)],
            "level (u/l)": near,
            "far": far,
            "drug": drug,
            "kind": kind,
            "two": rng.choice(["u", "U", "v"], N),
            "answer": rng.choice(["yes", "no", "unknown"], N),
            "day": [f"{day:02}/{month:02}/2024" for day, month in rng.integers(1, 13, (N, 2))],
            "kg": weight,
            "lb": (2.20462 * weight).round(0),
        }
    )


def sentences(plan):
    """Every sentence of a plan, by column."""
    return [(one.name, text) for one in plan.columns for text in (one.why, one.what, *one.warnings)]


def test_the_terminal_is_given_options():
    with open_data(frame()) as data:
        plan = plan_columns(data.columns(None), ColumnOverrides())
    advice = {name for name, text in sentences(plan) if OPTION.search(text)}
    assert advice == {*frame().columns} - {"sex", "kg"}


def test_python_is_given_parameters():
    plan = bn.prepare(frame())
    advised = {}
    for name, text in sentences(plan):
        assert not OPTION.search(text.replace("'--keep'", ""))
        for found in PARAMETER.finditer(text):
            parameter, value = found[1].split("=", 1)
            advised[name] = {parameter: ast.literal_eval(value)}
    assert {*advised} == {*frame().columns} - {"sex", "kg"}
    assert not OPTION.search(str(plan).replace("--keep", ""))
    assert advised["level (u/l)"] == {"missing_texts": {"level (u/l)": ["-9"]}}
    assert advised["answer"] == {"missing_texts": ["unknown"]}
    assert advised["--keep"] == {"keep": ["--keep"]}
    for name, parameters in advised.items():
        changed = bn.prepare(frame(), **parameters)[name]
        before = plan[name]
        assert (changed.what, changed.outputs, changed.n_missing) != (
            before.what,
            before.outputs,
            before.n_missing,
        )


def test_learners_warn_in_the_same_words():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        learner = bn.TsetlinSieve(random_state=0, n_jobs=1).fit(frame().drop(columns="--keep"))
    texts = [str(one.message) for one in caught]
    assert any("bnsieve.prepare with keep=['the key'] uses it" in text for text in texts)
    assert not any(OPTION.search(text) for text in texts)
    assert not any(OPTION.search(text) for _, text in sentences(learner.preparation_))


@pytest.mark.parametrize("rows", [[["a", "a"], [1, 2]], [["a", "b"], [1, 2, 3]]])
def test_a_workbook_without_names_is_refused_with_a_cure_for_python(tmp_path, rows):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "rows.xlsx")
    with pytest.raises(ValueError, match=r"header= of pandas\.read_excel"):
        bn.TsetlinSieve().fit(tmp_path / "rows.xlsx")
