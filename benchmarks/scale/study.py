"""Time and memory against rows, columns and workers, beside reading only.

    python -m benchmarks scale rows --delete
    python -m benchmarks scale rows --size 1000000 10000000 --threads 2 -o two-threads
    python -m benchmarks scale variables --size 10000 --rows 1000000
    python -m benchmarks scale passes --threads 2 --workers 1 2 3
    python -m benchmarks scale sample --network insurance --rows 300000
    python -m benchmarks scale update --rows 20000000 --files 20
    python -m benchmarks scale report benchmarks/scale/results
    python -m benchmarks scale peers rows RESULTS --size 10000      (other programs)
    python -m benchmarks scale numbers --rows 10000000              (columns of numbers)

Each part adds to a CSV file as it goes, and what the file has is not measured again; ``report``
makes tables and pictures.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.common.parts import run_part
from benchmarks.scale import runner
from benchmarks.scale.costs import pass_ratios, read_studies
from benchmarks.scale.measure import Measure
from benchmarks.scale.report import write_report
from bnsieve.engine import Progress, watched

_MILLION = 10**6


def main(arguments: list[str] | None = None) -> None:
    """Run one part of the study."""
    if run_part("scale", arguments, ("peers", "numbers")):
        return
    options = _parser().parse_args(arguments)
    options.run(options)


def rows(options: argparse.Namespace) -> None:
    """Learn from more and more rows, beside reading them only; each in a process of its own."""
    jobs = runner.row_jobs(
        options.network, options.size, options.files, options.threads, options.repeats
    )
    output = options.output / "rows.csv"
    _show(runner.learn_all(jobs, options.folder, output, delete=options.delete))


def variables(options: argparse.Namespace) -> None:
    """Learn from more and more columns, of random sparse networks; in a process of its own."""
    jobs = runner.variable_jobs(options.size, options.rows, options.threads, options.repeats)
    output = options.output / "variables.csv"
    _show(runner.learn_all(jobs, options.folder, output, delete=options.delete))


def passes(options: argparse.Namespace) -> None:
    """Time both passes beside reading only; all engines take turns. Prints medians of ratios."""
    engines = [("local", n) for n in options.threads] + [("ray", n) for n in options.workers]
    jobs = runner.pass_jobs(options.network, options.rows, options.files, engines, options.repeats)
    _show(runner.time_passes(jobs, options.folder, options.output / "passes.csv"))
    _print_ratios(options.output)


def sample(options: argparse.Namespace) -> None:
    """Learn from the same rows with samples of several sizes."""
    jobs = runner.sample_jobs(
        options.network, options.rows, options.files, options.size, options.repeats
    )
    _show(runner.learn_all(jobs, options.folder, options.output / "sample.csv"))


def update(options: argparse.Namespace) -> None:
    """Add a tenth of the rows to the others, beside counting them all; the counts are compared."""
    chosen = (options.network, options.rows, options.files, options.repeats)
    _show(runner.time_updates(*chosen, options.folder, options.output / "update.csv"))


def report(options: argparse.Namespace) -> None:
    """Write README.md and pictures from the CSV files of a folder; measures nothing."""
    for path in write_report(options.results):
        print(path)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks scale",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="PART")
    sizes = "rows, columns or rows of the sample, by part"

    def command(
        run: Callable[[argparse.Namespace], None], repeats: int
    ) -> Callable[..., argparse.Action]:
        about = (run.__doc__ or "").strip()
        part = commands.add_parser(run.__name__, help=about, description=about)
        part.set_defaults(run=run)
        add = part.add_argument
        add("--repeats", type=int, default=repeats, help="how often")
        add("--folder", type=Path, default=Path("rows"), help="where rows are written")
        add("--output", "-o", type=Path, default=Path("scale"), help="folder of the results")
        return add

    add = command(rows, repeats=3)
    add("--size", nargs="+", type=int, default=[10**n for n in range(4, 9)], help=sizes)
    add("--network", default="alarm")
    add("--files", type=int, default=8, help="at most so many")
    add("--threads", type=int, default=1)
    add("--delete", action="store_true", help="delete rows once they are done with")
    add = command(variables, repeats=1)
    add("--size", nargs="+", type=int, default=[100, 300, 1_000, 3_000, 10_000], help=sizes)
    add("--rows", type=int, default=5_000)
    add("--threads", type=int, default=1)
    add("--delete", action="store_true", help="delete rows once they are done with")
    add = command(passes, repeats=3)
    add("--threads", nargs="+", type=int, default=[1, 2])
    add("--workers", nargs="+", type=int, default=[], help="of a Ray cluster on this machine")
    add("--network", default="alarm")
    add("--rows", type=int, default=20 * _MILLION)
    add("--files", type=int, default=8, help="at most so many")
    add = command(sample, repeats=3)
    add("--size", nargs="+", type=int, default=[2_500, 5_000, 10_000, 20_000, 40_000], help=sizes)
    add("--network", default="alarm")
    add("--rows", type=int, default=_MILLION)
    add("--files", type=int, default=8, help="at most so many")
    add = command(update, repeats=3)
    add("--network", default="alarm")
    add("--rows", type=int, default=20 * _MILLION)
    add("--files", type=int, default=20, help="of which a tenth is new")
    about = (report.__doc__ or "").strip()
    part = commands.add_parser("report", help=about, description=about)
    part.set_defaults(run=report)
    part.add_argument("results", type=Path, help="folder of the results, where it is written")
    return parser


def _show(measures: Iterator[Measure]) -> None:
    """Print measures as they come; meanwhile, on a terminal, what is being done."""
    shown = _stage if sys.stderr.isatty() else None
    with watched(shown):
        for one in measures:
            if shown:
                _stage(Progress(""))
            print(_line(one), flush=True)


def _stage(progress: Progress) -> None:
    print(f"\r\x1b[K{progress.stage} {progress.text}", file=sys.stderr, end="", flush=True)


def _line(one: Measure) -> str:
    return (
        f"{one.what}, {one.network}, {one.rows:,} rows x {one.columns:,}, {one.engine} "
        f"{one.workers}, repeat {one.repeat}: {one.seconds:.2f} s, processor "
        f"{one.processor_seconds:.2f} s, peak {one.peak_mb:.0f} MB, F1 {one.f1:.3f}"
    )


def _print_ratios(output: Path) -> None:
    table = pass_ratios(read_studies(output)["passes"])
    titles = {
        "reading": "reading s",
        "first_ratio": "1st pass",
        "second_ratio": "2nd pass",
        "second_processor": "processor",
        "to_threads": "to threads",
    }
    shown = table[list(titles)].rename(columns=titles).reset_index()
    print(shown.to_string(index=False, float_format="{:.2f}".format))


if __name__ == "__main__":
    main()
