"""What `import bnsieve` costs and gives."""

import json
import subprocess
import sys

import bnsieve

# Beside the import of the libraries that users of bnsieve have loaded anyway.
MEASURE = """
import json, sys, time
start = time.process_time()
import numpy, pandas, scipy, sklearn
theirs = time.process_time() - start
before = set(sys.modules)
start = time.process_time()
import bnsieve
ours = time.process_time() - start
print(json.dumps([ours / theirs, sorted(set(sys.modules) - before)]))
"""


def measure_import() -> tuple[float, list[str]]:
    """Share of time and modules that the import adds in a fresh interpreter."""
    command = [sys.executable, "-c", MEASURE]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    share, modules = json.loads(output)
    return share, modules


def test_import_is_quick_and_loads_nothing_optional() -> None:
    share, modules = measure_import()
    packages = {name.partition(".")[0] for name in modules}
    optional = {"gadjid", "jinja2", "matplotlib", "networkx", "polars", "ray"}
    assert not optional.intersection(packages)
    assert not {"typer", "rich"}.intersection(packages), "only the command line needs these"
    assert not {"pyarrow.dataset", "pyarrow.parquet"}.intersection(modules), "only files need these"
    # About a fifth; a machine that has not read its files yet may be slow once, not always.
    assert share < 0.5 or any(measure_import()[0] < 0.5 for _ in range(3))


def test_every_public_name_exists() -> None:
    assert sorted(bnsieve.__all__) == sorted(set(bnsieve.__all__))
    for name in bnsieve.__all__:
        assert getattr(bnsieve, name).__doc__, name


def test_dir_lists_public_names_only() -> None:
    assert set(dir(bnsieve)) == {*bnsieve.__all__, "__version__"}
