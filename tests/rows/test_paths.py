"""Files are known by the ends of their names, and those of one table have the same columns."""

import pytest

from bnsieve.rows.paths import csv_files_in, is_csv, is_parquet, require_columns


def test_ends_of_names():
    assert is_csv("A.CSV")
    assert is_csv("a.tsv.gz")
    assert not is_csv("a.parquet")
    assert is_parquet("a.PQ")
    assert not is_parquet("a.csv")


def test_csv_files_of_a_folder(tmp_path):
    (tmp_path / "deep").mkdir()
    for name in ("b.csv", "deep/a.tsv", "readme.txt"):
        (tmp_path / name).touch()
    assert csv_files_in(tmp_path) == [str(tmp_path / "b.csv"), str(tmp_path / "deep" / "a.tsv")]
    assert csv_files_in(tmp_path / "b.csv") == []
    assert csv_files_in("s3://bucket/rows") == []
    (tmp_path / "c.parquet").touch()
    assert csv_files_in(tmp_path) == []


def test_other_columns_are_named():
    require_columns("b", ["x", "y"], "a", ["y", "x"])
    with pytest.raises(ValueError, match="b has no column 'y', which a has: add or drop it"):
        require_columns("b", ["x", "z"], "a", ["x", "y"])
    with pytest.raises(ValueError, match="b has a column 'z', which a has not: add or drop it"):
        require_columns("b", ["x", "z"], "a", ["x"])
