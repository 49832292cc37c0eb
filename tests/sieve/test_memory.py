"""What a wide table takes is known before, and refused with the figure."""

import numpy as np
import pytest

from bnsieve.sieve import association
from bnsieve.table import Table


def table(n_variables):
    codes = np.zeros((n_variables, 10), np.uint8)
    codes[:, ::2] = 1
    names = tuple(f"v{i}" for i in range(n_variables))
    return Table(codes, names, ((0, 1),) * n_variables, {})


def test_wide_tables_that_do_not_fit_are_refused(monkeypatch):
    monkeypatch.setattr(association, "available_bytes", lambda: 10_000_000)
    association.require_memory(table(2000))
    with pytest.raises(MemoryError, match=r"2,500 columns of 10 rows take about 0\.\d GB"):
        association.require_memory(table(2500))
    monkeypatch.setattr(association, "available_bytes", lambda: None)
    association.require_memory(table(2500))


def test_available_memory(monkeypatch, tmp_path):
    path = tmp_path / "meminfo"
    path.write_text("MemTotal: 9 kB\nMemAvailable:   5 kB\n", encoding="ascii")
    monkeypatch.setattr(association, "_MEMINFO", path)
    monkeypatch.setattr("sys.platform", "linux")
    assert association.available_bytes() == 5 << 10
    path.write_text("MemTotal: 9 kB\n", encoding="ascii")
    assert association.available_bytes() is None
    monkeypatch.setattr("sys.platform", "win32")
    assert association.available_bytes() is None
