"""What ``import bnsieve`` costs and what it leaves alone."""

import subprocess
import sys


def python(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_import_leaves_heavy_and_optional_packages_alone():
    # pandas itself imports pyarrow where it is installed; that is not our doing.
    code = (
        "import numpy, scipy, pandas, sklearn, sys; before = set(sys.modules); "
        "import bnsieve; print(*set(sys.modules) - before)"
    )
    loaded = set(python(code).split())
    assert "bnsieve.graph" in loaded
    assert not loaded & {
        "click", "gadjid", "igraph", "jinja2", "matplotlib", "networkx", "polars", "pyarrow",
        "ray", "rich", "typer",
    }  # fmt: skip


def test_import_takes_less_than_half_a_second_beyond_the_scientific_stack():
    code = (
        "import numpy, scipy, pandas, sklearn, time; start = time.perf_counter(); "
        "import bnsieve; print(time.perf_counter() - start)"
    )
    # The machine may be busy: the best of three is what the import costs.
    assert min(float(python(code)) for _ in range(3)) < 0.5
