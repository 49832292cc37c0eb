"""How often rows are called dependent that are, and that are not.

    python -m benchmarks time warning            (all kinds of tables, all published networks)
    python -m benchmarks time warning --quick    (two tables of each kind, three networks)

Tables of `benchmarks.time.warning_tables` are drawn again and again, and looked at as `fit` does.
Rows of every published network are looked at as drawn, and sorted by each of three columns. The
bars: at most 1 % false alarms in all, and at least 95 % of each kind of dependent rows. Writes
``warning.csv`` and ``warning.md``, and ends with an error where a bar is missed.
"""

import sys
import warnings
from collections.abc import Iterator
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.common.networks import bnrep_names, network_of, read_bnrep
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
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


def of_kinds(n_tables: int) -> Iterator[dict[str, Any]]:
    """Look at tables of every kind, one of each before the next."""
    for seed in range(n_tables):
        for family, kinds in FAMILIES.items():
            for number, (kind, draw) in enumerate(kinds.items()):
                frame = draw(np.random.default_rng([number, seed]))
                line = {"family": family, "kind": kind, "table": seed}
                yield line | look(frame, planned(frame))


def of_networks(names: list[str]) -> Iterator[dict[str, Any]]:
    """Look at rows of published networks, as drawn and sorted by one of three columns."""
    for number, name in enumerate(names):
        network = read_bnrep(name) if name in bnrep_names() else network_of(name)
        frame = network.sample(N_ROWS_OF_NETWORKS, random_state=number)
        plan = planned(frame)
        varying = [str(column) for column in frame if frame[column].nunique() > 1]
        rng = np.random.default_rng(number)
        chosen = [varying[i] for i in rng.permutation(len(varying))[:N_SORTED]]
        line = {"family": _NETWORKS, "table": name}
        yield line | {"kind": "as drawn"} | look(frame, plan)
        for column in chosen:
            kind = {"kind": "sorted by one of three columns"}
            yield line | kind | look(in_order(frame, [column]), plan)


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
        f"({share:.2%}; at most {FALSE_ALARMS:.0%}). Milliseconds are of the processor, without "
        "preparation.",
        "",
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
    return [*lines, "<!-- --8<-- [end:alarms] -->"], missed


def main(arguments: list[str] | None = None) -> None:
    """Look at all tables, and write the report."""
    given = sys.argv[1:] if arguments is None else arguments
    parser = parser_of("time", __doc__)
    parser.add_argument("--tables", type=int, default=N_TABLES, help="tables of each kind")
    asked = parser.parse_args(given)
    names = sorted({*(one.name for one in list_networks()), *bnrep_names()})
    n_tables = 2 if asked.quick else asked.tables
    found = [*of_kinds(n_tables), *of_networks(names[:3] if asked.quick else names)]
    runs = pd.DataFrame(found)
    asked.output.mkdir(parents=True, exist_ok=True)
    runs.to_csv(asked.output / "warning.csv", index=False)
    lines, missed = report(runs.fillna(""))
    title = "Rows that are not independent: alarms"
    write(asked.output / "warning.md", head(title, "time warning", given) + lines)
    print("\n".join(lines))
    # Two tables prove nothing.
    if missed and not asked.quick:
        sys.exit(f"error: {'; '.join(missed)}")
