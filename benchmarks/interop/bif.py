"""Let other programs read our files of networks, and read theirs.

    python -m benchmarks interop bif CACHE [--quick] [--networks NAME ...] [--peers NAME ...]

CACHE is a folder for virtual environments, one per program, made when they are missing; bnlearn is
asked where there is an R that has it. For each program and network: the program reads what we write
(BIF, Hugin's ``.net`` and GeNIe's XDSL), we read what it writes, and the tables are compared number
by number; then the same with odd names and labels. All of our files must be read, and the originals
of what is spelled otherwise in them must come back. What a program cannot write of odd names and
labels is listed. Exit code 1 if anything differs from that.

``--quick`` takes small networks and leaves out pgmpy 0.1, whose environment has several gigabytes.
"""

import argparse
import contextlib
import json
import re
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common.environments import has_bnlearn, python_of, with_bnsieve
from bnsieve import BayesianNetwork, Graph, list_networks, load_network
from bnsieve.exchange import read, write

WORKER = Path(__file__).with_name("bif_worker.py")
BNLEARN_WORKER = Path(__file__).with_name("bif_worker.R")
TIMEOUT = 1800
LARGEST_NET = 15_000
QUICK = ["asia", "alarm", "hailfinder", "water"]


BNLEARN = "bnlearn"


class Peer(NamedTuple):
    """Another program, what it does to numbers that it reads and to labels that it writes."""

    name: str
    module: str
    requirements: list[str]
    formats: tuple[str, ...]
    """The formats of which it reads every file of ours."""
    tolerance: float
    written_tolerance: float
    renames_labels: bool
    largest: int
    """The most parameters of a network that it reads within minutes."""


PEERS = [
    # pyAgrum reads probabilities of BIF as 32-bit floats, and writes "_20_MG_L" for "20_MG_L". In
    # XDSL it takes the first parent's states to change fastest, which GeNIe and pgmpy do not.
    Peer("pyagrum", "pyagrum", with_bnsieve("pyagrum"), ("bif", "net"), 1e-7, 0.0, True, 1_000_000),
    Peer(
        "pgmpy-1",
        "pgmpy",
        with_bnsieve("pgmpy-1"),
        ("bif", "net", "xdsl"),
        0.0,
        0.0,
        False,
        1_000_000,
    ),
    Peer("pgmpy-0.1", "pgmpy", ["pgmpy==0.1.26"], ("bif",), 0.0, 0.0, False, 20_000),
    # bnlearn scales what it reads to sum to 1, and writes seven digits.
    Peer(BNLEARN, BNLEARN, [], ("bif", "net"), 1e-5, 1e-5, False, 100_000),
]

# Odd names and labels. pyAgrum's grammar has words of letters, digits and underscores only, and
# its writer makes all others such words, in time the same one.
ODD = {
    "letters, digits, underscore": (["A_1", "b2"], ["x_1", "10", "Yes"]),
    "dash and dot": (["a-b", "c.d"], ["1.5-2", "x.y"]),
    "spaces in labels": (["a", "b"], ["very low", "low", "not at all high"]),
    "spaces in names": (["first name", "last name"], ["x", "y"]),
    "signs in labels": (["a", "b"], ["<5", ">=10", "50%", "x+y", "a/b", "[0"]),
    "accents": (["été", "b"], ["né", "œuvre"]),
    "emoji": (["a", "b"], ["😀", "🌧"]),
    "intervals": (["a", "b"], ["(0, 1]", "(1, 2.5]"]),
    "cut numbers": (["age", "bmi"], ["<42", "[42, 48.2)", ">=48.2"]),
    "commas": (["a", "b"], ["x,y", "z"]),
    "quotes": (["a", "b"], ['5" pipe', '6" pipe', 'say "no"']),
    "braces": (["a", "b"], ["{x}", "y}"]),
    "digits first": (["1", "2nd"], ["1e5", "5e", "007"]),
    "keywords": (["table", "node"], ["default", "states", "data"]),
    "more keywords": (["variable", "probability"], ["type", "discrete", "property"]),
    "steps of time": (["valve@t-1", "valve@t", "valve@t+1"], ["open", "shut"]),
    "other languages": (["property", "network"], ["NA", "NULL", "TRUE", "function"]),
    "empty": (["", " "], ["", " ", "  "]),
    "twins": (["a b", "a_b"], ["x y", "x_y", "x-y", "x/y"]),
    "case twins": (["a", "A"], ["x", "X"]),
    "comments": (["// a", "/* b"], ["% x", "# y", "*/"]),
    "line breaks": (["a\nb", "c\td"], ["x\ny", "\0", "\x1b"]),
    "long": (["q" * 300, "How satisfied are you? " * 20], ["x" * 500, "Not at all. " * 40]),
    "like ours": (["bnsieve_name", "~41"], ["~20", "bnsieve_label_x", "x"]),
}
CANNOT_WRITE = {
    "pyagrum": {
        *("child", "dash and dot", "spaces in names", "accents", "emoji", "digits first", "empty"),
        *("steps of time", "twins", "comments", "line breaks", "long", "like ours"),
    },
    "pgmpy-1": {"empty", "comments", "long"},
    "pgmpy-0.1": {"empty", "comments", "long"},
    BNLEARN: set(),
}


class PeerError(Exception):
    """The other program ended with an error, or what came back is not what went in."""


def command_of(peer: Peer, cache: Path) -> list[str]:
    """Return what starts the program's worker, in an environment below the folder."""
    if peer.name == BNLEARN:
        return ["Rscript", str(BNLEARN_WORKER)]
    python = python_of(peer.name, peer.requirements, cache)
    return [str(python), str(WORKER), peer.module]


def to_records(network: BayesianNetwork) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "states": list(network.states[name]),
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
        if same_labels and tuple(record["states"]) != network.states[name]:
            raise PeerError(f"labels of {name!r} differ: {record['states'][:4]}")
        if set(record["parents"]) != set(network.parents(name)):
            raise PeerError(f"parents of {name!r} differ: {record['parents']}")
        members = (*record["parents"], name)
        array = np.array(record["table"]).reshape([len(network.states[m]) for m in members])
        axes = [record["parents"].index(parent) for parent in network.parents(name)]
        largest = max(largest, np.abs(array.transpose([*axes, len(axes)]) - table).max())
    return float(largest)


def as_others_see(path: Path, network: BayesianNetwork) -> BayesianNetwork:
    """Return what a file of ours says to those who skip the properties in it.

    Raises
    ------
    PeerError
        If we ourselves do not read the original network from it.
    """
    if read(path) != network:
        raise PeerError("we do not read the original names and labels back")
    text = path.read_text(encoding="utf-8")
    for line in (r"^ +property .*;\n", r'^ +bnsieve_\w+ = ".*";\n', r"^ +<property .*\n"):
        text = re.sub(line, "", text, flags=re.MULTILINE)
    plain = path.with_name(f"plain{path.suffix}")
    plain.write_text(text, encoding="utf-8")
    seen = read(plain)
    assert isinstance(seen, BayesianNetwork)
    return seen


def they_read(peer: Peer, network: BayesianNetwork, case: Path, kind: str) -> str:
    expected = as_others_see(case / f"ours.{kind}", network)
    if (case / f"{kind}.read.error").exists():
        raise PeerError((case / f"{kind}.read.error").read_text())
    if not (case / f"{kind}.read.json").exists():
        raise PeerError(f"not done in {TIMEOUT} s")
    records = json.loads((case / f"{kind}.read.json").read_text())
    difference = largest_difference(expected, records)
    if difference > peer.tolerance:
        raise PeerError(f"numbers differ by {difference:.2g}")
    seconds = (case / f"{kind}.seconds").read_text().strip()
    return f"largest difference {difference:.2g}, {seconds} s"


def we_read(peer: Peer, network: BayesianNetwork, case: Path, kind: str) -> str:
    if (case / f"{kind}.write.error").exists():
        raise PeerError((case / f"{kind}.write.error").read_text())
    if not (case / f"theirs.{kind}").exists():
        raise PeerError(f"not done in {TIMEOUT} s")
    if peer.name == BNLEARN:  # it writes what it read, under the names that it read
        network = as_others_see(case / f"ours.{kind}", network)
    theirs = read(case / f"theirs.{kind}")
    assert isinstance(theirs, BayesianNetwork)
    difference = largest_difference(network, to_records(theirs), not peer.renames_labels)
    if difference > peer.written_tolerance:
        raise PeerError(f"numbers differ by {difference:.2g}")
    renamed = theirs.states != network.states
    return f"largest difference {difference:.2g}" + (", labels renamed by them" if renamed else "")


def odd_network(names: list[str], labels: list[str]) -> BayesianNetwork:
    """Return a chain through the names, with probabilities drawn at random."""
    random = np.random.default_rng(0)
    n_labels = len(labels)
    tables = {name: random.dirichlet(np.ones(n_labels), n_labels) for name in names[1:]}
    tables[names[0]] = random.dirichlet(np.ones(n_labels))
    return BayesianNetwork(Graph(names, [*pairwise(names)]), dict.fromkeys(names, labels), tables)


def formats_for(peer: Peer, network: BayesianNetwork) -> tuple[str, ...]:
    """Return the formats in which a program gets a network; pgmpy takes hours for large ones."""
    return peer.formats if network.n_parameters <= LARGEST_NET else peer.formats[:1]


def check_peer(peer: Peer, command: list[str], names: list[str]) -> int:
    """Print how every network fares with one program; return how many did so unexpectedly."""
    checks = [(name, load_network(name)) for name in names]
    checks = [check for check in checks if check[1].n_parameters <= peer.largest]
    checks += [(odd, odd_network(*case)) for odd, case in ODD.items()]
    n_unexpected = n_right = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        cases = [folder / f"{i:03}" for i in range(len(checks))]
        for case, (_, network) in zip(cases, checks, strict=True):
            case.mkdir()
            for kind in formats_for(peer, network):
                write(network, case / f"ours.{kind}")
                # The file of names is for people: nothing here may need it.
                (case / f"ours.{kind}.names.json").unlink(missing_ok=True)
            (case / "ours.json").write_text(json.dumps(to_records(network)))
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run([*command, str(folder)], capture_output=True, timeout=TIMEOUT)
        version = folder / "version"
        said = version.read_text().strip() if version.exists() else "?"
        print(f"\n{peer.name}: {peer.module} {said}")
        for case, (name, network) in zip(cases, checks, strict=True):
            written = formats_for(peer, network) if peer.name == BNLEARN else ("bif",)
            for what, check, kind, expected in (
                *(("they read ours", they_read, kind, True) for kind in formats_for(peer, network)),
                *(
                    ("we read theirs", we_read, kind, name not in CANNOT_WRITE[peer.name])
                    for kind in written
                ),
            ):
                try:
                    outcome, works = check(peer, network, case, kind), True
                except (PeerError, ValueError) as error:
                    outcome, works = str(error), False
                n_unexpected += works != expected
                n_right += works
                mark = ("ok" if works else "cannot") if works == expected else "UNEXPECTED"
                print(f"  {mark:10}  {name:28}{what:15}{kind:5}{outcome}", flush=True)
    print(f"  {n_right} files understood")
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
    left_out = {"pgmpy-0.1"} if options.quick else set()
    left_out |= set() if has_bnlearn() else {BNLEARN}
    default = [peer.name for peer in PEERS if peer.name not in left_out]
    n_unexpected = 0
    for peer in (peer for peer in PEERS if peer.name in (options.peers or default)):
        n_unexpected += check_peer(peer, command_of(peer, options.cache), names)
    print(f"\n{n_unexpected} unexpected results")
    if n_unexpected:
        sys.exit(1)


if __name__ == "__main__":
    main()
