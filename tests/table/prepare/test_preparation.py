"""A preparation as a value: what it names, shows, changes and reads from a file."""

import json

import numpy as np
import pandas as pd
import pytest

from bnsieve import prepare
from bnsieve.table.prepare import Preparation, changes_of
from bnsieve.table.prepare.plan import ColumnPlan, OddCell, Output
from bnsieve.table.prepare.preparation import made, plain
from bnsieve.table.prepare.readings import DatePart, Elapsed, Labels, Numbers


def column(name, *outputs, role="category", what="used as it is", **more):
    known = {"n_known": 90, "n_missing": 10, "n_categories": 3} | more
    return ColumnPlan(name, role, "3 categories", what, **known, outputs=outputs)


@pytest.fixture
def plan():
    stay = Output("left_minus_came_days", Elapsed("ymd", "came", "ymd", "days"), (3.0,))
    return Preparation(
        (
            column("colour", Output("colour", Labels())),
            column("age", Output("age", Numbers(), (20.0, 40.0)), role="quantity", what="bins: x"),
            column("came", role="date", n_missing=0),
            column("left", Output("left_year", DatePart("ymd", "year")), stay, role="date"),
            column("id", role="identifier", what="left out", exact=False, n_categories=90_000),
        ),
        100,
        ("?",),
    )


def test_columns_by_name(plan):
    assert plan["age"].role == "quantity"
    with pytest.raises(KeyError, match="there is no column 'nothing'"):
        plan["nothing"]
    assert [one.name for one in plan.outputs] == [
        "colour",
        "age",
        "left_year",
        "left_minus_came_days",
    ]
    assert plan.needed == ("colour", "age", "left", "came")
    # A date of which only the time until another is used is used too.
    assert [one.name for one in plan.left_out] == ["id"]
    assert plan.n_missing == {"colour": 10, "age": 10, "left": 10, "id": 10}


def test_other_cuts(plan):
    changed = plan.with_bin_edges({"age": [30], "colour": [1.0], "left_minus_came_days": [5, 6]})
    assert changed["age"].outputs[0].bin_edges == (30.0,)
    bins = changed.category_of("age", 0), changed.category_of("age", 99)
    assert changed["age"].what == "bins: " + ", ".join(bins)
    assert changed["colour"] is plan["colour"]
    assert changed["left"].outputs[1].bin_edges == (5.0, 6.0)
    assert changed["left"].what == plan["left"].what
    assert plan.with_bin_edges({"age": [20, 40]})["age"] is plan["age"]


def test_some_columns(plan):
    assert [one.name for one in plan.among(["left", "age"]).outputs] == ["age", "left_year"]
    assert len(plan.among(["left", "came"]).outputs) == 2


@pytest.mark.parametrize(("number", "place"), [(19.9, 0), (20, 1), (39, 1), (40, 2), (1e9, 2)])
def test_the_label_of_a_number_is_its_bin(plan, number, place):
    labels = (
        plan.category_of("age", -np.inf),
        plan.category_of("age", 30),
        plan.category_of("age", np.inf),
    )
    assert plan.category_of("age", number) == labels[place]
    assert plan.category_of("age", "old") == "old"
    assert plan.category_of("colour", 3) == 3


def test_it_is_shown_in_a_few_columns(plan):
    long = column(
        "n" * 25, what="w" * 45, n_missing=0, examples=("e" * 31,), warnings=("look here",)
    )
    short = column("n" * 24, what="w" * 44, examples=("e" * 30,))
    lines = str(Preparation((long, short, *plan.columns), 100)).splitlines()
    assert lines[1].split() == [
        "n" * 23 + "…",
        "category",
        "3",
        "w" * 43 + "…",
        "e" * 29 + "…",
    ]
    assert lines[2].split() == ["n" * 24, "category", "3", "10%", "w" * 44, "e" * 30]
    assert lines[-2].split()[:3] == ["id", "identifier", "~90,000"]
    assert lines[-1] == f"{'n' * 25}: look here"
    assert "100 rows, 5 columns, 4 to learn from" in plan._repr_html_()


def test_shares_of_missing_cells_are_of_all_rows(plan):
    empty = Preparation((column("a", n_known=0, n_missing=0),), 0)
    assert str(empty).splitlines()[1].split()[:3] == ["a", "category", "3"]
    assert "10%" in str(plan).splitlines()[1]


def test_files_are_checked_field_by_field(plan, tmp_path):
    path = tmp_path / "plan.json"
    plan.save(path)
    assert Preparation.load(path) == plan
    assert isinstance(Preparation.load(path).n_rows, int)
    document = json.loads(path.read_text(encoding="utf-8"))
    for changed, message in (
        ({"version": 2}, "this bnsieve reads version 1 only"),
        ({"format": "other"}, "is no preparation"),
        ({"n_rows": "many"}, "n_rows: 'many' is not allowed here"),
        ({"n_rows": True}, "n_rows: True is not allowed here"),
        ({"columns": {}}, "columns: {} is not allowed here"),
        ({"more": 1}, "this must be a Preparation with columns, n_rows, missing_texts"),
        ({"missing_texts": [1]}, r"missing_texts\[0\]: 1 is not allowed here"),
    ):
        path.write_text(json.dumps(document | changed), encoding="utf-8")
        with pytest.raises(ValueError, match=message):
            Preparation.load(path)


def test_readings_and_numbers_of_files():
    output = Output("a", Numbers("comma"), (1.0, 2.5), blank="(blank)")
    written = json.loads(json.dumps(plain(output)))
    assert made(written, Output, "here") == output
    written["bin_edges"] = [1, 2]  # whole numbers are numbers
    assert made(written, Output, "here").bin_edges == (1.0, 2.0)
    for field, value in (
        ("bin_edges", ["x"]),
        ("reading", {"kind": "Nothing"}),
        ("groups", {"a": 1}),
    ):
        with pytest.raises(ValueError, match=f"here.{field}"):
            made(written | {field: value}, Output, "here")
    for field in ("name", "kind"):
        lacking = {key: value for key, value in written.items() if key != field}
        with pytest.raises(ValueError, match="here: this must be a Output"):
            made(lacking, Output, "here")


def test_what_was_done_is_said():
    odd = (OddCell(3, "<1", 1, "below 1"), OddCell(7, "n.d.", 4, "missing"))
    numbers = column(
        "lab",
        Output("lab", Numbers(), (1.0,)),
        role="quantity",
        what="bins: low, high",
        odd=odd,
        n_odd=9,
        warnings=("look",),
    )
    grouped = column("code", Output("code", Labels(), groups={"a": "b"}), what="3 categories in 2")
    blank = column(
        "tick", Output("tick", Labels(), blank="(blank)"), what="missing values as a category"
    )
    dates = column("day", Output("day_year", DatePart("ymd", "year")), role="date", what="turned")
    plain_one = column("plain", Output("plain", Labels()))
    gone = column("id", role="identifier", what="left out")
    plan = Preparation((numbers, grouped, blank, dates, plain_one, gone), 100)
    said = [(one.column, one.what, one.why) for one in changes_of(plan)]
    assert said == [
        ("lab", "binned", "low, high"),
        (
            "lab",
            "odd",
            "'<1' in row 3 read as below 1; 'n.d.' in row 7 and 3 more read as missing; "
            "and 4 other cells",
        ),
        ("lab", "note", "look"),
        ("code", "grouped", "3 categories in 2"),
        ("tick", "note", "missing values as a category: 3 categories"),
        ("day", "dates", "turned"),
        ("id", "dropped", "3 categories"),
    ]
    # What is learned from as a number was not cut for that.
    assert changes_of(plan, ["lab"])[0].what == "odd"
    few = Preparation((column("lab", numbers.outputs[0], odd=odd, n_odd=5),), 100)
    assert not changes_of(few)[-1].why.endswith("other cells")


def test_numbers_are_those_of_the_rows(plan):
    frame = pd.DataFrame(
        {"colour": ["u"], "age": [33.5], "came": ["2024-01-01"], "left": ["2024-01-05"]}
    )
    found = plan.numbers(frame)
    assert {name: values.tolist() for name, values in found.items()} == {
        "age": [33.5],
        "left_minus_came_days": [4.0],
    }
    fixed = plan.among(["colour"])
    assert fixed.numbers(frame) == {}


def test_a_column_with_half_a_surrogate_pair_passes_beside_one_that_is_changed():
    rng = np.random.default_rng(0)
    texts = np.array(["\ud800", "b"], dtype=object)[rng.integers(0, 2, 200)]
    days = pd.date_range("2020-01-01", periods=200, freq="D").strftime("%Y-%m-%d").to_numpy()
    cells = np.array([texts, days.astype(object)], dtype=object).T
    applied = prepare(cells).apply(cells)
    assert list(applied.iloc[:, 0]) == texts.tolist()
