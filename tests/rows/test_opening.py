"""Files in, pieces of rows out: the same rows from every kind of source, or a clear error."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from bnsieve.engine import threads
from bnsieve.engine.local import Threads
from bnsieve.rows import FileData, MemoryData, convert_rows, open_data
from bnsieve.rows.file_rows import make_plan
from bnsieve.rows.passes import scan_all, split, tally_all
from bnsieve.table import Table, row_ranks
from opened_rows import open_counts, open_stored

pytestmark = pytest.mark.usefixtures("rows_stay_in_files")

ONE = Threads(1, map)


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    n = 4000
    return pd.DataFrame(
        {
            "text": rng.choice(["no", "yes", "perhaps"], n),
            "number": rng.integers(-2, 3, n),
            "flag": rng.random(n) < 0.3,
            "year": np.sort(rng.choice(["2023", "2024", "2025"], n)),
        }
    )


def write(table, folder, n_files=4, group=300):
    folder.mkdir(exist_ok=True)
    size = -(-len(table) // n_files)
    for i in range(n_files):
        part = table.slice(i * size, size)
        pq.write_table(part, folder / f"part{i}.parquet", row_group_size=group)
    return folder


def arrow(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


def all_rows(data, **options):
    with open_data(data, **options) as rows:
        return rows.table(None, ONE)


def same(table, frame):
    expected = Table.from_data(frame)
    table = table.select(expected.names)
    assert table.categories == expected.categories
    np.testing.assert_array_equal(table.codes, expected.codes)


def sources(frame, folder):
    table = arrow(frame)
    write(table, folder / "many")
    pq.write_table(table, folder / "one.parquet", row_group_size=999)
    pyarrow.csv.write_csv(table, folder / "one.csv")
    dictionary = table.set_column(0, "text", table["text"].dictionary_encode())
    pq.write_table(dictionary, folder / "dictionary.parquet")
    convert_rows(folder / "one.csv", folder / "converted.parquet")
    many = sorted((folder / "many").iterdir())
    return {
        "file": folder / "one.parquet",
        "path as text": str(folder / "one.parquet"),
        "dictionary": folder / "dictionary.parquet",
        "folder": folder / "many",
        "list": [str(path) for path in many],
        "list in another order": many[::-1],
        "dataset": ds.dataset(folder / "many"),
        "filtered dataset": ds.dataset(folder / "many").filter(ds.field("number") > -9),
        "iterator": iter(table.to_batches(max_chunksize=700)),
        "function": lambda: iter(table.to_batches(max_chunksize=700)),
        "reader": pa.RecordBatchReader.from_batches(table.schema, table.to_batches()),
        "csv": folder / "one.csv",
        "converted csv": folder / "converted.parquet",
    }


def test_every_kind_of_source_gives_the_same_rows(frame, tmp_path):
    given = sources(frame.drop(columns="year"), tmp_path)
    for data in given.values():
        with open_data(data) as rows:
            assert isinstance(rows, FileData)
            assert rows.names == ("text", "number", "flag")
            assert rows.n_rows == len(frame)
            same(rows.table(None, ONE), frame.drop(columns="year"))
    for data in (frame, frame.to_numpy(), arrow(frame), Table.from_data(frame)):
        with open_data(data) as rows:
            assert isinstance(rows, MemoryData)
            assert rows.n_rows == len(frame)


def test_hive_partitions_are_columns(frame, tmp_path):
    pq.write_to_dataset(arrow(frame), tmp_path / "hive", partition_cols=["year"])
    table = all_rows(tmp_path / "hive")
    assert table.categories[table.names.index("year")] == (2023, 2024, 2025)
    expected = Table.from_data(frame.assign(year=frame["year"].astype(int)))
    for table_, names in ((table, expected.names),):
        counts = pd.DataFrame(table_.select(names).codes.T).value_counts()
        assert counts.equals(pd.DataFrame(expected.codes.T).value_counts())
    # Alone, a partition column has no column in the files at all.
    with open_stored(tmp_path / "hive") as source:
        found = scan_all(source, 10, 0, ONE)
        tables = tally_all(source, make_plan(found, [["year"]], 1 << 20), ONE)
    assert tables.joint(0).counts.tolist() == frame["year"].value_counts().sort_index().tolist()


def test_other_filesystems(frame, tmp_path):
    write(arrow(frame), tmp_path / "many")
    elsewhere = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    same(all_rows("many", filesystem=elsewhere), frame)


def test_missing_cells_and_unobserved_labels(tmp_path):
    text = pa.DictionaryArray.from_arrays(pa.array([0, None, 2, 0], pa.int8()), ["a", "never", "b"])
    view = pa.array(["x", None, "y", "x"]).cast(pa.string_view())
    table = pa.table(
        {
            "text": text,
            "flag": [None, True, False, True],
            "wide": pa.array(["p"] * 4, pa.large_string()),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    found = all_rows(tmp_path / "a.parquet")
    assert found.categories == (("a", "b"), (False, True), ("p",))
    assert {i: mask.tolist() for i, mask in found.missing.items()} == {
        0: [False, True, False, False],
        1: [True, False, False, False],
    }
    seen = all_rows(iter([pa.table({"view": view})]))
    assert seen.categories == (("x", "y"),)


def test_a_column_missing_in_the_sample_only_is_constant_there(tmp_path):
    table = pa.table({"rare": ["a", "b"] + [None] * 998, "other": ["x", "y"] * 500})
    pq.write_table(table, tmp_path / "a.parquet")
    with open_stored(tmp_path / "a.parquet") as source:
        found = scan_all(source, 5, 0, ONE)
        assert found.categories()[0] == ("a", "b")
        assert found.sample(5).constant == ("rare",)
    pq.write_table(pa.table({"none": pa.array([None] * 3, pa.string())}), tmp_path / "b.parquet")
    with pytest.raises(ValueError, match="'none' is missing in every row"):
        all_rows(tmp_path / "b.parquet")


# ---------------------------------------------------------------- the sample


def test_the_sample_does_not_depend_on_files_groups_or_workers(frame, tmp_path):
    table = arrow(frame)
    samples = []
    for n_files, group, jobs in ((1, 10_000, 1), (4, 300, 1), (7, 64, 2), (2, 17, 3)):
        folder = write(table, tmp_path / f"{n_files}", n_files, group)
        with open_stored(folder) as source, threads(jobs) as run:
            found = scan_all(source, 200, 5, Threads(jobs, run))
            assert found.n_rows == len(frame)
            samples.append(found.sample(200))
    assert samples[0].n_rows == 200
    for other in samples[1:]:
        assert other.categories == samples[0].categories
        np.testing.assert_array_equal(other.codes, samples[0].codes)


def test_every_row_is_as_likely_in_the_sample():
    # 400 samples of 5 % of 1,000 rows: each row is in about 20 of them, as chance would have it.
    n = np.zeros(1000)
    for seed in range(400):
        n += row_ranks(0, 1000, seed) < 0.05 * 2.0**64
    assert abs(n.sum() - 20_000) < 4 * (20_000 * 0.95) ** 0.5
    chi_square = ((n - 20) ** 2 / (20 * 0.95)).sum()
    assert abs(chi_square - 1000) < 4 * 2000**0.5


def test_parts_are_of_about_equal_size(frame, tmp_path):
    write(arrow(frame), tmp_path / "many", 4, 100)
    with open_stored(tmp_path / "many") as source:
        assert len(split(source.chunks, 1)) == 1
        parts = split(source.chunks, 8)
        assert [chunk for part in parts for chunk in part] == list(source.chunks)
        rows = [sum(chunk.n_rows for chunk in part) for part in parts]
        assert len(parts) == 8
        assert max(rows) <= 600
        assert len(split(source.chunks, 500)) <= len(source.chunks)


# ---------------------------------------------------------------- what is refused


def refused(data, error, message):
    with pytest.raises(error, match=message):
        all_rows(data)


def test_truncated_files_are_named(frame, tmp_path):
    folder = write(arrow(frame), tmp_path / "many")
    path = folder / "part2.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    refused(folder, ValueError, "part2.parquet cannot be read")
    # Only rows are damaged, the footer is intact.
    path.write_bytes(whole[:4] + b"\xff" * 400 + whole[404:])
    refused(folder, ValueError, "part2.parquet cannot be read")
    (folder / "part0.parquet").write_bytes(b"not Parquet")
    refused(folder, ValueError, "part0.parquet")


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda t: t.drop_columns(["flag"]), ValueError, "part1.parquet has no column 'flag'"),
        (
            lambda t: t.append_column("more", t["flag"]),
            ValueError,
            "part1.parquet has a column 'more'",
        ),
        (
            lambda t: t.set_column(1, "number", t["number"].cast(pa.string())),
            ValueError,
            "'number' holds string categories in .*part1.parquet but integer",
        ),
        (
            lambda t: t.set_column(1, "number", t["number"].cast(pa.float64())),
            TypeError,
            "part1.parquet: column 'number' is of type float",
        ),
    ],
)
def test_files_with_other_columns_are_named(frame, tmp_path, change, error, message):
    folder = write(arrow(frame), tmp_path / "many")
    path = folder / "part1.parquet"
    pq.write_table(change(pq.read_table(path)), path)
    refused(folder, error, message)
    refused(sorted(folder.iterdir()), error, message)


def test_widths_and_dictionaries_may_differ(frame, tmp_path):
    folder = write(arrow(frame), tmp_path / "many")
    path = folder / "part1.parquet"
    table = pq.read_table(path)
    table = table.set_column(0, "text", table["text"].dictionary_encode())
    table = table.set_column(1, "number", table["number"].cast(pa.int8()))
    pq.write_table(table.select(["year", "flag", "number", "text"]), path)
    same(all_rows(folder), frame)


def between_passes(data, change, n_columns=2):
    with open_counts(data, 100, 1 << 20, ONE, 0) as rows:
        change()
        rows.joint_counts([list(rows.categories)[:n_columns]], trim=True)


def test_files_that_change_between_the_passes_are_named(frame, tmp_path):
    folder = write(arrow(frame), tmp_path / "many")
    path = folder / "part3.parquet"
    with pytest.raises(FileNotFoundError, match=r"part3\.parquet has vanished"):
        between_passes(folder, path.unlink)
    write(arrow(frame), folder)

    def rewrite():
        pq.write_table(arrow(frame), path)

    with pytest.raises(ValueError, match=r"part3\.parquet has changed"):
        between_passes(folder, rewrite)


def test_a_worker_says_that_it_cannot_reach_a_file(frame, tmp_path, monkeypatch):
    folder = write(arrow(frame), tmp_path / "many")
    monkeypatch.chdir(tmp_path)
    with open_stored(Path("many")) as source:
        (folder / "part0.parquet").unlink()
        elsewhere = replace(source, opened_by=("another machine", 1))
        place = tmp_path / "many" / "part0.parquet"
        message = (
            rf"^many/part0\.parquet cannot be reached by a worker .*: {place} has vanished there"
        )
        with pytest.raises(FileNotFoundError, match=message):
            list(elsewhere.read(elsewhere.chunks, elsewhere.names))


def test_a_label_that_was_not_there_before_is_named(frame, tmp_path):
    folder = write(arrow(frame), tmp_path / "many", n_files=1)
    path = folder / "part0.parquet"
    table = pq.read_table(path)
    before = path.stat()
    for value, message in (("PERHAPS", "the category 'PERHAPS'"), (None, "a missing cell")):

        def swap(value=value):
            # A store without times of change, and a file of the same length.
            text = [value if t == "perhaps" else t for t in table["text"].to_pylist()]
            changed = table.set_column(0, "text", pa.array(text, pa.string()))
            pq.write_table(changed, path, row_group_size=300)
            size = path.stat().st_size
            path.write_bytes(path.read_bytes())
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
            assert size

        with open_counts(folder, 100, 1 << 20, ONE, 0) as rows:
            swap()
            size = path.stat().st_size
            files = tuple(replace(file, size=size) for file in rows.source.files)
            rows.source = type(rows.source)(
                files, rows.source.names, rows.source.kinds, rows.source.filesystem
            )
            with pytest.raises(ValueError, match=message):
                rows.joint_counts([["text", "flag"]], trim=True)
        write(arrow(frame), folder, n_files=1)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_what_is_no_source_is_refused(frame, tmp_path):
    refused(
        tmp_path / "none.parquet", FileNotFoundError, "there is no file or folder .*none.parquet"
    )
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", ValueError, "empty has no file that ends in")
    path = tmp_path / "a.parquet"
    pq.write_table(arrow(frame), path)
    refused([path, path], ValueError, "given twice")
    refused(iter([]), ValueError, "no rows")
    refused(iter([frame]), TypeError, "Arrow batches or tables, not DataFrame")
    other = [pa.table({"a": ["x"]}), pa.table({"b": ["x"]})]
    refused(iter(other), ValueError, "batch 1 has other columns")
    pq.write_table(pa.table({"a": pa.array([], pa.string())}), path)
    refused(path, ValueError, "no rows")
    twice = pa.Table.from_arrays([pa.array(["x"]), pa.array(["y"])], names=["a", "a"])
    pq.write_table(twice, path)
    refused(path, ValueError, "duplicate field names|two columns with the same name")
    csv = tmp_path / "bad.csv"
    csv.write_text("a,b\n1,x\n2\n")
    refused(csv, ValueError, r"line 3 of .*bad.csv has 1 field, and the first line names 2")
    csv.write_text('a,b\n1,x\n2,"y\n3,z\n')
    refused(csv, ValueError, "opens in line 3 of .*bad.csv does not close")
    csv.write_bytes("a,b\n1,x\n".encode("utf-16-le"))
    refused(csv, ValueError, "bad.csv is not text")
    refused(tmp_path / "none.csv", FileNotFoundError, "none.csv")
    csv.write_text("a,b\n1,\n2,\n")
    refused(csv, ValueError, "bad.csv: column 'b' is missing in every row: drop it")


def test_an_identifier_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": np.arange(70_000)}), path)
    refused(path, ValueError, "'id' has more than 65,536 different categories")


def test_nothing_is_left_of_a_conversion_that_fails(tmp_path):
    csv = tmp_path / "bad.csv"
    csv.write_text("a,b\n1,x\n2\n")
    with pytest.raises(ValueError, match="line 3"):
        convert_rows(csv, tmp_path / "out.parquet")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.csv"]


def test_folders_of_csv_files(frame, tmp_path):
    frame = frame.drop(columns="flag")
    frame[:3000].to_csv(tmp_path / "a.csv", index=False)
    turned = frame[["year", "text", "number"]]
    turned[3000:].to_csv(tmp_path / "b.tsv", sep="\t", index=False)
    same(all_rows(tmp_path), frame.astype({"year": int}))
    (tmp_path / "c.csv").write_text("text,number,year\nno,,\nno,1,\n", encoding="utf-8")
    assert all_rows(tmp_path).n_rows == 4002
    (tmp_path / "c.csv").write_text("text,number,year\nno,many,2023\n", encoding="utf-8")
    assert all_rows(tmp_path).select(["number"]).categories[0][-1] == "many"
    (tmp_path / "c.csv").write_text("text,number,year\n", encoding="utf-8")
    refused(tmp_path, ValueError, r"c\.csv has columns but no rows: leave it out")
    (tmp_path / "c.csv").write_text("text,number\nno,1\n", encoding="utf-8")
    refused(tmp_path, ValueError, r"c\.csv has no column 'year', which .*a\.csv has")


def test_dates_in_csv_files_are_text(tmp_path):
    csv = tmp_path / "a.csv"
    csv.write_text("day,at,x\n2024-02-29,10:30,1\n2023-01-01,11:30,2\n", encoding="utf-8")
    assert all_rows(csv).categories == (("2023-01-01", "2024-02-29"), ("10:30", "11:30"), (1, 2))


def test_broken_compression_is_named(frame, tmp_path):
    path = tmp_path / "a.csv.gz"
    frame.to_csv(path, index=False)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    refused(path, ValueError, r"a\.csv\.gz is not a complete gzip file")


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz"])
def test_csv_cells_in_quotes_hold_anything(tmp_path, name):
    frame = pd.DataFrame({"a": ["x;y", "two\nlines", 'say "so"'], "b": [1, 2, 1]})
    frame.to_csv(tmp_path / name, sep=";", index=False)
    same(all_rows(tmp_path / name), frame)
    # The reader takes what follows an open quote for a cell, but this one closes.
    frame[["b", "a"]].to_csv(tmp_path / name, sep=";", index=False, lineterminator="\r\n")
    same(all_rows(tmp_path / name), frame)


def test_csv_cells_may_be_missing(tmp_path):
    csv = tmp_path / "a.csv"
    csv.write_text("a,b\nx,1\n,2\nNA,\n")
    table = all_rows(Path(csv))
    assert table.categories == (("x",), (1, 2))
    assert {i: mask.tolist() for i, mask in table.missing.items()} == {
        0: [False, True, True],
        1: [False, False, True],
    }
