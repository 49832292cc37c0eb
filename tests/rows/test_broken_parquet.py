"""Damaged Parquet files: an error that names the file, never one of Arrow's own."""

import random
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app
from bnsieve.rows.parquet import named
from bnsieve.table.prepare import ColumnOverrides, plan_columns

N_DAMAGED = 80


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": rng.choice(["x", "y"], 90),
            "b": rng.choice(["p", "q", None], 90),
            "n": rng.normal(size=90),
            "i": rng.integers(0, 10**12, 90),
        }
    )
    path = tmp_path_factory.mktemp("whole") / "rows.parquet"
    frame.to_parquet(path, row_group_size=40)
    return path.read_bytes()


def damaged(whole, seed):
    """Flip some bits, cut some bytes out, or cut the end off; mostly where sizes and types are."""
    chance = random.Random(seed)
    content = bytearray(whole)
    for _ in range(chance.choice([1, 1, 2, 8])):
        place = chance.randrange(len(content))
        if chance.random() < 0.6:
            place = max(0, len(content) - 1 - chance.randrange(2000))
        match chance.randrange(10):
            case 0:
                del content[place + 1 :]
            case 1:
                del content[place : place + 8]
            case _:
                content[min(place, len(content) - 1)] ^= 1 << chance.randrange(8)
    return bytes(content)


def test_damaged_files_name_themselves(whole, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "bad.parquet"
    n_refused = 0
    for seed in range(N_DAMAGED):
        path.write_bytes(damaged(whole, seed))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                bn.TsetlinSieve(n_jobs=1, random_state=0).fit(path)
        except ValueError as error:
            assert type(error) is ValueError, f"seed {seed}: {error!r}"
            assert "bad.parquet" in str(error), f"seed {seed}: {error!r}"
            n_refused += 1
        if seed % 5 == 0:
            result = CliRunner().invoke(app, ["describe", "bad.parquet"])
            assert result.exit_code in (0, 1), f"seed {seed}: {result.exception!r}"
            if result.exit_code:
                assert isinstance(result.exception, SystemExit), f"seed {seed}"
                assert result.stderr.startswith("error: "), f"seed {seed}"
                assert "bad.parquet" in result.stderr, f"seed {seed}: {result.stderr}"
    assert n_refused > N_DAMAGED / 2


def test_the_damaged_one_of_several_files_is_named(whole, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "rows"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.parquet").write_bytes(whole)
    # The first bytes are those of a column: its page header is gone.
    (folder / "b.parquet").write_bytes(whole[:4] + b"\xff" * 40 + whole[44:])
    result = CliRunner().invoke(app, ["describe", "rows"])
    assert result.exit_code == 1
    assert "b.parquet cannot be read as Parquet" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_shortage_of_memory_is_not_called_a_damaged_file():
    with pytest.raises(ValueError, match="memory that is left") as error, named("rows.parquet"):
        raise pa.ArrowMemoryError("malloc of size 64 failed")
    assert "truncated" not in str(error.value)


def test_a_column_that_a_damaged_file_lost_is_named():
    columns = SimpleNamespace(names=["a", "b"], facts=lambda names, missing: {"a": None})
    with pytest.raises(ValueError, match="column 'b' cannot be read: the file may be damaged"):
        plan_columns(columns, ColumnOverrides())


def test_a_column_name_that_is_not_text_is_an_error_of_the_file(tmp_path):
    path = tmp_path / "bad.parquet"
    rows = pa.table({"abcdef": ["x", "y"], "b": ["p", "q"]})
    pq.write_table(rows, path, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"abcdef", b"abc\x93ef"))
    with pytest.raises(ValueError, match=r"bad\.parquet cannot be read as Parquet") as caught:
        bn.prepare(path)
    assert type(caught.value) is ValueError
