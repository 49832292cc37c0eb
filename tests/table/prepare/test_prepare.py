"""Roles of columns and their preparation: one result whatever the source."""

import dataclasses

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import bnsieve as bn
from bnsieve.table import LIMITS, Table

N = 60


def frame(**columns):
    base = {"a": ["u", "v"] * (N // 2), "b": ["u", "u", "v"] * (N // 3)}
    return pd.DataFrame(base | columns)


@pytest.mark.parametrize(
    ("column", "role", "why"),
    [
        ([None] * N, "empty", "all cells are empty"),
        (["NO"] * N, "constant", "always 'NO'"),
        (["", " "] * (N // 2), "empty", "all cells are empty"),
        ([f"p{i}" for i in range(N)], "identifier", "a different value in each of 60 rows"),
        (range(N), "identifier", "a different value in each of 60 rows"),
        ([None, *map(float, range(N - 1))], "identifier", "a different value in each of 59 rows"),
        ([2**60 + i for i in range(N)], "identifier", "a different value in each of 60 rows"),
        ([f"p{i // 2}" for i in range(N + 1)][1:], "identifier", "31 categories in 60 rows"),
        ([f"she said number {i} to me" for i in range(N)], "text", "a different value in each"),
        ([[1]] * N, "text", "its cells are list"),
        ([0.5] * (N - 1) + [0.7], "quantity", "it is 0.5 in all but 1 of 60 cells"),
        (["2024-01-31"] * N, "constant", "always '2024-01-31'"),
        (pd.to_datetime(["2024-01-31"] * N), "date", "no part of it varies"),
    ],
)
def test_columns_without_use_are_left_out(column, role, why):
    plan = bn.prepare(frame(c=column))
    assert (plan["c"].role, plan["c"].what, plan["c"].outputs) == (role, "left out", ())
    assert why in plan["c"].why
    assert plan.apply(frame(c=column)).columns.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "column", "role"),
    [
        ("c", ["x", "y", "z"] * (N // 3), "category"),
        ("c", [1, 2, 3] * (N // 3), "category"),
        ("c", [1.0, None, 3.0] * (N // 3), "category"),
        ("c", ["1", "2", "3"] * (N // 3), "category"),
        ("c", [True, None] * (N // 2), "category"),
        ("salary", np.random.default_rng(0).integers(20_000, 90_000, N), "quantity"),
        ("c", np.arange(N) / 7, "quantity"),
        ("c", [str(i / 7) for i in range(N)], "quantity"),
        ("c", [f"{20_000 + 7 * i:,}" for i in range(N)], "quantity"),
        ("c", [f"{i},5" for i in range(N)], "quantity"),
        ("store_id", [i % 30 for i in range(N)], "code"),
        ("zip", [10_000 + i % 30 for i in range(N)], "code"),
        ("c", [f"0{1000 + i % 30}" for i in range(N)], "code"),
        ("c", [f"2024-01-{1 + i % 28:02}" for i in range(N)], "date"),
        ("c", [f"{1 + i % 28}.1.2024" for i in range(N)], "date"),
        ("c", [20240101 + i % 28 for i in range(N)], "date"),
        ("c", [f"{i % 24}:30" for i in range(N)], "date"),
    ],
)
def test_roles_of_columns_that_are_used(name, column, role):
    data = frame().assign(**{name: column})
    plan = bn.prepare(data)
    assert plan[name].role == role
    assert plan[name].outputs
    assert all(len(set(own)) <= 31 for _, own in plan.apply(data).items())


def test_a_salary_that_never_repeats_is_no_identifier():
    pay = np.random.default_rng(0).permutation(np.arange(30_000, 90_000, 199))
    data = pd.DataFrame({"pay": pay, "high": np.where(pay > 60_000, "yes", "no")})
    assert bn.prepare(data)["pay"].role == "quantity"
    assert bn.prepare(data.rename(columns={"pay": "case_id"}))["case_id"].role == "identifier"


def test_clean_labels_pass_untouched():
    data = bn.load_network("asia").sample(500, random_state=0)
    for same in (data, pl.from_pandas(data.astype(str)), pa.Table.from_pandas(data)):
        assert bn.prepare(same).apply(same) is same


def test_odd_types_of_labels():
    data = pl.DataFrame(frame(x=np.arange(N) / 3).to_dict("list"))
    data = data.with_columns(
        pl.col("a").cast(pl.Categorical), pl.col("b").cast(pl.Enum(["v", "u"]))
    )
    made = bn.prepare(data).apply(data)
    assert made["a"].tolist() == data["a"].to_list()
    assert Table.from_data(made).categories[:2] == (("u", "v"), ("v", "u"))
    lone = frame(c=pd.Series(["\ud800", "x"] * (N // 2), dtype=object))
    assert bn.prepare(lone).apply(lone) is lone


def test_wishes_overrule():
    data = frame(
        c=np.arange(N) % 30, bmi=np.linspace(15, 40, N), text=[f"p{i}" for i in range(N)], d="x"
    )
    plan = bn.prepare(
        data, roles={"c": "code", "text": "category"}, cut={"bmi": [18.5, 25, 30]}, drop=["a", "d"]
    )
    made = plan.apply(data)
    assert plan["c"].role == "code"
    assert made["c"].tolist() == data["c"].tolist()
    assert made["text"].tolist() == data["text"].tolist()
    expected = pd.cut(data["bmi"], [-np.inf, 18.5, 25, 30, np.inf], right=False).cat.codes
    assert made["bmi"].cat.codes.tolist() == expected.tolist()
    assert [one.name for one in plan.left_out] == ["a", "d"]
    assert bn.prepare(data, keep=["text"])["text"].role in ("category", "code")
    also = bn.prepare(data, roles={"c,text": "category"}, drop=["a,d"])
    assert (also["c"].role, also["text"].role, also["d"].role) == (
        "category",
        "category",
        "dropped",
    )


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"drop": ["hight"]}, "there is no column 'hight': did you mean 'height'"),
        ({"roles": {"heigth": "code"}}, "there is no column 'heigth': did you mean 'height'"),
        ({"roles": {"height": "qantity"}}, "there is no role 'qantity': did you mean 'quantity'"),
        ({"cut": {"height": [3, 2]}}, "the bin edges of 'height' must ascend"),
        ({"roles": {"a": "quantity"}}, "'a' cannot be a quantity: 'u' is no number"),
        ({"roles": {"a": "date"}}, "'a' cannot be a date: 'u'"),
        ({"drop": ["zzzzz"]}, "there is no column 'zzzzz': there are 'a', 'b'"),
    ],
)
def test_wishes_that_cannot_be(wishes, message):
    with pytest.raises(ValueError, match=message):
        bn.prepare(frame(height=np.arange(N) / 3), **wishes)


def test_odd_cells_are_named_and_read():
    cells = [f"{i / 4}" for i in range(N)]
    cells[7], cells[9], cells[11], cells[20] = "<1", "n.d.", "n.d.", " "
    plan = bn.prepare(frame(lab=cells))
    lab = plan["lab"]
    assert lab.role == "quantity"
    assert [(one.row, one.value, one.n_cells, one.read_as) for one in lab.odd] == [
        (8, "<1", 1, "below 1"),
        (10, "n.d.", 2, "missing"),
    ]
    assert (lab.n_odd, lab.n_missing, lab.n_known) == (3, 3, N - 3)
    made = plan.apply(frame(lab=cells))["lab"]
    assert made.isna().tolist() == [i in (9, 11, 20) for i in range(N)]
    assert made.cat.codes[7] == 0
    assert plan.missing(frame(lab=cells))["lab"].tolist() == made.isna().tolist()
    # What learning has met is no surprise later; other text is.
    cells[30], cells[31] = "12 pcs", "n.d."
    assert np.flatnonzero(plan.unread(frame(lab=cells))["lab"]).tolist() == [30]


def test_words_that_are_many_make_labels_of_numbers():
    cells = [f"{i}" if i % 3 else f"w{i}" for i in range(N)] * 4
    assert bn.prepare(pd.DataFrame({"c": cells, "a": ["u", "v"] * (2 * N)}))["c"].role != "quantity"


def test_a_frequent_word_is_odd_among_fractions_only():
    cells = [f"{i / 4}" if i % 3 else "not done" for i in range(2 * N)]
    data = pd.DataFrame({"lab": cells, "shop": [c.replace(".", "") for c in cells], "a": "u"})
    plan = bn.prepare(data)
    assert (plan["lab"].role, plan["lab"].n_odd) == ("quantity", 2 * N // 3)
    assert plan["shop"].role != "quantity"


def test_dates_become_what_varies():
    days = pd.date_range("2022-01-01", periods=700)
    data = pd.DataFrame(
        {
            "start": days.strftime("%d/%m/%Y"),
            "end": days + pd.to_timedelta(np.arange(700) % 5 + 1, "D"),
            "birth": (days - pd.to_timedelta(np.arange(700) * 30 + 9_000, "D")).date,
            "late": np.where(np.arange(700) % 5 > 2, "yes", "no"),
        }
    )
    plan = bn.prepare(data)
    made = plan.apply(data)
    assert made.columns.tolist() == [
        "start_year",
        "start_month",
        "start_weekday",
        "start_minus_birth_years",
        "end_minus_start_days",
        "late",
    ]
    assert made["start_month"].tolist() == days.strftime("%b").tolist()
    assert made["start_weekday"].tolist() == days.strftime("%a").tolist()
    assert made["start_year"].tolist() == days.year.tolist()
    assert (
        len(set(zip(made["late"], made["end_minus_start_days"], strict=True)))
        == made["end_minus_start_days"].nunique()
    )


def test_dates_in_doubt_are_said_and_settled():
    cells = [f"{1 + i % 12}/{1 + i % 9}/2024" for i in range(N)]
    plan = bn.prepare(frame(day=cells))
    assert "roles={'day': 'date-dmy'}" in plan["day"].warnings[0]
    months = [1 + i % 9 for i in range(N)]
    made = bn.prepare(frame(day=cells), roles={"day": "date-dmy"}).apply(frame(day=cells))
    assert (made["day_month"].cat.codes + 1).tolist() == months


def test_blanks_that_tell_are_proposed_or_made_a_category():
    n = 400
    ill = np.arange(n) % 2 == 0
    data = pd.DataFrame(
        {
            "ill": np.where(ill, "yes", "no"),
            "drug": np.where(ill, np.array(["p", "q", "r"])[np.arange(n) % 3], None),
            "seen": np.where(ill, "x", ""),
            "gap": [None if (i * 7919) % 11 == 0 else "uv"[i % 2] for i in range(n)],
        }
    )
    plan = bn.prepare(data)
    assert "roles={'drug': 'blank'}" in plan["drug"].warnings[0]
    assert not plan["gap"].warnings
    made = plan.apply(data)
    assert made["drug"].isna().sum() == n // 2
    assert made["seen"].value_counts().to_dict() == {"x": n // 2, "(blank)": n // 2}
    as_label = bn.prepare(data, roles={"drug": "blank"}).apply(data)["drug"]
    assert (as_label == "(blank)").sum() == n // 2


def test_many_labels_are_grouped_and_said():
    rng = np.random.default_rng(0)
    n = 6_000
    shop = rng.zipf(1.5, n) % 3_000
    data = pd.DataFrame({"shop": [f"s{i:04}" for i in shop], "big": np.where(shop < 4, "y", "n")})
    plan = bn.prepare(data)
    made = plan.apply(data)
    assert plan["shop"].n_categories == len(set(shop.tolist()))
    assert made["shop"].nunique() <= 201
    assert "categories" in plan["shop"].what


def messy(seed, n=40):
    rng = np.random.default_rng(seed)
    columns = {
        "label": rng.choice(["red", "green", "blue"], n),
        "number": rng.integers(-400, 400, n) / 8,
        "odd": [f"{number / 100:.2f}" for number in rng.integers(0, 9_999, n)],
        "day": [f"20{rng.integers(20, 24)}-{rng.integers(1, 13):02}-11" for _ in range(n)],
        "few": rng.integers(0, 5, n),
        "flag": rng.random(n) < 0.4,
    }
    data = pd.DataFrame(columns).astype(object).mask(rng.random((n, len(columns))) < 0.1, None)
    data["odd"] = data["odd"].mask(rng.random(n) < 0.1, "<1")
    data.loc[0, "odd"] = "<1"
    return data.assign(x=["u", "v"] * (n // 2))


@pytest.mark.parametrize("seed", range(5))
def test_frame_csv_parquet_and_files_are_prepared_alike(tmp_path, monkeypatch, seed):
    data = messy(seed)
    table = pa.Table.from_pandas(data, preserve_index=False)
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=7)
    data.to_csv(tmp_path / "rows.csv", index=False)
    expected = bn.prepare(data)
    sources = [pl.from_arrow(table), table, tmp_path / "rows.parquet", tmp_path / "rows.csv"]
    found = [bn.prepare(source) for source in sources]
    found.append(bn.prepare(iter(table.to_batches(9))))
    monkeypatch.setattr(LIMITS, "in_memory", 5)
    found += [bn.prepare(tmp_path / "rows.parquet"), bn.prepare(tmp_path / "rows.csv")]
    for plan in found:
        for one, other in zip(plan.columns, expected.columns, strict=True):
            assert one == other
    made = expected.apply(data).astype(str)
    for later in (table, pl.from_arrow(table)):
        assert_frame_equal(expected.apply(later).astype(str), made)


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(N)))
def test_the_order_of_rows_does_not_matter(order):
    cells = [f"{(i * 37) % 100 / 4}" for i in range(N)]
    cells[3] = "none"
    data = frame(lab=cells, n=np.arange(N) % 7, day=[f"2024-0{1 + i % 9}-11" for i in range(N)])
    plan, shuffled = bn.prepare(data), bn.prepare(data.iloc[list(order)])
    for one, other in zip(plan.columns, shuffled.columns, strict=True):
        assert dataclasses.replace(one, odd=()) == dataclasses.replace(other, odd=())


def test_saved_and_read_again(tmp_path):
    cells = [f"{i / 4}" for i in range(N)]
    cells[7] = "<1"
    data = frame(lab=cells, day=[f"2024-0{1 + i % 9}-11" for i in range(N)])
    plan = bn.prepare(data, missing_texts=["?"])
    plan.save(tmp_path / "plan.json")
    loaded = bn.Preparation.load(tmp_path / "plan.json")
    assert loaded == plan
    assert_frame_equal(loaded.apply(data), plan.apply(data))
    text = (tmp_path / "plan.json").read_text(encoding="utf-8")
    for bad in (
        "[]",
        "{",
        text.replace('"quantity"', '"king"'),
        text.replace('"bin_edges"', '"cats"'),
    ):
        (tmp_path / "bad.json").write_text(bad, encoding="utf-8")
        with pytest.raises(ValueError, match=r"bad\.json"):
            bn.Preparation.load(tmp_path / "bad.json")


def test_later_rows_may_lack_what_is_not_used():
    data = frame(c=np.arange(N) / 3, id=range(N))
    plan = bn.prepare(data)
    later = data.drop(columns="id").iloc[:3]
    assert plan.apply(later)["c"].tolist() == plan.apply(data)["c"].tolist()[:3]
    with pytest.raises(ValueError, match="the data lacks the column 'c'"):
        plan.apply(data.drop(columns="c"))


def test_it_shows_itself():
    shown = str(bn.prepare(frame(c=np.arange(N) / 3)))
    titles = ["column", "role", "categories", "missing", "preparation", "examples"]
    assert shown.splitlines()[0].split() == titles
    assert "quantity" in shown


def test_a_zero_byte_in_a_name_of_polars_is_part_of_the_name():
    """polars itself panics when it hands such a column over."""
    chance = np.random.default_rng(0)
    one = chance.choice(["x", "y"], 300)
    other = np.where(chance.random(300) < 0.9, one, "z")
    frame = pl.DataFrame({"a\0b": one, "c": other})
    learner = bn.TsetlinSieve(random_state=0, n_jobs=1).fit(frame)
    assert [frozenset(edge) for edge in learner.graph_.edges] == [frozenset(["a\0b", "c"])]
    assert learner.predict(frame, "c").notna().all()
