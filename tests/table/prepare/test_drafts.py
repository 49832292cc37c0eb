"""Drafts: a few codes that go with numbers, and what files make of the same plan."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bnsieve as bn
from bnsieve.rows import Prepared
from bnsieve.table.prepare import facts as facts_module
from bnsieve.table.prepare.drafts import Draft
from bnsieve.table.prepare.plan import Output
from bnsieve.table.prepare.readings import Labels, Numbers


def test_numbers_have_the_codes_of_their_fifths():
    numbers = np.append(np.arange(100.0), np.nan)
    codes = Draft("x", Output("x", Numbers()), numbers).codes
    assert codes[-1] == -1
    assert np.bincount(codes[:-1]).tolist() == [20] * 5
    assert (np.diff(codes[:-1]) >= 0).all()
    nothing = Draft("x", Output("x", Numbers()), np.full(3, np.nan)).codes
    assert nothing.tolist() == [-1, -1, -1]
    categories = Draft("x", Output("x", Labels()), np.array([1, -1, 0]), ("a", "b"))
    assert categories.codes.tolist() == [1, -1, 0]


def test_blanks_may_tell_about_numbers():
    rng = np.random.default_rng(0)
    amount = rng.normal(size=1_000).round(3)
    note = np.where(amount > 0.5, None, rng.choice(["u", "v"], 1_000))
    other = np.where(amount > 0, "x", "y")
    frame = pd.DataFrame({"amount": amount, "note": note, "other": other})
    assert "depending on amount" in bn.prepare(frame)["note"].warnings[0]


def test_rows_of_files_are_recoded_as_rows_in_memory():
    rng = np.random.default_rng(1)
    n = 500
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 600, n), unit="D")
    frame = pd.DataFrame(
        {
            "amount": rng.normal(size=n).round(3),
            "label": rng.choice(["u", "v", "w"], n),
            "text": [f"{value:.2f}" for value in rng.normal(size=n)],
            "day": days,
            "later": days + pd.to_timedelta(rng.integers(1, 9, n), unit="D"),
            "few": rng.integers(0, 4, n).astype(float),
            "flag": rng.random(n) < 0.3,
        }
    )
    frame["told"] = np.where(frame["amount"] > 0, "p", "q")
    frame.loc[::7, ["amount", "few", "label"]] = None
    frame.loc[3, "text"] = "<1"
    plan = bn.prepare(frame, roles={"label": "blank"}, cut={"text": [-1, 0, 1]})
    expected = plan.apply(frame)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    columns = {name: table.column(name).combine_chunks() for name in table.column_names}
    names = list(expected)
    assert len(names) > 8
    found = Prepared(plan).recode("rows", columns, names)
    for name in names:
        wanted = [None if pd.isna(one) else str(one) for one in expected[name]]
        labels, places = found[name].indexed()
        cells = [labels[place] for place in places]
        assert [None if cell is None else str(cell) for cell in cells] == wanted, name
    numbers = Prepared(plan).recode("rows", columns, ["amount"], ["amount"])
    np.testing.assert_array_equal(numbers["amount"], frame["amount"])
    assert "text" not in Prepared(plan).numbers  # its cuts were given


@pytest.mark.parametrize("word", ["n.d.", "none", "error", "low", "?!"])
def test_odd_cells_are_found_though_not_all_texts_are_told_apart(monkeypatch, word):
    monkeypatch.setattr(facts_module, "MAX_CATEGORIES", 40)
    cells = [f"{i / 4}" for i in range(1, 601)]
    cells[77] = word
    frame = pd.DataFrame({"lab": cells, "high": ["no"] * 300 + ["yes"] * 300})
    (odd,) = bn.prepare(frame)["lab"].odd
    assert (odd.row, odd.value, odd.n_cells) == (78, word, 1)
