"""``bnsieve bench``: what the documentation states, measured on this machine."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console

from bnsieve.bench import machine as machine_bench
from bnsieve.cli.app import AsJson, OneLineErrors, examples, print_grid, print_json

bench = typer.Typer(
    cls=OneLineErrors, no_args_is_help=True, help="Measure speed and accuracy on this machine."
)


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    app.add_typer(bench, name="bench")


@bench.command(
    epilog=examples(
        "bnsieve bench machine",
        "bnsieve bench machine --quick",
        "bnsieve bench machine --network alarm --repeats 10 --json",
    )
)
def machine(
    network: Annotated[
        list[str] | None,
        typer.Option("--network", help="Which network; may be repeated. Default: the paper's."),
    ] = None,
    threads: Annotated[
        list[int] | None,
        typer.Option("--threads", min=1, help="How many threads; may be repeated. Default: 1, 2."),
    ] = None,
    repeats: Annotated[
        int, typer.Option("--repeats", min=1, help="Passes, of which the fastest counts.")
    ] = 3,
    quick: Annotated[
        bool, typer.Option("--quick", help="Four targets of each network, one repeat.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Time the Tsetlin machine at each instruction set of this processor.

    Each variable of a network is learned from the others: 4,000 rows, 50 clauses per class,
    T = 50, s = 5, 10 epochs; accuracy is on 1,000 rows held out. Times are microseconds per row,
    epoch and target.
    """
    console = Console(stderr=True)
    with console.status("") as status:
        found = machine_bench.measure(
            network or machine_bench.NETWORKS,
            n_threads=threads or (1, 2),
            n_targets=4 if quick else None,
            repeats=1 if quick else repeats,
            report=status.update,
        )
    _require_identical(found)
    if as_json:
        print_json(
            [
                asdict(one)
                | {
                    "microseconds": one.microseconds,
                    "processor_microseconds": one.processor_microseconds,
                }
                for one in found
            ]
        )
        return
    headers = ["network", "instructions", "targets", "threads", "µs", "processor µs", "accuracy"]
    rows = [
        [
            one.network,
            one.level,
            str(one.n_targets),
            str(one.n_threads),
            f"{one.microseconds:.3f}",
            f"{one.processor_microseconds:.3f}",
            f"{one.accuracy:.4f}",
        ]
        for one in found
    ]
    print_grid(headers, rows, numbers_from=2)


def _require_identical(found: list[machine_bench.Measure]) -> None:
    """Refuse figures of machines that differ where they must not."""
    for network in {one.network for one in found}:
        if len({one.digest for one in found if one.network == network}) > 1:
            raise RuntimeError(
                f"the machines of {network} differ between instruction sets or numbers of threads"
            )
