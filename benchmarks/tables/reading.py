"""The folder that `bnsieve learn` wrote in; nodes, edges, roles and counts out."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class ColumnRead:
    """What a run says of a column; None where it says nothing.

    Attributes
    ----------
    role : str or None
    nodes : tuple of str
        Those that come from it.
    used : bool
        Whether there is one, or a date is used as what another is counted from.
    n_missing, n_states : int or None
    exact : bool
        Whether the states were counted.
    """

    role: str | None
    nodes: tuple[str, ...]
    used: bool = False
    n_missing: int | None = None
    n_states: int | None = None
    exact: bool = True


@dataclass(frozen=True)
class RunRead:
    """What a run found.

    Attributes
    ----------
    columns : dict from column to ColumnRead
    edges : tuple of (node, node)
    """

    columns: dict[str, ColumnRead]
    edges: tuple[tuple[str, str], ...]

    @property
    def used(self) -> list[str]:
        """Columns that the graph says something about."""
        return [name for name, column in self.columns.items() if column.used]

    @property
    def sources(self) -> dict[str, str]:
        """The column that each node comes from."""
        return {node: name for name, column in self.columns.items() for node in column.nodes}


def read_run(folder: Path) -> RunRead:
    """Read what a run wrote."""
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    nodes = record["graph"]["nodes"]
    edges = tuple((edge["tail"], edge["head"]) for edge in record["graph"]["edges"])
    return RunRead(_columns(record, nodes), edges)


def _columns(record: dict[str, Any], nodes: list[str]) -> dict[str, ColumnRead]:
    return {
        plan["name"]: ColumnRead(
            plan["role"],
            tuple(plan["columns"]),
            bool(plan["columns"]) or plan["what"].startswith("turned into"),
            plan["missing"],
            plan["categories"],
            plan["categories_counted"],
        )
        for plan in record["preparation"]
    }
