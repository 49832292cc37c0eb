"""Files are known by the ends of their names, and those of one table have the same columns."""

import pytest

from bnsieve.rows.paths import is_csv, require_columns, rows_files


def test_ends_of_names():
    assert is_csv("A.CSV")
    assert is_csv("a.tsv.gz")
    assert not is_csv("a.parquet")


def test_files_of_a_folder(tmp_path):
    (tmp_path / "deep").mkdir()
    for name in ("b.csv", "deep/a.tsv", "readme.txt"):
        (tmp_path / name).touch()
    assert rows_files([str(tmp_path)]) == [tmp_path / "b.csv", tmp_path / "deep" / "a.tsv"]
    assert rows_files([str(tmp_path / "b.csv")]) == [tmp_path / "b.csv"]
    (tmp_path / "c.PQ").touch()
    with pytest.raises(ValueError, match="CSV and Parquet files: keep one kind"):
        rows_files([str(tmp_path)])


@pytest.mark.parametrize("inside", ["", "day=1/"])
@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("_delta_log/00000000000000000000.json", r"Delta table, .*to_pyarrow_dataset\(\)"),
        ("metadata/00000-a.metadata.json", "Iceberg table, .*pyiceberg"),
    ],
)
def test_tables_whose_log_says_which_files_count_are_refused(tmp_path, inside, log, said):
    (tmp_path / "part-0.parquet").touch()
    assert len(rows_files([str(tmp_path)])) == 1
    (tmp_path / inside / log).parent.mkdir(parents=True)
    (tmp_path / inside / log).touch()
    with pytest.raises(ValueError, match=said):
        rows_files([str(tmp_path)])


def test_other_columns_are_named():
    require_columns("b", ["x", "y"], "a", ["y", "x"])
    with pytest.raises(ValueError, match="b has no column 'y', which a has: add or drop it"):
        require_columns("b", ["x", "z"], "a", ["x", "y"])
    with pytest.raises(ValueError, match="b has a column 'z', which a lacks: add or drop it"):
        require_columns("b", ["x", "z"], "a", ["x"])
