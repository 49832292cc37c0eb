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
    n_missing, n_levels : int or None
    exact : bool
        Whether the levels were counted.
    """

    role: str | None
    nodes: tuple[str, ...]
    n_missing: int | None = None
    n_levels: int | None = None
    exact: bool = True


@dataclass(frozen=True)
class RunRead:
    """What a run found.

    Attributes
    ----------
    columns : dict from column to ColumnRead
    edges : tuple of (node, node)
    sure_arrows : tuple of (tail, head)
        Edges whose direction is called sure.
    estimate_seconds, estimate_mb : float or None
        What it expected to take.
    """

    columns: dict[str, ColumnRead]
    edges: tuple[tuple[str, str], ...]
    sure_arrows: tuple[tuple[str, str], ...]
    estimate_seconds: float | None
    estimate_mb: float | None

    @property
    def sources(self) -> dict[str, str]:
        """The column that each node comes from."""
        return {node: name for name, column in self.columns.items() for node in column.nodes}


def read_run(folder: Path) -> RunRead:
    """Read what a run wrote."""
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    nodes = record["graph"]["nodes"]
    lines = record["graph"]["edges"]
    edges = tuple((edge["tail"], edge["head"]) for edge in lines)
    sure = tuple(edge for edge, line in zip(edges, lines, strict=True) if line["directed"])
    estimate = record.get("estimate") or {}
    return RunRead(
        _columns(record, nodes), edges, sure, estimate.get("seconds"), estimate.get("megabytes")
    )


def _columns(record: dict[str, Any], nodes: list[str]) -> dict[str, ColumnRead]:
    if "preparation" not in record:  # versions that had no roles
        names = record["data"]["columns"]
        return {name: ColumnRead(None, (name,) if name in nodes else ()) for name in names}
    return {
        plan["name"]: ColumnRead(
            plan["role"],
            tuple(plan["columns"]),
            plan["missing"],
            plan["levels"],
            plan["levels_counted"],
        )
        for plan in record["preparation"]
    }
