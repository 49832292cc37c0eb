"""What `import bnsieve` costs and gives."""

import json
import subprocess
import sys

import bnsieve

# Import times are measured beyond the libraries that users of bnsieve have loaded anyway.
MEASURE = """
import json, sys, time
import numpy, pandas, scipy, sklearn
before = set(sys.modules)
start = time.perf_counter()
import bnsieve
seconds = time.perf_counter() - start
print(json.dumps([seconds, sorted({name.split(".")[0] for name in set(sys.modules) - before})]))
"""
MAX_SECONDS = 0.5


def measure_import() -> tuple[float, list[str]]:
    """Seconds and packages that the import adds in a fresh interpreter."""
    command = [sys.executable, "-c", MEASURE]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    seconds, packages = json.loads(output)
    return seconds, packages


def test_import_is_quick_and_loads_nothing_optional() -> None:
    seconds, packages = measure_import()
    optional = {"gadjid", "jinja2", "matplotlib", "networkx", "polars", "pyarrow", "ray"}
    assert not optional.intersection(packages)
    assert not {"typer", "rich"}.intersection(packages), "only the command line needs these"
    # A busy machine may be slow once, not always.
    assert seconds < MAX_SECONDS or any(measure_import()[0] < MAX_SECONDS for _ in range(3))


def test_every_public_name_exists() -> None:
    assert sorted(bnsieve.__all__) == sorted(set(bnsieve.__all__))
    for name in bnsieve.__all__:
        assert getattr(bnsieve, name).__doc__, name
