"""Fixtures and settings for every test."""

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from bnsieve import _native
from bnsieve.table import LIMITS

# No limits of time, which fail on a busy machine; the same examples every time in the gate.
settings.register_profile(
    "bnsieve",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("bnsieve")


@pytest.fixture(params=_native.simd_levels())
def simd_level(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run the test once per instruction set that this processor has."""
    before = _native.simd_level()
    _native.force_simd_level(request.param)
    yield request.param
    _native.force_simd_level(before)


@pytest.fixture(scope="module")
def rows_stay_in_files() -> Iterator[None]:
    """Take every file for one that is too large for memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS, "in_memory", 0)
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what runs at every instruction set as a kernel test: the sanitizers run these."""
    for item in items:
        if "simd_level" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.kernel)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Start a Spark session of two workers, which start a failed task again."""
    pytest.importorskip("pyspark", reason="nox -s engines installs pyspark")
    from pyspark.sql import SparkSession

    if shutil.which("java") is None:
        pytest.skip("nox -s engines installs a Java runtime")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2,4]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "4",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
