"""Run the examples with DoWhy and EconML in an environment of theirs, and compare their output.

    python -m benchmarks interop estimators CACHE

CACHE is a folder for virtual environments, one per program, made when they are missing. The
environment gets a copy of this one's bnsieve, and `estimators_worker` runs there: the last section
of ``docs/tutorials/drivers.md`` from top to bottom, and a table with awkward names. Exit code 1 if
anything is not as expected.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.common.environments import CLONE, copy_bnsieve, python_of, requirements_of_bnsieve

WORKER = Path(__file__).with_name("estimators_worker.py")
PAGE = CLONE / "docs" / "tutorials" / "drivers.md"
HEADING = "## Estimate with DoWhy or EconML"
REQUIREMENTS = ("dowhy==0.14", "econml==0.17.0")


def main(arguments: list[str] | None = None) -> None:
    """Print what agrees and what does not; end with exit code 1 if anything is unexpected."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks interop estimators",
        description=(__doc__ or "").partition("\n")[0],
    )
    parser.add_argument("cache", type=Path)
    options = parser.parse_args(arguments)
    wanted = [*REQUIREMENTS, *requirements_of_bnsieve()]
    python = python_of("dowhy", wanted, options.cache)
    with tempfile.TemporaryDirectory() as temporary:
        copy_bnsieve(Path(temporary))
        environment = {**os.environ, "PYTHONPATH": temporary, "PYTHONDONTWRITEBYTECODE": "1"}
        print(f"\n{', '.join(REQUIREMENTS)}", flush=True)
        if subprocess.run([python, WORKER, PAGE, HEADING], env=environment).returncode:
            sys.exit(1)


if __name__ == "__main__":
    main()
