"""The rows that scale is measured on: a network and a number in, Parquet files out.

Rows are drawn in parts, so that any number of them takes little memory, and every row depends on
its number alone: files that an interrupted run has left complete are kept.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from benchmarks.scale.measure import Job
from bnsieve.engine import inner_stage
from bnsieve.exchange import load_network
from bnsieve.graph import Graph
from bnsieve.network import BayesianNetwork

GROUP_ROWS = 1 << 18
# Cells drawn at a time: rows of many columns are drawn fewer at a time.
_GROUP_CELLS = 1 << 25
SEED = 11


def network_of(job: Job) -> BayesianNetwork:
    """Return the network that a job's rows are drawn from: a random one is new in each repeat."""
    if job.network == "random":
        return random_network(job.columns, job.repeat)
    return load_network(job.network)


def folder_of(job: Job, place: Path) -> Path:
    """Return the folder of a job's rows; repeats share one, unless their networks differ."""
    number = f"-{job.repeat}" if job.network == "random" else ""
    return place / f"{job.network}-{job.rows}x{job.columns}-{job.files}{number}"


def write_rows(job: Job, place: Path) -> Path:
    """Write a job's rows to its folder, unless they are there."""
    return parquet_rows(network_of(job), job.rows, job.files, folder_of(job, place))


def delete_rows(folders: Iterable[Path]) -> None:
    """Delete what `write_rows` wrote, and nothing else."""
    for folder in folders:
        for path in folder.glob("part*.parquet"):
            path.unlink()
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def n_bytes(folder: Path) -> int:
    """Return the size of a folder's files."""
    return sum(path.stat().st_size for path in folder.glob("*.parquet"))


def parquet_rows(network: BayesianNetwork, n_rows: int, n_files: int, folder: Path) -> Path:
    """Write rows of a network to a folder of Parquet files, unless they are there."""
    import pyarrow as pa
    from pyarrow import parquet

    folder.mkdir(parents=True, exist_ok=True)
    size = max(1000, min(GROUP_ROWS, _GROUP_CELLS // network.graph.n_nodes))
    with inner_stage("writing rows", n_rows, "rows") as tell:
        for number in range(n_files):
            first, last = (n_rows * k // n_files for k in (number, number + 1))
            path = folder / f"part{number:03}.parquet"
            if path.exists():
                tell(last - first)
                continue
            partial = path.with_suffix(".part")
            writer = None
            for start in range(first, last, size):
                frame = network.sample(min(size, last - start), SEED, first_row=start)
                table = pa.Table.from_pandas(frame, preserve_index=False)
                writer = writer or parquet.ParquetWriter(partial, table.schema)
                writer.write_table(table)
                tell(len(frame))
            if writer is not None:
                writer.close()
                partial.rename(path)
    return folder


def random_network(n_variables: int, seed: int) -> BayesianNetwork:
    """Return a random sparse network: up to three parents each, two to four states.

    Parents are among the hundred variables before, so that no variable has very many children.
    """
    rng = np.random.default_rng(seed)
    names = [f"v{i:05}" for i in range(n_variables)]
    n_states = rng.integers(2, 5, n_variables)
    arrows, tables, parents_of = [], {}, {}
    for i, name in enumerate(names):
        near = np.arange(max(0, i - 100), i)
        n_parents = min(len(near), int(rng.integers(0, 4)))
        parents = sorted(rng.permutation(near)[:n_parents].tolist())
        parents_of[name] = [names[p] for p in parents]
        arrows += [(names[p], name) for p in parents]
        shape = tuple(int(n_states[p]) for p in parents)
        tables[name] = rng.dirichlet(np.full(n_states[i], 0.5), shape)
    states = {name: [f"l{k}" for k in range(n)] for name, n in zip(names, n_states, strict=True)}
    return BayesianNetwork(Graph(names, directed=arrows), states, tables, parents_of)
