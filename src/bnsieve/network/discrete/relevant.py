"""Which part of a network bears on a question.

In: targets and evidence. Out: the tables that matter, in parts that have nothing to do with each
other once the evidence is known. Two things are left out: barren variables, which are neither
asked for nor known, nor have a descendant that is; and what the evidence separates from the
targets, which comes in parts of its own.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from bnsieve.graph import reachable
from bnsieve.network.discrete.evidence import Evidence
from bnsieve.network.discrete.model import Model


@dataclass(frozen=True)
class Part:
    """Variables that are joined by tables, and the variables whose tables those are."""

    open: tuple[int, ...]
    tables: tuple[int, ...]


def parts(model: Model, targets: Iterable[int], evidence: Evidence) -> list[Part]:
    """Split what bears on targets and evidence; tables known in full are a part with none open."""
    wanted = reachable([*targets, *evidence.variables], model.parents.__getitem__)
    leader = {v: v for v in wanted if v not in evidence.hard}

    def root(v: int) -> int:
        while leader[v] != v:
            leader[v] = leader[leader[v]]
            v = leader[v]
        return v

    of_table: dict[int, int] = {}
    for variable in sorted(wanted):
        scope = [v for v in model.family(variable) if v not in evidence.hard]
        for other in scope[1:]:
            leader[root(other)] = root(scope[0])
        of_table[variable] = scope[0] if scope else -1
    open_of: dict[int, list[int]] = {-1: []}
    tables_of: dict[int, list[int]] = {-1: []}
    for v in sorted(leader):
        open_of.setdefault(root(v), []).append(v)
    for variable, member in of_table.items():
        tables_of.setdefault(root(member) if member >= 0 else -1, []).append(variable)
    return [
        Part(tuple(variables), tuple(tables_of[key]))
        for key, variables in open_of.items()
        if tables_of[key]
    ]
