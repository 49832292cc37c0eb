"""How often rows are called dependent that are, and that are not.

    python -m benchmarks time warning            (all kinds of tables, all published networks)
    python -m benchmarks time warning --quick    (two tables of each kind, three networks)
    python -m benchmarks time warning --families dependent --kinds KIND --tables 300

The study draws tables of every kind in `benchmarks.time.warning_tables` and checks them as `fit`
does. It checks rows of every published network as drawn, and sorted by each of three columns. The
limits are at most 1 % false alarms overall, and at least 95 % found of each kind of dependent rows.
The study writes ``warning.csv`` and ``warning.md``, and ends with an error if a limit is exceeded.
What the file has is not run again.
"""

import sys
import warnings
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from time import process_time
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from benchmarks.common.networks import bnrep_names, network_of, read_bnrep
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.runs import append, read_runs
from benchmarks.time.warning_tables import DEPENDENT, INDEPENDENT, UNKNOWABLE, Draw, in_order
from bnsieve import list_networks, prepare
from bnsieve.rows import dependent_rows, open_data
from bnsieve.table.prepare import Preparation

N_TABLES, N_ROWS_OF_NETWORKS, N_SORTED = 50, 1_000, 3
FALSE_ALARMS, POWER = 0.01, 0.95
FAMILIES: dict[str, dict[str, Draw]] = {
    "independent": INDEPENDENT,
    "dependent": DEPENDENT,
    "unknowable": UNKNOWABLE,
}
_NETWORKS = "published networks"
TITLES = {
    "independent": "Independent rows",
    "dependent": "Dependent rows",
    "unknowable": "Dependent rows that look like a table sorted by a lost column",
    _NETWORKS: f"Published networks, {N_ROWS_OF_NETWORKS:,} independent rows of each",
}


def look(frame: pd.DataFrame, plan: Preparation) -> dict[str, Any]:
    """Say whether rows are called dependent, which columns are guessed, and how long it took."""
    start = process_time()
    with open_data(frame) as data:
        found = dependent_rows(data, plan)
    return {
        "alarm": int(found is not None),
        "time": "" if found is None or found.time is None else found.time,
        "by": "" if found is None or found.by is None else found.by,
        "milliseconds": round(1000 * (process_time() - start), 1),
    }


def planned(frame: pd.DataFrame) -> Preparation:
    """Prepare a table; what is left out is told, and is meant to be."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return prepare(frame, constants=True, n_jobs=1)


def of_kinds(
    n_tables: int,
    families: Sequence[str],
    done: Collection[tuple[str, str]],
    chosen: Collection[str] | None = None,
) -> Iterator[list[dict[str, Any]]]:
    """Look at tables of every kind, or of some, one of each before the next."""
    for seed in range(n_tables):
        for family, kinds in FAMILIES.items():
            for kind, draw in kinds.items():
                if family not in families or (kind, str(seed)) in done:
                    continue
                if chosen is not None and kind not in chosen:
                    continue
                # Other kinds that are added later leave these tables as they are.
                frame = draw(np.random.default_rng([crc32(kind.encode()), seed]))
                line = {"family": family, "kind": kind, "table": seed}
                yield [line | look(frame, planned(frame))]


def of_networks(
    names: list[str], done: Collection[tuple[str, str]]
) -> Iterator[list[dict[str, Any]]]:
    """Look at rows of published networks, as drawn and sorted by one of three columns."""
    for number, name in enumerate(names):
        if ("as drawn", name) in done:
            continue
        network = read_bnrep(name) if name in bnrep_names() else network_of(name)
        frame = network.sample(N_ROWS_OF_NETWORKS, random_state=number)
        plan = planned(frame)
        varying = [str(column) for column in frame if frame[column].nunique() > 1]
        rng = np.random.default_rng(number)
        chosen = [varying[i] for i in rng.permutation(len(varying))[:N_SORTED]]
        drawn = [("as drawn", frame)]
        drawn += [("sorted by one of three columns", in_order(frame, [one])) for one in chosen]
        yield [
            {"family": _NETWORKS, "kind": kind, "table": name} | look(rows, plan)
            for kind, rows in drawn
        ]


def report(runs: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return the page, and which bars are missed."""
    missed = []
    quiet = runs[runs["family"].isin(["independent", _NETWORKS])]
    share = float(quiet["alarm"].mean())
    if share > FALSE_ALARMS:
        missed.append(f"{share:.2%} false alarms")
    lines = [
        "<!-- --8<-- [start:alarms] -->",
        f"{int(quiet['alarm'].sum()):,} false alarms in {len(quiet):,} tables of independent rows "
        f"({share:.2%}; the goal: at most {FALSE_ALARMS:.0%}).",
        "<!-- --8<-- [end:alarms] -->",
        "",
        "<!-- --8<-- [start:kinds] -->",
    ]
    for family, own in runs.groupby("family", sort=False):
        rows = []
        for kind, some in own.groupby("kind", sort=False):
            alarms = float(some["alarm"].mean())
            keys = [str(some[name].mode().iloc[0]) or "-" for name in ("time", "by")]
            cells = [str(kind), f"{len(some):,}", f"{alarms:.3f}"]
            rows.append([*cells, *keys, f"{some['milliseconds'].median():.0f}"])
            if family == "dependent" and alarms < POWER:
                missed.append(f"{kind}: {alarms:.0%} found")
        titles = ["kind", "tables", "alarms", "time guessed", "entity guessed", "ms"]
        lines += [f"**{TITLES[str(family)]}**", "", *table(titles, rows), ""]
    return [*lines, "<!-- --8<-- [end:kinds] -->"], missed


def main(arguments: list[str] | None = None) -> None:
    """Look at all tables, and write the report."""
    given = sys.argv[1:] if arguments is None else arguments
    parser = parser_of("time", __doc__)
    parser.add_argument("--tables", type=int, default=N_TABLES, help="tables of each kind")
    parser.add_argument("--families", nargs="+", default=list(TITLES), choices=list(TITLES))
    every = [kind for kinds in FAMILIES.values() for kind in kinds]
    parser.add_argument("--kinds", nargs="+", choices=every, metavar="KIND", help="only these")
    asked = parser.parse_args(given)
    path = asked.output / "warning.csv"
    names = sorted({*(one.name for one in list_networks()), *bnrep_names()})
    n_tables = 2 if asked.quick else asked.tables
    done = set[tuple[str, str]]()
    if path.exists():
        runs = read_runs(path)
        done = set(zip(runs["kind"], runs["table"].astype(str), strict=True))
    found = of_kinds(n_tables, asked.families, done, asked.kinds)
    if _NETWORKS in asked.families and asked.kinds is None:
        found = chain(found, of_networks(names[:3] if asked.quick else names, done))
    for looks in found:
        append(path, looks)
    runs = read_runs(path)
    lines, missed = report(runs.fillna(""))
    title = "Rows that are not independent: alarms"
    write(asked.output / "warning.md", head(title, "time warning", given) + lines)
    print("\n".join(lines))
    # Two tables prove nothing.
    if missed and not asked.quick:
        sys.exit(f"error: {'; '.join(missed)}")
