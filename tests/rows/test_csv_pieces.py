"""Pieces in little memory say the same as the frames that they were made of."""

import numpy as np
import pandas as pd
import pytest

from bnsieve.rows import csv_reader
from bnsieve.rows.csv_pieces import CsvPiece, WholeNumbers
from bnsieve.rows.csv_reader import read_csv
from bnsieve.rows.spill import csv_batches


@pytest.mark.parametrize(
    ("low", "high", "n_bytes"),
    [
        (-127, 127, 1),
        (-128, 0, 2),  # the lowest of each type stands for a missing cell
        (0, 128, 2),
        (-32_767, 32_767, 2),
        (-32_768, 0, 4),
        (-(2**31) + 1, 2**31 - 1, 4),
        (-(2**31), 0, 8),
    ],
)
@pytest.mark.parametrize("gap", [False, True])
def test_whole_numbers_take_the_bytes_they_need(low, high, n_bytes, gap):
    numbers = np.array([low, high, np.nan]) if gap else np.array([low, high], dtype=np.int64)
    small = WholeNumbers.of(numbers)
    assert small.values.itemsize == n_bytes
    assert (small.missing is None) == (not gap)
    pd.testing.assert_series_equal(small.series, pd.Series(numbers))


@pytest.mark.parametrize("odd", [0.5, np.inf, -np.inf, 2.0**53, -(2.0**53)])
def test_what_is_not_whole_and_exact_stays_as_it_is(odd):
    assert WholeNumbers.of(np.array([1.0, odd])) is None
    assert WholeNumbers.of(np.array([1.0, np.nan, odd])) is None
    assert WholeNumbers.of(np.zeros(0)) is None


def test_only_missing_cells_are_whole_numbers():
    small = WholeNumbers.of(np.full(3, np.nan))
    assert small.missing.all()
    assert small.series.isna().all()


def test_a_piece_gives_back_the_columns_it_was_made_of():
    frame = pd.DataFrame(
        {
            "small": [1, 2, 3],
            "gaps": [1.0, np.nan, 3.0],
            "fraction": [0.5, np.nan, 1.0],
            "text": ["01", None, "1"],
            "flag": [True, False, True],
        }
    )
    piece = CsvPiece.of(frame)
    for name in frame:
        pd.testing.assert_series_equal(piece.series(name), frame[name], check_names=False)
    # One byte for each of the whole numbers, eight for fractions; texts have a code and themselves.
    assert 3 + 3 + 24 + 3 < piece.n_bytes < 1_000


@pytest.mark.parametrize("n_kept", [0, 1 << 29])
@pytest.mark.parametrize("n_rows", [1, 3, 100])
def test_kept_or_read_again_rows_are_the_same(tmp_path, monkeypatch, n_kept, n_rows):
    lines = ["i,late,text,b,n", "1,1,01,True,", "2,,1,,", "-3,<1,,False,", "300,4,True,True,"]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.setattr(csv_reader, "_PIECE_CELLS", n_rows * 5)
    monkeypatch.setattr(csv_reader, "_WIDE_PIECE_CELLS", 0)
    monkeypatch.setattr(csv_reader, "_MAX_KEPT", n_kept)
    table = read_csv([tmp_path / "a.csv"])
    assert bool(table.kept) == bool(n_kept)
    columns = {"i": [1, 2, -3, 300], "late": ["1", None, "<1", "4"]}
    columns |= {"text": ["01", "1", None, "True"], "b": [True, None, False, True]}
    columns |= {"n": [None] * 4}
    for _ in range(2):  # the second time what was kept is gone
        batches = list(csv_batches(table))
        assert not table.kept
        assert str(batches[0].schema.field("i").type) == "int16"
        found = {name: [v for one in batches for v in one[name].to_pylist()] for name in columns}
        assert found == columns
