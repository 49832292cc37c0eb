"""Let other programs read our BIF files, and read theirs.

    python -m benchmarks interop bif CACHE [--quick] [--networks NAME ...] [--peers NAME ...]

CACHE is a folder for virtual environments, one per program, made when they are missing. For each
program and network: the program reads what we write, we read what it writes, and the tables are
compared number by number; then the same with odd names and labels, against a list of what each
program is known to manage. Exit code 1 if anything differs from that.

``--quick`` takes small networks and leaves out pgmpy 0.1, whose environment has several gigabytes.
"""

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common.environments import python_of, with_bnsieve
from bnsieve import BayesianNetwork, Graph, list_networks, load_network
from bnsieve.exchange.formats import read_bif, write_bif

WORKER = Path(__file__).with_name("bif_worker.py")
TIMEOUT = 1800
QUICK = ["asia", "alarm", "hailfinder", "water"]


class Peer(NamedTuple):
    """Another program, what it does to numbers that it reads and to labels that it writes."""

    name: str
    module: str
    requirements: list[str]
    tolerance: float
    renames_labels: bool
    largest: int
    """The most parameters of a network that it reads within minutes."""


PEERS = [
    # pyAgrum reads probabilities as 32-bit floats, and writes "_20_MG_L" for the label "20_MG_L".
    Peer("pyagrum", "pyagrum", with_bnsieve("pyagrum"), 1e-7, True, 1_000_000),
    Peer("pgmpy-1", "pgmpy", with_bnsieve("pgmpy-1"), 0.0, False, 1_000_000),
    Peer("pgmpy-0.1", "pgmpy", ["pgmpy==0.1.26"], 0.0, False, 20_000),
]

# Odd names and labels. pyAgrum's grammar has words of letters, digits and underscores only, and
# its writer makes all others such words, in time the same one; pgmpy writes anything, but reads
# less than it writes.
ODD = {
    "letters, digits, underscore": (["A_1", "b2"], ["x_1", "10", "Yes"]),
    "dash and dot": (["a-b", "c.d"], ["1.5-2", "x.y"]),
    "spaces in labels": (["a", "b"], ["very low", "low", "not at all high"]),
    "spaces in names": (["first name", "last name"], ["x", "y"]),
    "signs in labels": (["a", "b"], ["<5", ">=10", "50%", "x+y", "a/b", "[0"]),
    "accents": (["été", "b"], ["né", "œuvre"]),
    "emoji": (["a", "b"], ["😀", "🌧"]),
    "intervals": (["a", "b"], ["(0, 1]", "(1, 2.5]"]),
    "commas": (["a", "b"], ["x,y", "z"]),
    "quotes": (["a", "b"], ['5" pipe', '6" pipe', 'say "no"']),
    "braces": (["a", "b"], ["{x}", "y}"]),
}
CANNOT_READ = {
    # The network child has labels such as "Asy/Patch" and "<5".
    "pyagrum": {"child", *ODD} - {"letters, digits, underscore"},
    "pgmpy-1": {"spaces in names", "intervals", "commas", "quotes", "braces"},
    "pgmpy-0.1": {*ODD} - {"letters, digits, underscore", "signs in labels"},
}
CANNOT_WRITE = {
    "pyagrum": {"child", "dash and dot", "spaces in names", "accents", "emoji"},
    "pgmpy-1": set(),
    "pgmpy-0.1": set(),
}


class PeerError(Exception):
    """The other program ended with an error, or what came back is not what went in."""


def to_records(network: BayesianNetwork) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "levels": list(network.levels[name]),
            "parents": list(network.parents(name)),
            "table": table.ravel().tolist(),
        }
        for name, table in network.tables.items()
    ]


def largest_difference(
    network: BayesianNetwork, records: list[dict[str, Any]], same_labels: bool = True
) -> float:
    """Compare names, labels and parents exactly; return the largest difference of numbers."""
    theirs = {record["name"]: record for record in records}
    if set(theirs) != set(network.graph.nodes):
        raise PeerError(f"names differ: {sorted(set(theirs) ^ set(network.graph.nodes))[:4]}")
    largest = 0.0
    for name, table in network.tables.items():
        record = theirs[name]
        if same_labels and tuple(record["levels"]) != network.levels[name]:
            raise PeerError(f"labels of {name!r} differ: {record['levels'][:4]}")
        if set(record["parents"]) != set(network.parents(name)):
            raise PeerError(f"parents of {name!r} differ: {record['parents']}")
        members = (*record["parents"], name)
        array = np.array(record["table"]).reshape([len(network.levels[m]) for m in members])
        axes = [record["parents"].index(parent) for parent in network.parents(name)]
        largest = max(largest, np.abs(array.transpose([*axes, len(axes)]) - table).max())
    return float(largest)


def they_read(peer: Peer, network: BayesianNetwork, case: Path) -> str:
    if (case / "read.error").exists():
        raise PeerError((case / "read.error").read_text())
    if not (case / "read.json").exists():
        raise PeerError(f"not done in {TIMEOUT} s")
    difference = largest_difference(network, json.loads((case / "read.json").read_text()))
    if difference > peer.tolerance:
        raise PeerError(f"numbers differ by {difference:.2g}")
    return f"largest difference {difference:.2g}, {(case / 'seconds').read_text()} s"


def we_read(peer: Peer, network: BayesianNetwork, case: Path) -> str:
    if (case / "write.error").exists():
        raise PeerError((case / "write.error").read_text())
    if not (case / "theirs.bif").exists():
        raise PeerError(f"not done in {TIMEOUT} s")
    read = read_bif(case / "theirs.bif")
    difference = largest_difference(network, to_records(read), not peer.renames_labels)
    if difference > 0:
        raise PeerError(f"numbers differ by {difference:.2g}")
    return "same numbers" + ("" if read.levels == network.levels else ", labels renamed by them")


def odd_network(names: list[str], labels: list[str]) -> BayesianNetwork:
    random = np.random.default_rng(0)
    first, second = names
    return BayesianNetwork(
        Graph(names, [(first, second)]),
        dict.fromkeys(names, labels),
        {
            first: random.dirichlet(np.ones(len(labels))),
            second: random.dirichlet(np.ones(len(labels)), len(labels)),
        },
    )


def check_peer(peer: Peer, python: Path, names: list[str]) -> int:
    """Print how every network fares with one program; return how many did so unexpectedly."""
    checks = [(name, load_network(name)) for name in names]
    checks = [check for check in checks if check[1].n_parameters <= peer.largest]
    checks += [(odd, odd_network(*case)) for odd, case in ODD.items()]
    n_unexpected = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        cases = [folder / f"{i:03}" for i in range(len(checks))]
        for case, (_, network) in zip(cases, checks, strict=True):
            case.mkdir()
            write_bif(network, case / "ours.bif")
            (case / "ours.json").write_text(json.dumps(to_records(network)))
        command = [str(python), str(WORKER), peer.module, str(folder)]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(command, capture_output=True, timeout=TIMEOUT)
        version = folder / "version"
        print(f"\n{peer.name}: {peer.module} {version.read_text() if version.exists() else '?'}")
        for case, (name, network) in zip(cases, checks, strict=True):
            for what, check, expected in (
                ("they read ours", they_read, name not in CANNOT_READ[peer.name]),
                ("we read theirs", we_read, name not in CANNOT_WRITE[peer.name]),
            ):
                try:
                    outcome, works = check(peer, network, case), True
                except (PeerError, ValueError) as error:
                    outcome, works = str(error), False
                n_unexpected += works != expected
                mark = ("ok" if works else "cannot") if works == expected else "UNEXPECTED"
                print(f"  {mark:10}  {name:28}{what:16}{outcome}", flush=True)
    return n_unexpected


def main(arguments: list[str] | None = None) -> None:
    """Print what agrees and what does not; end with exit code 1 if anything is unexpected."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks interop bif", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("cache", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--networks", nargs="+", metavar="NAME")
    parser.add_argument("--peers", nargs="+", choices=[peer.name for peer in PEERS])
    options = parser.parse_args(arguments)
    by_size = sorted(list_networks(), key=lambda summary: summary.parameters)
    names = options.networks or (QUICK if options.quick else [s.name for s in by_size])
    default = [peer.name for peer in PEERS if peer.name != "pgmpy-0.1" or not options.quick]
    peers = [peer for peer in PEERS if peer.name in (options.peers or default)]
    n_unexpected = 0
    for peer in peers:
        python = python_of(peer.name, peer.requirements, options.cache)
        n_unexpected += check_peer(peer, python, names)
    print(f"\n{n_unexpected} unexpected results")
    if n_unexpected:
        sys.exit(1)


if __name__ == "__main__":
    main()
