"""Many rows, many columns: what learning and its two passes cost, beside reading alone.

In: what to measure, a place for files of rows, a CSV file of results. Out: `Measure` records,
written as they come. What the file of results has already is not measured again, so that an
interrupted study goes on where it stopped. Every ratio that the documentation states is one of two
records of one run.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import runs
from benchmarks.common.clock import timed
from benchmarks.scale.child import in_child, read_only
from benchmarks.scale.measure import Job, Measure, measure
from benchmarks.scale.rows import GROUP_ROWS, delete_rows, folder_of, write_rows
from bnsieve.engine import Engine, announce, open_engine, watched
from bnsieve.exchange import load_network
from bnsieve.learners import TsetlinSieve

PASSES = ("reading", "first pass", "second pass")
SAMPLE_ROWS = 10_000


def row_jobs(
    network: str, sizes: Sequence[int], files: int, workers: int, repeats: int
) -> list[Job]:
    """Return the study of rows: reading alone and learning, in turns, at each size."""
    columns = load_network(network).graph.n_nodes
    return [
        Job(what, network, rows, columns, n_files(rows, files), "local", workers, SAMPLE_ROWS, k)
        for rows in sizes
        for k in range(repeats)
        for what in ("reading", "learning")
    ]


def variable_jobs(sizes: Sequence[int], rows: int, workers: int, repeats: int) -> list[Job]:
    """Return the study of variables: the same on random sparse networks, one to a repeat."""
    return [
        Job(what, "random", rows, columns, 1, "local", workers, SAMPLE_ROWS, k)
        for columns in sizes
        for k in range(repeats)
        for what in ("reading", "learning")
    ]


def sample_jobs(
    network: str, rows: int, files: int, sizes: Sequence[int], repeats: int
) -> list[Job]:
    """Return the study of samples: learning from the same files with samples of each size."""
    columns = load_network(network).graph.n_nodes
    return [
        Job("learning", network, rows, columns, n_files(rows, files), "local", 1, size, k)
        for size in sizes
        for k in range(repeats)
    ]


def pass_jobs(
    network: str, rows: int, files: int, engines: Sequence[tuple[str, int]], repeats: int
) -> list[Job]:
    """Return the study of the passes: engines take turns, and within each the passes do."""
    columns = load_network(network).graph.n_nodes
    return [
        Job(what, network, rows, columns, n_files(rows, files), engine, workers, SAMPLE_ROWS, k)
        for k in range(repeats)
        for engine, workers in engines
        for what in PASSES
    ]


def n_files(rows: int, files: int) -> int:
    """Return in how many files to write rows: few rows are not spread."""
    return max(1, min(files, rows // GROUP_ROWS))


def learn_all(
    jobs: Sequence[Job], place: Path, output: Path, *, delete: bool = False
) -> Iterator[Measure]:
    """Learn or read, each job in a process of its own; write its rows just before.

    Parameters
    ----------
    jobs : sequence of Job
        Those on the same rows follow each other.
    place : Path
        Where rows are written.
    output : Path
        A CSV file to add to.
    delete : bool
        Whether to delete rows once all their jobs are done.
    """
    for folder, own in groupby(jobs, key=lambda job: folder_of(job, place)):
        same = list(own)
        left = runs.left(same, output)
        if left:
            write_rows(left[0], place)
        yield from runs.perform_all(_announced(left), output, partial(in_child, folder=folder))
        if delete:
            delete_rows([folder])


def time_passes(jobs: Sequence[Job], place: Path, output: Path) -> Iterator[Measure]:
    """Time reading alone, the first pass and the second on the same rows, in turns.

    The tables counted are those that a learner asked for when it learned from these files.
    """
    from bnsieve.rows.file_rows import scan_all, tally_all
    from bnsieve.rows.opening import open_source
    from bnsieve.rows.parquet import ParquetSource

    left = runs.left(jobs, output)
    if not left:
        return
    folder = write_rows(left[0], place)
    learner = TsetlinSieve(random_state=0).fit(folder)
    result: Any = learner.fit_result_
    plan = result.counted.tables[0].plan
    detail = {"columns of a table": float(np.mean([len(table) for table in plan.tables]))}
    with open_source(folder) as source:

        def work(what: str, engine: Engine, rows: ParquetSource) -> None:
            if what == "reading":
                read_only(rows, engine)
            elif what == "first pass":
                scan_all(rows, SAMPLE_ROWS, 0, engine)
            else:
                tally_all(rows, plan, engine)

        def perform(job: Job, engine: Engine) -> Measure:
            with timed() as spent:
                work(job.what, engine, source)
            return measure(job, spent, detail)

        for (name, workers), own in groupby(left, key=lambda job: (job.engine, job.workers)):
            with open_engine(name, workers) as engine:
                for what in PASSES:  # workers start, import and find the files: not what counts
                    work(what, engine, replace(source, files=source.files[:1]))
                same = _announced(list(own))
                yield from runs.perform_all(same, output, partial(perform, engine=engine))


def _announced(jobs: Sequence[Job]) -> Iterator[Job]:
    """Pass jobs on, and say which; what they do themselves is not heard, for it is timed."""
    for job in jobs:
        announce(f"{job.what} {job.rows:,} x {job.columns:,}, {job.engine} {job.workers}")
        with watched(None):
            yield job


def time_updates(
    network: str, rows: int, files: int, repeats: int, place: Path, output: Path
) -> Iterator[Measure]:
    """Time counts of the last tenth of the files added to those before, and of all files at once.

    Both give the same tables, which is checked.
    """
    from bnsieve.learners.update import add_rows
    from bnsieve.rows.file_rows import tally_all
    from bnsieve.rows.opening import open_source

    columns = load_network(network).graph.n_nodes
    first = Job("second pass", network, rows, columns, files, "local", 1, SAMPLE_ROWS, 0)
    whats = ("second pass", "update", "update and decide")
    wanted = [replace(first, what=what, repeat=k) for k in range(repeats) for what in whats]
    left = runs.left(wanted, output)
    if not left:
        return
    paths = sorted(write_rows(first, place).glob("*.parquet"))
    n_new = max(1, len(paths) // 10)
    detail = {"files": float(len(paths)), "new": float(n_new)}
    before = TsetlinSieve(random_state=0).fit(paths[:-n_new])
    counted: Any = before.fit_result_.counted
    found: dict[str, Any] = {}

    def perform(job: Job) -> Measure:
        if job.what == "update and decide":
            learner = deepcopy(before)
            with timed() as spent:
                learner.update(paths[-n_new:])
            return measure(job, spent, {**detail, **learner.timings_})
        with open_engine("local", 1) as engine, open_source(paths) as source, timed() as spent:
            if job.what == "second pass":
                found["all"] = tally_all(source, counted.tables[0].plan, engine)
            else:
                both, _ = add_rows(paths[-n_new:], counted, before.sample_rows, engine)
                found["added"] = both.tables[0]
        if len(found) == 2 and found["all"].joints != found["added"].joints:
            raise RuntimeError("updated counts are not those of all rows")
        return measure(job, spent, detail)

    yield from runs.perform_all(_announced(left), output, perform)
