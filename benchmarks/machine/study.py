"""How fast the Tsetlin machine is at each instruction set of this processor.

    python -m benchmarks machine
    python -m benchmarks machine --network alarm --repeats 10 --json
    python -m benchmarks machine peers CACHE_DIR      (beside other libraries)
    python -m benchmarks machine limits               (threads, and 10,000 variables)
    python -m benchmarks machine suite                (gates, with and without the machine)
    python -m benchmarks machine cost                 (networks, with and without the machine)

Each variable of a network is learned from the others: 4,000 rows, 50 clauses per class, T = 50,
s = 5, 10 epochs; accuracy is on 1,000 rows held out. Times are microseconds per row, epoch and
target.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd
from rich.console import Console

from benchmarks.common.parts import run_part
from benchmarks.machine import runner


def main(arguments: list[str] | None = None) -> None:
    """Print a line for each network, instruction set and number of threads."""
    if run_part("machine", arguments, ("peers", "limits", "suite", "cost")):
        return
    options = _parser().parse_args(arguments)
    with Console(stderr=True).status("") as status:
        found = runner.measure(
            options.network,
            n_threads=options.threads,
            n_targets=4 if options.quick else None,
            repeats=1 if options.quick else options.repeats,
            report=status.update,
        )
    _require_identical(found)
    if options.json:
        print(json.dumps([_with_microseconds(one) for one in found], indent=2))
        return
    lines = {
        "network": [one.network for one in found],
        "instructions": [one.level for one in found],
        "targets": [one.n_targets for one in found],
        "threads": [one.n_threads for one in found],
        "µs": [f"{one.microseconds:.3f}" for one in found],
        "processor µs": [f"{one.processor_microseconds:.3f}" for one in found],
        "accuracy": [f"{one.accuracy:.4f}" for one in found],
    }
    print(pd.DataFrame(lines).to_string(index=False))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks machine",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--network", nargs="+", default=runner.NETWORKS, help="which; default: the paper's")
    add("--threads", nargs="+", type=int, default=[1, 2], help="how many; default: 1 and 2")
    add("--repeats", type=int, default=3, help="passes, of which the fastest counts")
    add("--quick", action="store_true", help="four targets of each network, one repeat")
    add("--json", action="store_true", help="print JSON, for another program to read")
    return parser


def _with_microseconds(one: runner.Measure) -> dict[str, object]:
    return asdict(one) | {
        "microseconds": one.microseconds,
        "processor_microseconds": one.processor_microseconds,
    }


def _require_identical(found: Sequence[runner.Measure]) -> None:
    """Refuse figures of machines that differ where they must not."""
    for network in {one.network for one in found}:
        if len({one.digest for one in found if one.network == network}) > 1:
            raise RuntimeError(
                f"the machines of {network} differ between instruction sets or numbers of threads"
            )


if __name__ == "__main__":
    main()
