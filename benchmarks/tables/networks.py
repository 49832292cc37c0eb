"""Whether other programs read the networks that are learned from the twelve tables.

``python -m benchmarks tables networks CACHE`` learns from each table, writes the network as BIF and
as ``.net``, and has pgmpy, pyAgrum and bnlearn (where there is an R that has it) read them, each in
an environment of its own below CACHE. Names, labels, parents and every number are compared. Exit
code 1 if a file is not read, or read as something else.
"""

import argparse
import contextlib
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.common.environments import has_bnlearn
from benchmarks.interop.bif import (
    BNLEARN,
    PEERS,
    TIMEOUT,
    Peer,
    PeerError,
    command_of,
    they_read,
    to_records,
)
from benchmarks.tables.catalogue import TABLES
from benchmarks.tables.make import file_of
from bnsieve import BayesianNetwork
from bnsieve.cli.run import RunSettings, learn
from bnsieve.exchange import write

# Small networks say what there is to say of names and labels; a wide one would take them hours.
LEFT_OUT = ("genetics",)
ASKED = ("pyagrum", "pgmpy-1", BNLEARN)


def learned(names: list[str], n_rows: int, folder: Path) -> dict[str, BayesianNetwork]:
    """Learn a network from each table, as ``bnsieve learn`` does, its labels as text.

    Labels that are whole numbers are read back as text from these formats, which know no other.
    """
    networks = {}
    for name in names:
        path = file_of(TABLES[name], folder, n_rows, parquet=True)
        found = learn(RunSettings(path), n_jobs=1).network
        levels = {node: [str(label) for label in own] for node, own in found.levels.items()}
        networks[name] = BayesianNetwork(found.graph, levels, found.tables)
    return networks


def check(peer: Peer, command: list[str], networks: dict[str, BayesianNetwork]) -> int:
    """Print how every network fares with one program; return how many files it does not read."""
    n_wrong = 0
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, network in networks.items():
            (folder / name).mkdir()
            for kind in peer.formats:
                write(network, folder / name / f"ours.{kind}")
            (folder / name / "ours.json").write_text(json.dumps(to_records(network)))
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run([*command, str(folder)], capture_output=True, timeout=TIMEOUT)
        for name, network in networks.items():
            for kind in peer.formats:
                try:
                    outcome = they_read(peer, network, folder / name, kind)
                except (PeerError, ValueError) as error:
                    outcome = f"WRONG: {error}"
                    n_wrong += 1
                print(f"  {peer.name:10}{name:12}{kind:6}{outcome}", flush=True)
    return n_wrong


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks tables networks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = [name for name in TABLES if name not in LEFT_OUT]
    parser.add_argument("cache", type=Path, help="folder of environments")
    parser.add_argument("--rows", type=int, default=5_000)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=names)
    parser.add_argument("--peers", nargs="+", choices=ASKED, default=ASKED)
    asked = parser.parse_args(arguments)
    with TemporaryDirectory() as folder:
        networks = learned(asked.tables, asked.rows, Path(folder))
    n_wrong = 0
    for peer in (peer for peer in PEERS if peer.name in asked.peers):
        if peer.name == BNLEARN and not has_bnlearn():
            print("  no R that has bnlearn: left out")
            continue
        n_wrong += check(peer, command_of(peer, asked.cache), networks)
    print(f"\n{n_wrong} files were not read as they should be")
    if n_wrong:
        sys.exit(1)


if __name__ == "__main__":
    main()
