"""Many rows, many columns: what the two passes cost, beside reading alone.

In: a network, a number of rows, a folder for the files. Out: `Measure` records, one per thing
measured and repeat. Every ratio that the documentation states is one of two records of one run.
"""

import csv
import json
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bnsieve.catalogue import load_network
from bnsieve.engine.choice import open_engine
from bnsieve.engine.local import Engine, Tell
from bnsieve.graph import Graph
from bnsieve.learners.tsetlin_sieve import TsetlinSieve
from bnsieve.metrics import compare
from bnsieve.network import BayesianNetwork

_GROUP_ROWS = 1 << 18
SEED = 11


@dataclass(frozen=True)
class Job:
    """What is measured: on which rows, by which engine, for which time."""

    what: str
    network: str
    rows: int
    columns: int
    engine: str
    workers: int
    repeat: int


@dataclass
class Spent:
    """What it took.

    Attributes
    ----------
    seconds : float
        By the clock.
    processor_seconds : float
        Of all threads of this process; other processes' work does not count.
    peak_mb : float
        By how much the most memory that this process ever had went up.
    """

    seconds: float = 0.0
    processor_seconds: float = 0.0
    peak_mb: float = 0.0


@dataclass(frozen=True)
class Measure(Job):
    """One measurement.

    Attributes
    ----------
    seconds, processor_seconds, peak_mb : float
        See `Spent`.
    f1 : float
        Of the skeleton, where one was learned; NaN otherwise.
    detail : str
        More, as JSON.
    """

    seconds: float
    processor_seconds: float
    peak_mb: float
    f1: float
    detail: str


def record(path: Path, measures: Iterator[Measure]) -> Iterator[Measure]:
    """Append measures to a CSV file as they come, and pass them on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names = [field.name for field in fields(Measure)]
    fresh = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        if fresh:
            writer.writeheader()
        for one in measures:
            writer.writerow(asdict(one))
            file.flush()
            yield one


def parquet_rows(network: BayesianNetwork, n_rows: int, n_files: int, folder: Path) -> Path:
    """Write rows of a network to a folder of Parquet files, unless they are there."""
    import pyarrow as pa
    from pyarrow import parquet

    folder.mkdir(parents=True, exist_ok=True)
    for number in range(n_files):
        first, last = (n_rows * k // n_files for k in (number, number + 1))
        path = folder / f"part{number:03}.parquet"
        if path.exists():
            continue
        partial = path.with_suffix(".part")
        writer = None
        for start in range(first, last, _GROUP_ROWS):
            frame = network.sample(min(_GROUP_ROWS, last - start), SEED, first_row=start)
            table = pa.Table.from_pandas(frame, preserve_index=False)
            writer = writer or parquet.ParquetWriter(partial, table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()
            partial.rename(path)
    return folder


def measure_passes(
    name: str, n_rows: int, folder: Path, engines: Sequence[tuple[str, int]], repeats: int
) -> Iterator[Measure]:
    """Time reading alone, the first pass and the second, in turns, engine by engine.

    The tables counted are those that a learner asked for when it learned from these files.
    """
    from bnsieve.learners.whole import scan_all, tally_all
    from bnsieve.source.opening import open_source

    learner = TsetlinSieve(random_state=0).fit(folder)
    plan = learner.counted_.tables[0].plan
    detail = {"columns of a table": float(np.mean([len(table) for table in plan.tables]))}
    columns = load_network(name).graph.n_nodes
    with open_source(folder) as source:
        for engine_name, workers in engines:
            with open_engine(engine_name, workers) as engine:
                work: dict[str, Callable[[], Any]] = {
                    "reading": partial(read_only, source, engine),
                    "first pass": partial(scan_all, source, 10_000, 0, engine),
                    "second pass": partial(tally_all, source, plan, engine),
                }
                for repeat in range(repeats):
                    for what, do in work.items():
                        with _timed() as spent:
                            do()
                        job = Job(what, name, n_rows, columns, engine_name, workers, repeat)
                        yield _measure(job, spent, detail)


def read_only(source: Any, engine: Engine) -> int:
    """Read all columns of all rows with pyarrow alone, and count the rows."""
    from bnsieve.learners.whole import split

    paths, names = [file.path for file in source.files], list(source.names)

    def work(part: Sequence[Any], tell: Tell) -> int:
        import pyarrow.parquet as pq

        n_rows = 0
        for path in sorted({paths[chunk.file] for chunk in part}):
            groups = [chunk.group for chunk in part if paths[chunk.file] == path]
            with pq.ParquetFile(path, read_dictionary=names, pre_buffer=False) as file:
                batches = file.iter_batches(_GROUP_ROWS, row_groups=groups, use_threads=False)
                n_rows += sum(batch.num_rows for batch in batches)
        return n_rows

    return engine.fold(work, split(source.chunks, engine.n_parts), int.__add__, lambda more: None)


def measure_learning(
    name: str, n_rows: int, folder: Path, engines: Sequence[tuple[str, int]], repeats: int
) -> Iterator[Measure]:
    """Learn from files; the detail has the seconds of each stage."""
    truth = load_network(name).graph
    for engine_name, workers in engines:
        for repeat in range(repeats):
            learner = TsetlinSieve(random_state=repeat, engine=engine_name, n_jobs=workers)
            with _timed() as spent:
                learner.fit(folder)
            configurations = [len(t.keys) for t in learner.counted_.tables[0].counted]
            detail = {
                **learner.timings_,
                "configurations": float(np.mean(configurations)),
                "trimmed": len(learner.trimmed_),
            }
            job = Job("learning", name, n_rows, truth.n_nodes, engine_name, workers, repeat)
            yield _measure(job, spent, detail, compare(learner.graph_, truth).f1)


def measure_sample(
    name: str, n_rows: int, folder: Path, sizes: Sequence[int], repeats: int
) -> Iterator[Measure]:
    """Learn from the same files with samples of several sizes."""
    truth = load_network(name).graph
    for size in sizes:
        for repeat in range(repeats):
            learner = TsetlinSieve(random_state=repeat, sample_rows=size)
            with _timed() as spent:
                learner.fit(folder)
            job = Job(f"sample {size}", name, n_rows, truth.n_nodes, "local", 1, repeat)
            yield _measure(job, spent, learner.timings_, compare(learner.graph_, truth).f1)


def measure_update(name: str, n_rows: int, folder: Path, repeats: int) -> Iterator[Measure]:
    """Time counts of the last tenth of the files added to those before, and of all files at once.

    Both give the same tables, which is checked.
    """
    from bnsieve.learners.update import add_rows
    from bnsieve.learners.whole import tally_all
    from bnsieve.source.opening import open_source

    paths = sorted(folder.glob("*.parquet"))
    n_new = max(1, len(paths) // 10)
    columns = load_network(name).graph.n_nodes
    learner = TsetlinSieve(random_state=0).fit(paths[:-n_new])
    before = learner.counted_
    detail = {"files": len(paths), "new": n_new}
    with open_source(paths) as source, open_engine("local", 1) as engine:
        for repeat in range(repeats):
            with _timed() as spent:
                whole = tally_all(source, before.tables[0].plan, engine)
            job = Job("second pass", name, n_rows, columns, "local", 1, repeat)
            yield _measure(job, spent, detail)
            with _timed() as spent:
                both, _ = add_rows(paths[-n_new:], before, learner.sample_rows, engine)
            yield _measure(replace(job, what="update"), spent, detail)
            if any(a != b for a, b in zip(both.tables[0].joints, whole.joints, strict=True)):
                raise RuntimeError("updated counts are not those of all rows")
    with _timed() as spent:
        learner.update(paths[-n_new:])
    yield _measure(replace(job, what="update and decide"), spent, learner.timings_)


def measure_wide(n_variables: int, n_rows: int, workers: int, repeats: int) -> Iterator[Measure]:
    """Learn from rows in memory of a random sparse network of many variables."""
    for repeat in range(repeats):
        network = random_network(n_variables, repeat)
        frame = network.sample(n_rows, random_state=repeat)
        learner = TsetlinSieve(random_state=repeat, n_jobs=workers)
        with _timed() as spent:
            learner.fit(frame)
        name = f"random {n_variables}"
        job = Job("wide", name, n_rows, n_variables, "local", workers, repeat)
        yield _measure(job, spent, learner.timings_, compare(learner.graph_, network.graph).f1)


def random_network(n_variables: int, seed: int) -> BayesianNetwork:
    """Return a random sparse network: up to three parents each, two to four levels.

    Parents are among the hundred variables before, so that no variable has very many children.
    """
    rng = np.random.default_rng(seed)
    names = [f"v{i:05}" for i in range(n_variables)]
    n_levels = rng.integers(2, 5, n_variables)
    arrows, tables, parents_of = [], {}, {}
    for i, name in enumerate(names):
        near = np.arange(max(0, i - 100), i)
        n_parents = min(len(near), int(rng.integers(0, 4)))
        parents = sorted(rng.permutation(near)[:n_parents].tolist())
        parents_of[name] = [names[p] for p in parents]
        arrows += [(names[p], name) for p in parents]
        shape = tuple(int(n_levels[p]) for p in parents)
        tables[name] = rng.dirichlet(np.full(n_levels[i], 0.5), shape)
    levels = {name: [f"l{k}" for k in range(n)] for name, n in zip(names, n_levels, strict=True)}
    return BayesianNetwork(Graph(names, directed=arrows), levels, tables, parents_of)


def _measure(
    job: Job, spent: Spent, detail: Mapping[str, float], f1: float = float("nan")
) -> Measure:
    return Measure(**asdict(job), **asdict(spent), f1=f1, detail=json.dumps(dict(detail)))


@contextmanager
def _timed() -> Iterator[Spent]:
    """Give a record that says, after the block, what it took."""
    spent = Spent()
    memory, clock, processor = _peak_mb(), time.perf_counter(), time.process_time()
    yield spent
    spent.seconds = time.perf_counter() - clock
    spent.processor_seconds = time.process_time() - processor
    spent.peak_mb = _peak_mb() - memory


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
