"""Ways from rows to `fit`: each opens what it needs, and gives data and engine for every fit.

A way whose package or program is not installed raises `MissingError`, with the reason.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.engines.tables import KEY
from bnsieve.rows import SqlTable

# Rows that leave a database which counts inside: as many as a fit of files draws.
_SAMPLE = 10_000


class MissingError(Exception):
    """Why a way cannot be taken here."""


@dataclass(frozen=True)
class Opened:
    """A way, open.

    Attributes
    ----------
    data : callable
        Gives what is passed to `fit`, anew for every fit.
    engine : str
    servers : tuple of int
        Processes that work for it beside this one and its descendants.
    counts_inside : bool
        Whether rows are counted where they are. The key is part of the data then, and the sample is
        another one: only graphs can be compared.
    read : callable or None
        Reads the same rows without bnsieve.
    """

    data: Callable[[], Any]
    engine: str = "local"
    servers: tuple[int, ...] = field(default=())
    counts_inside: bool = False
    read: Callable[[], None] | None = None


Way = Callable[[Path, int], AbstractContextManager[Opened]]


def require(*modules: str) -> None:
    """Raise `MissingError` if one of these modules is not installed."""
    for module in modules:
        if find_spec(module) is None:
            raise MissingError(f"{module} is not installed")


@contextmanager
def parquet(path: Path, workers: int) -> Iterator[Opened]:
    """Threads of this process read the file."""
    yield Opened(lambda: path)


@contextmanager
def duckdb(path: Path, workers: int) -> Iterator[Opened]:
    """DuckDB gives the rows of a query."""
    require("duckdb")
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(f"set threads = {workers}")
        yield Opened(lambda: connection.sql(f"select * from '{path}'"))


@contextmanager
def duckdb_inside(path: Path, workers: int) -> Iterator[Opened]:
    """DuckDB counts the rows of a table of its own."""
    require("duckdb")
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(f"set threads = {workers}")
        connection.execute(f"create table rows as select * from '{path}'")
        yield Opened(lambda: _counted(connection, "select * from rows"), counts_inside=True)


def _counted(connection: Any, query: str) -> SqlTable:
    return SqlTable(connection, query, key=KEY, sample=_SAMPLE)


@contextmanager
def polars(path: Path, workers: int) -> Iterator[Opened]:
    """Stream a LazyFrame."""
    require("polars")
    import polars

    yield Opened(lambda: polars.scan_parquet(path))


@contextmanager
def ray(path: Path, workers: int) -> Iterator[Opened]:
    """Ray's workers read the file."""
    require("ray")
    import ray

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, address="local")
    try:
        yield Opened(lambda: path, "ray")
    finally:
        ray.shutdown()


@contextmanager
def dask(path: Path, workers: int) -> Iterator[Opened]:
    """Dask's workers read the file."""
    require("distributed")
    import distributed

    sizes = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**sizes) as cluster, distributed.Client(cluster):
        yield Opened(lambda: path, "dask")


@contextmanager
def _session(workers: int) -> Iterator[Any]:
    require("pyspark")
    if shutil.which("java") is None:
        raise MissingError("there is no Java runtime")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{workers},4]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.maxResultSize": "4g",
        "spark.driver.memory": "4g",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()


@contextmanager
def spark(path: Path, workers: int) -> Iterator[Opened]:
    """Spark's Python workers read the file."""
    with _session(workers):
        yield Opened(lambda: path, "spark")


@contextmanager
def spark_frame(path: Path, workers: int) -> Iterator[Opened]:
    """Pull a Spark DataFrame."""
    with _session(workers) as session:
        yield Opened(lambda: session.read.parquet(str(path)))


@contextmanager
def spark_inside(path: Path, workers: int) -> Iterator[Opened]:
    """Spark SQL counts."""
    with _session(workers) as session:
        session.read.parquet(str(path)).createOrReplaceTempView("rows")
        yield Opened(lambda: _counted(session, "select * from rows"), counts_inside=True)


@contextmanager
def _postgresql(path: Path) -> Iterator[tuple[Any, str, int]]:
    """Give a connection to a private PostgreSQL, a query of the stored rows, and the server."""
    require("adbc_driver_postgresql")
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    if not programs:
        raise MissingError("there is no PostgreSQL server")
    from adbc_driver_postgresql import dbapi

    folder = Path(tempfile.mkdtemp(prefix="bnsieve-pg-", dir="/tmp"))
    user = "postgres" if os.geteuid() == 0 else None  # it refuses to run as root
    if user:
        shutil.chown(folder, user)

    def run(program: str, *arguments: str | Path) -> None:
        command = [programs[-1].with_name(program), *arguments]
        subprocess.run(command, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL)

    data, options = folder / "data", f"-c listen_addresses='' -c fsync=off -k {folder}"
    run("initdb", "-D", data, "-A", "trust", "-U", "tester", "--no-sync")
    run("pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
    try:
        server = int((data / "postmaster.pid").read_text().split()[0])
        uri = f"postgresql:///postgres?host={folder}&user=tester"
        with dbapi.connect(uri) as connection, connection.cursor() as cursor:
            query = _stored(cursor, pq.read_table(path))
            connection.commit()
            yield connection, query, server
    finally:
        run("pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder)


@contextmanager
def postgresql(path: Path, workers: int) -> Iterator[Opened]:
    """Pull a table of a private PostgreSQL through ADBC."""
    with _postgresql(path) as (connection, query, server), connection.cursor() as cursor:

        def answer() -> Any:
            cursor.execute(query)
            return cursor

        def read() -> None:
            for _ in answer().fetch_record_batch():
                pass

        yield Opened(answer, servers=(server,), read=read)


@contextmanager
def postgresql_inside(path: Path, workers: int) -> Iterator[Opened]:
    """PostgreSQL counts."""
    with _postgresql(path) as (connection, query, server):
        yield Opened(lambda: _counted(connection, query), servers=(server,), counts_inside=True)


def _stored(cursor: Any, table: pa.Table) -> str:
    """Store a table, decimals as ``numeric``; return the query that gives it back."""
    shown = []
    for place, column in enumerate(table.schema):
        quoted = '"' + column.name.replace('"', '""') + '"'
        if pa.types.is_decimal(column.type):
            table = table.set_column(place, column.name, table[place].cast(pa.float64()))
            quoted = f"{quoted}::numeric({column.type.precision}, {column.type.scale}) as {quoted}"
        shown.append(quoted)
    cursor.adbc_ingest("rows", table)
    return f"select {', '.join(shown)} from rows"


WAYS: dict[str, Way] = {
    "Parquet file": parquet,
    "Ray as engine": ray,
    "Spark as engine": spark,
    "Dask as engine": dask,
    "DuckDB, pulled": duckdb,
    "polars LazyFrame": polars,
    "Spark DataFrame, pulled": spark_frame,
    "PostgreSQL, pulled": postgresql,
    "DuckDB, counted inside": duckdb_inside,
    "PostgreSQL, counted inside": postgresql_inside,
    "Spark SQL, counted inside": spark_inside,
}
QUICK = ("Parquet file", "DuckDB, pulled", "Ray as engine")
COUNT_INSIDE = ("DuckDB, counted inside", "PostgreSQL, counted inside", "Spark SQL, counted inside")
