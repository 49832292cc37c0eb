"""Numbers in files: both passes and the whole fit beside reading only, and beside memory.

    python -m benchmarks scale numbers --rows 10000000 --folder ROWS -o RESULTS

Rows are of 40 numbers and 20 labels: a random network of two parents each, some effects bent, a
third of the numbers exponential. With ``--memory`` the file is also read into a frame, and graph
and sums of both are compared. One thread; other programs should be at rest.
"""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.runs import append
from benchmarks.common.stored_rows import open_stored, rows_stay_in_files
from benchmarks.scale.child import read_only
from bnsieve import Graph, TsetlinSieve
from bnsieve.engine import open_engine
from bnsieve.learners.drawn_rows import DrawnRows
from bnsieve.metrics import compare
from bnsieve.rows import Prepared
from bnsieve.rows.passes import sum_all
from bnsieve.table import some_rows

N_COLUMNS, N_LABELS = 60, 20
GROUP_ROWS = 500_000
SAMPLE_ROWS = 10_000


@dataclass(frozen=True)
class Network:
    """Where rows are drawn from; every row depends on its number alone."""

    names: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]
    slopes: tuple[tuple[float, ...], ...]
    bent: tuple[bool, ...]

    @classmethod
    def drawn(cls, seed: int = 0) -> "Network":
        """Draw a network."""
        rng = np.random.default_rng(seed)
        parents = [
            tuple(sorted(rng.choice(v, min(v, 2), replace=False).tolist())) if v else ()
            for v in range(N_COLUMNS)
        ]
        slopes = [
            tuple((rng.uniform(0.4, 0.9, len(own)) * rng.choice([-1, 1], len(own))).tolist())
            for own in parents
        ]
        bent = rng.random(N_COLUMNS) < 0.3
        labels = set(rng.choice(N_COLUMNS, N_LABELS, replace=False).tolist())
        names = (f"{'label' if v in labels else 'number'}{v:02}" for v in range(N_COLUMNS))
        return cls(tuple(names), tuple(parents), tuple(slopes), tuple(bent.tolist()))

    @property
    def graph(self) -> Graph:
        """The true graph."""
        names = self.names
        arrows = [(names[u], names[v]) for v, own in enumerate(self.parents) for u in own]
        return Graph(names, arrows)

    def rows(self, group: int, n_rows: int) -> pd.DataFrame:
        """Return one group of rows."""
        rng = np.random.default_rng([1, group])
        hidden, columns = np.empty((N_COLUMNS, n_rows)), {}
        for v, name in enumerate(self.names):
            hidden[v] = rng.normal(size=n_rows)
            for slope, u in zip(self.slopes[v], self.parents[v], strict=True):
                hidden[v] += slope * (np.tanh(2 * hidden[u]) if self.bent[v] else hidden[u])
            hidden[v] /= np.sqrt(1 + sum(slope**2 for slope in self.slopes[v]))
            if name.startswith("label"):
                codes = np.searchsorted([-0.7, 0.0, 0.7], hidden[v])
                columns[name] = pd.Categorical(np.array(list("abcd"))[codes])
                # Only the label acts on others: nothing is hidden.
                hidden[v] = np.array([-1.2, -0.4, 0.4, 1.2])[codes]
            else:
                columns[name] = np.exp(hidden[v]) if v % 3 == 0 else hidden[v]
        return pd.DataFrame(columns)


def write_rows(network: Network, n_rows: int, folder: Path) -> Path:
    """Write rows to a Parquet file, unless it is there."""
    import pyarrow as pa
    from pyarrow import parquet

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"numbers-{n_rows}.parquet"
    if path.exists():
        return path
    partial, writer = path.with_suffix(".part"), None
    for group, first in enumerate(range(0, n_rows, GROUP_ROWS)):
        frame = network.rows(group, min(GROUP_ROWS, n_rows - first))
        table = pa.Table.from_pandas(frame, preserve_index=False)
        writer = writer or parquet.ParquetWriter(partial, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()
    partial.rename(path)
    return path


def measured(path: Path, network: Network, repeats: int, memory: bool) -> Iterator[dict[str, Any]]:
    """Learn from a file, then read it and sum it in turns; yield what each took."""
    learner = TsetlinSieve(random_state=0, n_jobs=1, sample_rows=SAMPLE_ROWS)
    with timed() as spent, rows_stay_in_files():
        learner.fit(path)
    found = compare(learner.graph_, network.graph)
    detail = {"f1": found.f1, "shd": found.shd, "numbers": len(learner.numeric_features_)}
    yield _line("learning", 0, spent, detail | dict(learner.timings_))
    result: Any = learner.fit_result_
    summed = result.counted.summed
    if summed is None:
        raise ValueError(f"the rows of {path} favour bins: nothing was summed")
    assert learner.preparation_ is not None
    opened = open_stored(path)
    with open_engine("local", 1) as engine, opened as stored:
        source = stored.recoded(Prepared(learner.preparation_))
        columns = {"embedded": int(summed.embedding.first[-1])}
        for repeat in range(repeats):
            with timed() as spent:
                read_only(stored, engine)
            yield _line("reading", repeat, spent, {})
            with timed() as spent:
                sum_all(source, summed.embedding, engine)
            yield _line("second pass", repeat, spent, columns)
    if memory:
        yield _in_memory(path, learner)


def _in_memory(path: Path, learner: TsetlinSieve) -> dict[str, Any]:
    """Learn from the same rows in a frame; compare graphs and sums."""
    frame = pd.read_parquet(path)
    with timed() as spent:
        beside = TsetlinSieve(random_state=0, n_jobs=1, sample_rows=SAMPLE_ROWS).fit(frame)
    result: Any = learner.fit_result_
    table, summed = beside.fit_result_.rows, result.counted.summed
    assert summed is not None
    drawn = some_rows(table, SAMPLE_ROWS, 0)
    own = DrawnRows(table, drawn, 0).moments(summed.embedding.names)
    n_rows = table.n_rows
    apart = max(
        float(np.abs(getattr(own.moments, name) - getattr(summed.moments, name)).max() / n_rows)
        for name in ("n_rows", "sums", "products")
    )
    same = beside.dag_ == learner.dag_ and beside.numeric_features_ == learner.numeric_features_
    return _line("memory", 0, spent, {"same": float(same), "largest difference": apart})


def _line(what: str, repeat: int, spent: Any, detail: Mapping[str, float]) -> dict[str, Any]:
    shown = "; ".join(f"{name} {value:.4g}" for name, value in detail.items())
    times = {"seconds": spent.seconds, "processor_seconds": spent.processor_seconds}
    return {"what": what, "repeat": repeat} | times | {"detail": shown}


def main(arguments: list[str]) -> None:
    """Measure, and write ``numbers.csv``."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks scale numbers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory", action="store_true", help="learn from a frame too")
    parser.add_argument("--folder", type=Path, default=Path("rows"), help="where rows are written")
    parser.add_argument("--output", "-o", type=Path, default=Path("scale"), help="of the results")
    parser.add_argument("--delete", action="store_true", help="delete rows once they are done with")
    options = parser.parse_args(arguments)
    network = Network.drawn()
    path = write_rows(network, options.rows, options.folder)
    options.output.mkdir(parents=True, exist_ok=True)
    took: dict[str, list[float]] = {}
    with threadpool_limits(1):
        for one in measured(path, network, options.repeats, options.memory):
            append(options.output / "numbers.csv", [{"rows": options.rows} | one])
            took.setdefault(one["what"], []).append(one["processor_seconds"])
            print(
                f"{one['what']}: {one['seconds']:.1f} s, processor "
                f"{one['processor_seconds']:.1f} s; {one['detail']}",
                flush=True,
            )
    if options.delete:
        path.unlink()
    ratio = np.median(np.divide(took["second pass"], took["reading"]))
    print(f"the second pass takes {ratio:.2f} times the reading (processor, median)")
