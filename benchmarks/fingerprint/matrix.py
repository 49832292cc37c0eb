"""One fingerprint wherever it runs: threads, Ray, instruction sets, libraries, sources, order.

``python -m benchmarks fingerprint matrix`` learns from three small tables (labels with gaps,
numbers beside labels, files read in two passes) under every condition that must not matter, and
says for each whether graph, counts, candidates, importances, strengths and answers are the same to
the last bit. ``--quick`` leaves out what starts other processes. Interpreters that are named, of
other environments with bnsieve, such as one with the oldest libraries, do the same, each for
itself; then what they found is compared.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bnsieve as bn
from benchmarks.common.stored_rows import rows_stay_in_files
from benchmarks.fingerprint import sources
from benchmarks.fingerprint.sources import Source
from benchmarks.fingerprint.study import counts_of, hash_of
from benchmarks.fingerprint.values import encoded
from bnsieve import _native

SEED = 3
LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "narwhals")

EXACT_ANSWERS = "answers"

# What is found in a table, by name, each as a hash.
Found = dict[str, str]


def labels() -> pd.DataFrame:
    """Return rows of labels, with gaps."""
    rows = bn.load_network("sachs").sample(500, random_state=SEED).astype(object)
    gaps = np.random.default_rng(SEED).random(len(rows)) < 0.1
    rows.loc[gaps, "Akt"] = None
    return rows


def numbers() -> pd.DataFrame:
    """Return rows of numbers that depend on each other and on labels."""
    chance = np.random.default_rng(SEED)
    n = 500
    sick = chance.random(n) < 0.4
    age = chance.integers(20, 80, n)
    fever = 37 + sick + chance.normal(0, 0.5, n)
    pulse = 20 * (fever - 33) + chance.normal(0, 10, n)
    pressure = 100 + age / 2 + chance.normal(0, 8, n)
    label = np.where(sick, "yes", "no").astype(object)
    return pd.DataFrame(
        {"sick": label, "age": age, "fever": fever, "pulse": pulse, "pressure": pressure}
    )


def many() -> pd.DataFrame:
    """Return rows of which only some are searched, so that files are read in two passes."""
    return bn.load_network("asia").sample(4_000, random_state=SEED).astype(object)


TABLES: dict[str, Callable[[], pd.DataFrame]] = {"labels": labels, "numbers": numbers, "many": many}
# Of these, as files, some rows are searched and all are counted; of a frame all are searched.
TWO_PASSES: dict[str, dict[str, Any]] = {"many": {"sample_rows": 500}}


def found_in(table: str, data: Any, *, n_jobs: int = 1, **settings: Any) -> Found:
    """Learn from a table, ask, and return a hash of everything that was found.

    Parameters
    ----------
    table : str
        Its name in `TABLES`.
    data : frame or path
        What is learned from.
    n_jobs : int
    **settings
        Further settings of `TsetlinSieve`.
    """
    own = TWO_PASSES.get(table, {}) | settings
    place_of_rows = rows_stay_in_files() if table in TWO_PASSES else nullcontext()
    with place_of_rows:
        learner: Any = bn.TsetlinSieve(random_state=SEED, n_jobs=n_jobs, **own).fit(data)
    names = sorted(learner.fit_result_.sieve.machines.names)
    place = [learner.fit_result_.sieve.machines.names.index(name) for name in names]
    network = learner.network_.binned
    answers = _answers(network)
    found = {
        "graph": [learner.graph_, learner.dag_],
        "counts": [network, learner.score_],
        "candidates": learner.candidates_,
        "importances": [names, learner.fit_result_.sieve.machines.importance[np.ix_(place, place)]],
        "strengths": counts_of(learner.bootstrap(4, n_jobs=n_jobs)),
        EXACT_ANSWERS: answers,
        "answers to 12 digits": [
            {name: np.round(one, 12) for name, one in asked.items()} for asked in answers
        ],
    }
    return {name: hash_of(encoded(value)) for name, value in found.items()}


def _answers(network: bn.BayesianNetwork) -> list[Any]:
    """Ask for everything, then again where the first label of the first column was seen."""
    seen = min(network.graph.nodes)
    known: list[dict[str, Any]] = [{}, {seen: network.states[seen][0]}]
    return [
        {
            name: network.query(name, given=given).probabilities
            for name in network.graph.nodes
            if name not in given
        }
        for given in known
    ]


@dataclass(frozen=True)
class Condition:
    """Something that must not matter.

    Attributes
    ----------
    name : str
    source : callable or None
        Makes of a frame, in an empty folder, what is learned from; None for the usual.
    settings : dict
        Of the learner.
    instructions : str or None
        The instruction set.
    turned : bool
        Whether columns come in the opposite order.
    apart : tuple of str
        What may differ.
    needs : str or None
        A package.
    tables : tuple of str
        Those that can be had in this way.
    """

    name: str
    source: Source | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    instructions: str | None = None
    turned: bool = False
    apart: tuple[str, ...] = ()
    needs: str | None = None
    tables: tuple[str, ...] = tuple(TABLES)

    def found_in(self, table: str) -> Found:
        """Learn from a table under this condition."""
        frame = TABLES[table]()
        if self.turned:
            frame = frame[frame.columns[::-1]]
        usual = sources.as_parquet if table in TWO_PASSES else sources.as_pandas
        before = _native.simd_level()
        try:
            if self.instructions is not None:
                _native.force_simd_level(self.instructions)
            with tempfile.TemporaryDirectory() as folder:
                data = (self.source or usual)(frame, Path(folder))
                return found_in(table, data, **self.settings)
        finally:
            _native.force_simd_level(before)


IN_MEMORY = tuple(name for name in TABLES if name not in TWO_PASSES)
PLAIN = Condition("one thread")
IN_PROCESS = (
    Condition("once more"),
    Condition("2 threads", settings={"n_jobs": 2}),
    Condition("7 threads", settings={"n_jobs": 7}),
    *(Condition(f"instructions: {one}", instructions=one) for one in _native.simd_levels()),
    # Sums over columns in another order round in another way.
    Condition("columns turned", turned=True, apart=(EXACT_ANSWERS,)),
    Condition("polars", sources.as_polars, needs="polars", tables=IN_MEMORY),
    Condition("Arrow", sources.as_arrow, needs="pyarrow", tables=IN_MEMORY),
    Condition("Arrow in batches", sources.as_batches, needs="pyarrow"),
    Condition("Parquet", sources.as_parquet, needs="pyarrow"),
    Condition("five Parquet files", sources.as_parquet_files, needs="pyarrow"),
    Condition("CSV", sources.as_csv, needs="pyarrow"),
    Condition("SQLite", sources.from_sqlite, tables=IN_MEMORY),
    Condition("DuckDB", sources.from_duckdb, needs="duckdb", tables=IN_MEMORY),
)
RAY = Condition("Ray, 2 workers", settings={"engine": "ray", "n_jobs": 2}, needs="ray")
HASH_SEEDS = ("0", "1", "random")


def plain() -> dict[str, Found]:
    """Return what is found in each table under no condition at all."""
    return {table: PLAIN.found_in(table) for table in TABLES}


def plain_elsewhere(interpreter: str, **environment: str) -> dict[str, Found]:
    """Return the same, found by another process."""
    done = subprocess.run(
        [interpreter, "-m", "benchmarks", "fingerprint", "matrix", "--plain"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        env=os.environ | environment,
    )
    found: dict[str, Found] = json.loads(done.stdout)
    return found


def differences(base: Found, other: Found, apart: Sequence[str] = ()) -> list[str]:
    """Return what is not the same."""
    return [name for name in base if base[name] != other[name] and name not in apart]


def verdicts(base: dict[str, Found], *, quick: bool) -> Iterator[tuple[str, str]]:
    """Yield of each condition its name and what differs, or "same"."""
    for condition in (*IN_PROCESS, *(() if quick else (RAY,))):
        if condition.needs is not None and find_spec(condition.needs) is None:
            yield condition.name, f"not tried: {condition.needs} is not installed"
            continue
        found = {table: condition.found_in(table) for table in condition.tables}
        yield condition.name, _said(base, found, condition.apart)
    for seed in () if quick else HASH_SEEDS:
        found = plain_elsewhere(sys.executable, PYTHONHASHSEED=seed)
        yield f"PYTHONHASHSEED={seed}", _said(base, found)


def _said(base: dict[str, Found], found: dict[str, Found], apart: Sequence[str] = ()) -> str:
    wrong = [
        f"{name} of {table}"
        for table, one in found.items()
        for name in differences(base[table], one, apart)
    ]
    return f"differs: {', '.join(wrong)}" if wrong else "same"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks fingerprint matrix",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("interpreters", nargs="*", help="of other environments")
    parser.add_argument("--quick", action="store_true", help="start no other process")
    parser.add_argument("--plain", action="store_true", help="only the hashes, as JSON")
    options = parser.parse_args(arguments)
    base = plain()
    if options.plain:
        print(json.dumps(base))
        return
    wrong = False
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    print(f"Python {platform.python_version()}, {libraries}", flush=True)
    for table, found in base.items():
        print(f"  {hash_of(encoded(found))[:16]}  {table}")
    for name, said in verdicts(base, quick=options.quick):
        print(f"  {name}: {said}", flush=True)
        wrong |= said.startswith("differs")
    for interpreter in options.interpreters:
        own = ["--quick"] if options.quick else []
        line = [interpreter, "-m", "benchmarks", "fingerprint", "matrix", *own]
        wrong |= subprocess.run(line, check=False).returncode != 0
        said = _said(base, plain_elsewhere(interpreter))
        print(f"  against the first environment: {said}", flush=True)
        wrong |= said != "same"
    if wrong:
        sys.exit("error: not everything is the same")
