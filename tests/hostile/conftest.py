"""What one run of the command finds out about the machine is found out once."""

import functools

import pytest

from bnsieve.engine import installation
from bnsieve.learners import estimate


@pytest.fixture(autouse=True)
def _found_out_once(monkeypatch):
    monkeypatch.setattr(estimate, "measured_rates", MEASURED)
    monkeypatch.setattr(installation, "_version", VERSION)


MEASURED = functools.cache(estimate.measured_rates)
VERSION = functools.cache(installation._version)
