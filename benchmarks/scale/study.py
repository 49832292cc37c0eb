"""Time and memory against rows and columns, beside reading only.

    python -m benchmarks scale rows --delete
    python -m benchmarks scale rows --size 1000000 10000000 --threads 2 -o two-threads
    python -m benchmarks scale variables --size 10000 --rows 1000000
    python -m benchmarks scale numbers --rows 10000000              (columns of numbers)

Each job runs in a process of its own. Each part adds to a CSV file as it goes, and what the file
has is not measured again; the tables of all that a folder has are in its ``report.md``.
"""

import argparse
import json
from functools import partial
from itertools import groupby
from pathlib import Path

import pandas as pd

from benchmarks.common import pages, runs
from benchmarks.common.parts import run_part
from benchmarks.scale.child import in_child
from benchmarks.scale.measure import Job
from benchmarks.scale.rows import GROUP_ROWS, delete_rows, folder_of, write_rows
from bnsieve.exchange import load_network

SAMPLE_ROWS = 10_000


def row_jobs(
    network: str, sizes: list[int], max_files: int, workers: int, repeats: int
) -> list[Job]:
    """Return the study of rows: reading alone and learning, in turns, at each size."""
    columns = load_network(network).graph.n_nodes
    return [
        Job(what, network, rows, columns, files, "local", workers, SAMPLE_ROWS, repeat)
        for rows in sizes
        for files in [max(1, min(max_files, rows // GROUP_ROWS))]
        for repeat in range(repeats)
        for what in ("reading", "learning")
    ]


def variable_jobs(sizes: list[int], rows: int, workers: int, repeats: int) -> list[Job]:
    """Return the study of variables: the same on random sparse networks, one to a repeat."""
    return [
        Job(what, "random", rows, columns, 1, "local", workers, SAMPLE_ROWS, repeat)
        for columns in sizes
        for repeat in range(repeats)
        for what in ("reading", "learning")
    ]


def measure_all(jobs: list[Job], place: Path, output: Path, *, delete: bool) -> None:
    """Learn or read, each job in a process of its own; write its rows just before.

    Parameters
    ----------
    jobs : list of Job
        Those on the same rows follow each other.
    place : Path
        Where rows are written.
    output : Path
        A CSV file to add to.
    delete : bool
        Whether to delete rows once all their jobs are done.
    """
    for folder, own in groupby(jobs, key=lambda job: folder_of(job, place)):
        left = runs.left(list(own), output)
        if left:
            write_rows(left[0], place)
        for one in runs.perform_all(left, output, partial(in_child, folder=folder)):
            print(
                f"{one.what}, {one.network}, {one.rows:,} rows x {one.columns:,}: "
                f"{one.seconds:.2f} s, processor {one.processor_seconds:.2f} s, "
                f"peak {one.peak_mb:.0f} MB, F1 {one.f1:.3f}",
                flush=True,
            )
        if delete:
            delete_rows([folder])


def report(study: pd.DataFrame, by: str) -> list[str]:
    """Return a table: one line per size, medians of the repeats, F1 on average."""
    learning = study[study["what"] == "learning"]
    details = pd.DataFrame([json.loads(text) for text in learning["detail"]], learning.index)
    stages = details.groupby(learning[by]).median()
    medians = learning.groupby(by)[["seconds", "processor_seconds", "peak_mb", "f1"]].median()
    medians["reading only"] = study[study["what"] == "reading"].groupby(by)["seconds"].median()
    medians = medians.join(stages).rename_axis("size").reset_index()
    shown = [str(name) for name in stages if name not in ("bytes", "trimmed")]
    times = ["reading only", "seconds", "processor_seconds", *shown]
    rows = [
        [
            f"{line['size']:,.0f}",
            *(f"{line[name]:,.2f}" for name in times),
            f"{line['peak_mb']:,.0f}",
            f"{line['f1']:.3f}",
        ]
        for line in medians.to_dict("records")
    ]
    titles = [by, "reading only s", "learning s", "processor s", *shown, "peak MB", "F1"]
    return pages.table(titles, rows)


def write_report(folder: Path) -> None:
    """Write the tables of the CSV files of a folder."""
    lines = ["# Time and memory", ""]
    for name, by in (("rows", "rows"), ("variables", "columns")):
        path = folder / f"{name}.csv"
        if path.exists():
            lines += [f"## {name.capitalize()}", "", *report(pd.read_csv(path), by), ""]
    pages.write(folder / "report.md", lines)


def main(arguments: list[str] | None = None) -> None:
    """Run one part of the study."""
    if run_part("scale", arguments, ("numbers",)):
        return
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks scale",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("part", choices=["rows", "variables"])
    add("--size", nargs="+", type=int, help="rows, or columns")
    add("--rows", type=int, default=5_000, help="in the study of variables")
    add("--network", default="alarm", help="in the study of rows")
    add("--files", type=int, default=8, help="at most so many")
    add("--threads", type=int, default=1)
    add("--repeats", type=int, default=3)
    add("--delete", action="store_true", help="delete rows once they are done with")
    add("--folder", type=Path, default=Path("rows"), help="where rows are written")
    add("--output", "-o", type=Path, default=Path("scale"), help="folder of the results")
    asked = parser.parse_args(arguments)
    if asked.part == "rows":
        sizes = asked.size or [10**n for n in range(4, 9)]
        jobs = row_jobs(asked.network, sizes, asked.files, asked.threads, asked.repeats)
    else:
        sizes = asked.size or [100, 300, 1_000, 3_000, 10_000]
        jobs = variable_jobs(sizes, asked.rows, asked.threads, asked.repeats)
    path = asked.output / f"{asked.part}.csv"
    measure_all(jobs, asked.folder, path, delete=asked.delete)
    write_report(asked.output)


if __name__ == "__main__":
    main()
