"""Hand graphs, networks and candidates to other programs, and take them back.

    python -m benchmarks interop adapters CACHE [--quick] [--peers NAME ...]

CACHE is a folder for virtual environments, one per program, made when they are missing. Each gets a
copy of this environment's bnsieve, and `adapter_worker` runs there: round trips of networks with
awkward names and labels, XMLBIF files read by either side, and a search among our candidates. Exit
code 1 if anything is not as expected. ``--quick`` takes small networks only.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.common.environments import PEERS, copy_bnsieve, python_of, with_bnsieve

WORKER = Path(__file__).with_name("adapter_worker.py")


def main(arguments: list[str] | None = None) -> None:
    """Print what agrees and what does not; end with exit code 1 if anything is unexpected."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks interop adapters", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("cache", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    options = parser.parse_args(arguments)
    failures = []
    with tempfile.TemporaryDirectory() as temporary:
        copy_bnsieve(Path(temporary))
        for name in options.peers:
            python = python_of(name, with_bnsieve(name), options.cache)
            command = [python, WORKER, name, *(["--quick"] if options.quick else [])]
            environment = {**os.environ, "PYTHONPATH": temporary, "PYTHONDONTWRITEBYTECODE": "1"}
            print(f"\n{PEERS[name]}", flush=True)
            if subprocess.run(command, env=environment).returncode:
                failures.append(name)
    print(f"\nunexpected results: {', '.join(failures) or 'none'}")
    if failures:
        sys.exit(1)


if __name__ == "__main__":
    main()
