"""Run other programs on the rows of the study of scale, each in an environment of its own.

    python -m benchmarks scale peers rows RESULTS --size 10000 100000 1000000 --pyagrum PYTHON
    python -m benchmarks scale peers variables RESULTS --size 100 1000 --pyagrum PYTHON
    python -m benchmarks scale peers counting RESULTS --size 20000000 --duckdb PYTHON

PYTHON is the interpreter of an environment that has the program; bnlearn runs where there is an
Rscript that has it (R_LIBS says where else to look). All programs and bnsieve take turns on the
same rows, one thread, each run a process of its own that is ended after LIMIT processor seconds. A
program that did not come to its end is not run on more. Lines are added to RESULTS/peers.csv as
runs end, and what it has is not run again; ``python -m benchmarks scale report RESULTS`` reads it.
"""

import argparse
import csv
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow.csv
import pyarrow.dataset

from benchmarks.common import runs
from benchmarks.common.environments import has_bnlearn
from benchmarks.common.limited import limited
from benchmarks.scale.child import in_child
from benchmarks.scale.measure import Job
from benchmarks.scale.rows import delete_rows, folder_of, network_of, write_rows
from benchmarks.scale.runner import SAMPLE_ROWS, n_files
from bnsieve import Graph, TsetlinSieve, load_network
from bnsieve.metrics import compare

HERE = Path(__file__).parent
# Scripts must not take modules of this folder, such as `numbers`, for Python's own.
ALONE = ["-P"]
BNLEARN = HERE.parent / "common" / "bnlearn.R"
LEARNERS = ["pyagrum GHC", "bnlearn hc"]
# Up to so many rows, columns that are constant in them are left out: others refuse them.
MAX_LOOKED_AT = 100_000
NAN = float("nan")


@dataclass(frozen=True)
class PeerJob:
    """Who does what on which rows."""

    tool: str
    task: str
    network: str
    rows: int
    columns: int
    repeat: int


@dataclass(frozen=True)
class PeerOutcome(PeerJob):
    """What it took, loading apart, and how it ended: "done", or why not."""

    version: str
    loading_seconds: float
    seconds: float
    processor_seconds: float
    f1: float
    configurations: int
    status: str
    date: str


Run = Callable[[PeerJob], dict[str, Any]]


def write_csv(folder: Path, n_rows: int, path: Path) -> None:
    """Write a folder of Parquet files to one CSV file, without constant columns if rows are few."""
    dataset = pyarrow.dataset.dataset(folder, format="parquet")
    names = dataset.schema.names
    if n_rows <= MAX_LOOKED_AT:
        table = dataset.to_table()
        names = [name for name in names if len(table.column(name).unique()) > 1]
    batches = dataset.to_batches(columns=names, use_threads=False)
    text = pyarrow.schema([(name, pyarrow.string()) for name in names])
    with pyarrow.csv.CSVWriter(path, text) as writer:
        for batch in batches:
            writer.write(pyarrow.Table.from_batches([batch]).cast(text))


def learn(job: PeerJob, path: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Run a learner on a CSV file; return what it says, with arrows and edges by name."""
    tool, algorithm = job.tool.split()
    if tool == "pyagrum":
        command = [
            str(options.pyagrum),
            *ALONE,
            str(HERE / "pyagrum_worker.py"),
            str(path),
            algorithm,
        ]
        found: dict[str, Any] = json.loads(limited(command, options.limit).splitlines()[-1])
        return found
    command = [options.rscript, str(BNLEARN), str(path), algorithm, ""]
    first, *lines = limited(command, options.limit).strip().splitlines()
    version, seconds, processor, _ = first.split()
    with path.open(encoding="utf-8") as file:
        names = [name.strip('"') for name in file.readline().strip().split(",")]
    numbers = (map(int, line.split()) for line in lines)
    arcs = {(names[a], names[b]) for a, b in numbers}
    return {
        "version": version,
        "seconds": float(seconds),
        "processor_seconds": float(processor),
        "arrows": [(a, b) for a, b in arcs if (b, a) not in arcs],
        "edges": [(a, b) for a, b in arcs if (b, a) in arcs and a < b],
    }


@contextmanager
def learning(rows_job: Job, options: argparse.Namespace) -> Iterator[Run]:
    """Give a function that learns from the rows of a job."""
    folder = write_rows(rows_job, options.folder)
    truth = network_of(rows_job).graph
    with tempfile.TemporaryDirectory(dir=options.folder) as place:
        path = Path(place) / "rows.csv"

        def run(job: PeerJob) -> dict[str, Any]:
            if job.tool == "bnsieve":
                return asdict(in_child(rows_job, folder))
            if not path.exists():
                write_csv(folder, job.rows, path)
            found = learn(job, path, options)
            graph = Graph(truth.nodes, found["arrows"], found["edges"])
            return found | {"f1": compare(truth, graph).f1}

        yield run


@contextmanager
def counting(rows_job: Job, options: argparse.Namespace) -> Iterator[Run]:
    """Give a function that counts the tables that a learner asks for; all must agree."""
    folder = write_rows(rows_job, options.folder)
    result: Any = TsetlinSieve(random_state=0).fit(folder).fit_result_
    tables = result.counted.tables[0]
    names = tables.plan.names
    sets = [[names[v] for v in joint.variables] for joint in tables.joints]
    expected = sum(len(table.keys) for table in tables.counted)
    programs = {
        "bnsieve": [sys.executable, *ALONE, str(HERE / "our_counts.py")],
        "duckdb": [str(options.duckdb), *ALONE, str(HERE / "duckdb_worker.py")],
    }
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "neighbourhoods.json"
        path.write_text(json.dumps(sets), encoding="utf-8")

        def run(job: PeerJob) -> dict[str, Any]:
            command = [*programs[job.tool], str(folder), str(path), "1"]
            found: dict[str, Any] = json.loads(limited(command, options.limit))
            if found["configurations"] != expected:
                raise RuntimeError(f"{found['configurations']} configurations, not {expected}")
            return found

        yield run


def perform(job: PeerJob, run: Run, limit: int) -> PeerOutcome:
    """Return what a run took, or how it failed."""
    found: dict[str, Any]
    try:
        found = run(job) | {"status": "done"}
    except TimeoutError:
        found = {"status": f"over {limit} s"}
    except (RuntimeError, ValueError) as error:
        found = {"status": f"failed: {error}"[:120]}
    return PeerOutcome(
        **asdict(job),
        version=found.get("version", ""),
        loading_seconds=found.get("loading_seconds", NAN),
        seconds=found.get("seconds", NAN),
        processor_seconds=found.get("processor_seconds", NAN),
        f1=found.get("f1", NAN),
        configurations=found.get("configurations", 0),
        status=found["status"],
        date=f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
    )


def has_failed(job: PeerJob, path: Path) -> bool:
    """Say whether a program did not come to its end before, on as many cells or fewer."""
    if not path.exists():
        return False
    with path.open(newline="", encoding="utf-8") as file:
        return any(
            line["status"] != "done"
            and (line["tool"], line["task"], line["network"]) == (job.tool, job.task, job.network)
            and int(line["rows"]) * int(line["columns"]) <= job.rows * job.columns
            for line in csv.DictReader(file)
        )


def tools_of(options: argparse.Namespace) -> list[str]:
    """Return the programs that there are, bnsieve first."""
    if options.study == "counting":
        return ["bnsieve", *(["duckdb"] if options.duckdb else [])]
    there = set()
    if options.pyagrum:
        there.add("pyagrum")
    if has_bnlearn(options.rscript):
        there.add("bnlearn")
    return ["bnsieve", *(name for name in options.learners if name.split()[0] in there)]


def main(arguments: list[str] | None = None) -> None:
    """Run what is left of what was asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks scale peers", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("study", choices=["rows", "variables", "counting"])
    parser.add_argument("results", type=Path)
    parser.add_argument("--size", type=int, nargs="+", required=True, help="rows, or columns")
    parser.add_argument("--rows", type=int, default=5000, help="rows in the study of variables")
    parser.add_argument("--network", default="alarm")
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--folder", type=Path, default=Path("rows"), help="where rows are written")
    parser.add_argument("--delete", action="store_true", help="delete rows once done with")
    parser.add_argument("--learners", nargs="+", default=LEARNERS, metavar="'TOOL ALGORITHM'")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--limit", type=int, default=600, help="processor seconds for each run")
    parser.add_argument("--pyagrum", type=Path, help="a Python that has pyAgrum")
    parser.add_argument("--duckdb", type=Path, help="a Python that has duckdb")
    parser.add_argument("--rscript", default="Rscript", help="an Rscript that may have bnlearn")
    options = parser.parse_args(arguments)
    path = options.results / "peers.csv"
    options.folder.mkdir(parents=True, exist_ok=True)
    wide = options.study == "variables"
    task, opened = ("counting", counting) if options.study == "counting" else ("learning", learning)
    network = "random" if wide else options.network
    tools = tools_of(options)
    failed = []
    for size, repeat in product(sorted(options.size), range(options.repeats)):
        columns = size if wide else load_network(network).graph.n_nodes
        rows = options.rows if wide else size
        files = 1 if wide else n_files(rows, options.files)
        rows_job = Job("learning", network, rows, columns, files, "local", 1, SAMPLE_ROWS, repeat)
        wanted = [PeerJob(tool, task, network, rows, columns, repeat) for tool in tools]
        left = [job for job in runs.left(wanted, path) if not has_failed(job, path)]
        if left:
            with opened(rows_job, options) as run:
                for job in left:
                    one = perform(job, run, options.limit)
                    runs.append(path, [one])
                    if one.status.startswith("failed"):
                        failed.append(one.tool)
                    print(
                        f"{one.task} {one.rows:,} x {one.columns:,}, repeat {one.repeat}, "
                        f"{one.tool} {one.version}: {one.status}, {one.seconds:.2f} s, processor "
                        f"{one.processor_seconds:.2f} s, F1 {one.f1:.3f}",
                        flush=True,
                    )
        if options.delete and (wide or repeat + 1 == options.repeats):
            delete_rows([folder_of(rows_job, options.folder)])
    if failed:
        sys.exit(f"failed: {', '.join(dict.fromkeys(failed))}")


if __name__ == "__main__":
    main()
