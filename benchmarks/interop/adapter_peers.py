"""Hand graphs, networks and candidates to other programs, and take them back.

    python benchmarks/interop/adapter_peers.py CACHE [--quick] [--peers NAME ...]

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

from environments import PEERS, copy_bnsieve, peer_requirements, python_of

WORKER = Path(__file__).with_name("adapter_worker.py")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cache", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    arguments = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as temporary:
        copy_bnsieve(Path(temporary))
        for name in arguments.peers:
            python = python_of(name, peer_requirements(name), arguments.cache)
            command = [python, WORKER, name, *(["--quick"] if arguments.quick else [])]
            environment = {**os.environ, "PYTHONPATH": temporary, "PYTHONDONTWRITEBYTECODE": "1"}
            print(f"\n{PEERS[name]}", flush=True)
            if subprocess.run(command, env=environment).returncode:
                failures.append(name)
    print(f"\nunexpected results: {', '.join(failures) or 'none'}")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
