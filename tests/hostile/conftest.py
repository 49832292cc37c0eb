"""What one run of the command finds out about the machine is found out once."""

import functools

import pytest

from bnsieve.engine import installation


@pytest.fixture(autouse=True)
def _found_out_once(monkeypatch):
    monkeypatch.setattr(installation, "_version", VERSION)


VERSION = functools.cache(installation._version)
