"""Passwords in addresses: refused, and in no message."""

import traceback

import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app

PASSWORD = "hunter2-planted"
ADDRESSES = [
    f"postgresql://joe:{PASSWORD}@host/db",
    f"postgresql:/joe:{PASSWORD}@host/db",
    f"postgresql://host/db?password={PASSWORD}",
    f"jdbc:postgresql://host/db?user=joe&password={PASSWORD}",
    f"host=db.example user=joe password={PASSWORD}",
    f"s3://joe:{PASSWORD}@bucket/rows.parquet",
    f"snowflake://joe:{PASSWORD}/x@account/db",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_error_repeats_a_password(address):
    with pytest.raises(ValueError, match="accepts no address with a password") as caught:
        bn.TsetlinSieve().fit(address)
    assert PASSWORD not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("command", ["learn", "describe"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_no_command_prints_a_password(address, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, [command, address])
    assert done.exit_code == 1
    assert "accepts no address with a password" in done.output
    assert PASSWORD not in done.output
    assert not list(tmp_path.iterdir())


def test_ordinary_paths_are_still_looked_for(tmp_path):
    for path in (tmp_path / "no:such.csv", tmp_path / "tokens.csv", "C:/rows.csv"):
        with pytest.raises(FileNotFoundError, match="there is no file"):
            bn.TsetlinSieve().fit(path)
