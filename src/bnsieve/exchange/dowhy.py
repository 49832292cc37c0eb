"""Graph and rows for DoWhy's estimators and refuters.

In: a learned DAG, its equivalence class, the rows, a treatment and an outcome. Out: `DowhyInputs`,
the arguments of ``dowhy.CausalModel``. DoWhy takes a DAG, and numbers for treatment and outcome.
What that leaves open is refused with the reason, never chosen in silence; what was chosen is in
the notes. DoWhy itself is not imported.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bnsieve.graph import (
    Graph,
    adjustment_set,
    check_same_nodes,
    import_optional,
    possible_parents,
    reachable,
)
from bnsieve.table import Table, state_order
from bnsieve.text import counted, listed

_ARGUMENTS = ("data", "graph", "treatment", "outcome")
_LEFT_OPEN = "outcome is a cause"


@dataclass(frozen=True, eq=False)
class DowhyInputs:
    """The arguments of ``dowhy.CausalModel``: ``CausalModel(**inputs)``; ``print`` shows the notes.

    Attributes
    ----------
    data : DataFrame
        The rows: numbers in their units, treatment and outcome as numbers, and all other columns as
        categories, which DoWhy encodes as indicators.
    graph : networkx.DiGraph
        The DAG.
    treatment, outcome : str
        The names of the two columns.
    adjustment : tuple of str or None
        An adjustment set for the effect in this DAG, for estimators without a graph, such as those
        of EconML. None if no directed path leads from the treatment to the outcome.
    notes : tuple of str
        The choices made, and the assumptions of an estimate.
    """

    data: pd.DataFrame
    graph: Any
    treatment: str
    outcome: str
    adjustment: tuple[str, ...] | None
    notes: tuple[str, ...]

    def keys(self) -> tuple[str, ...]:
        """Return the names of the arguments."""
        return _ARGUMENTS

    def __getitem__(self, name: str) -> Any:
        if name not in _ARGUMENTS:
            raise KeyError(name)
        value = getattr(self, name)
        # DoWhy's propensity estimators add columns to the rows that they are given.
        return value.copy() if name in ("data", "graph") else value

    def __str__(self) -> str:
        title = f"{self.treatment} -> {self.outcome}, for dowhy.CausalModel"
        return "\n".join([title, *(f"  {note}" for note in self.notes)])

    __repr__ = __str__


def dowhy_inputs(
    dag: Graph,
    rows: Table,
    treatment: str,
    outcome: str,
    *,
    settings: tuple[Hashable, Hashable] | None = None,
    state: Hashable | None = None,
    notes: Sequence[str] = (),
) -> DowhyInputs:
    """Return a DAG and rows as DoWhy takes them.

    Parameters
    ----------
    dag : Graph
    rows : Table
        With the columns of the DAG.
    treatment, outcome : str
        Two of its nodes.
    settings : tuple of two states, optional
        Of a categorical treatment: what becomes 0 and what becomes 1. Rows with another state are
        left out. Needed if there are more than two states.
    state : state, optional
        Of a categorical outcome: what becomes 1; all others become 0. Needed if there are more
        than two states.
    notes : sequence of str
        Put before those about the rows.

    Raises
    ------
    ValueError
        If a column is constant, or has more than two states and none was named.
    """
    import_optional("networkx", "dowhy")
    table = rows.select(dag.nodes)
    place = {name: i for i, name in enumerate(table.names)}
    frame = table.to_frame()
    for name, i in place.items():
        if i in table.numbers:
            frame[name] = table.numbers[i]
        elif name not in (treatment, outcome):
            frame[name] = frame[name].cat.rename_categories(_texts(table.categories[i]))
    kept = np.ones(table.n_rows, dtype=np.bool_)
    said = list(notes)
    if place[treatment] not in table.numbers:
        states = _settings(table, place[treatment], settings)
        codes = _codes(table, place[treatment], states)
        frame[treatment] = (codes == 1).astype(np.int64)
        kept &= codes >= 0
        said.append(f"treatment: {treatment} is 1 for {states[1]} and 0 for {states[0]}")
        n_others = int(((codes < 0) & ~_missing(table, place[treatment])).sum())
        if n_others:
            said.append(f"rows: {n_others:,} with another {treatment} are left out")
    elif settings is not None:
        raise ValueError(
            f"{treatment!r} is numeric: hand it over by its name, and pass the two values to "
            "DoWhy, as control_value and treatment_value of estimate_effect"
        )
    if place[outcome] not in table.numbers:
        chosen = _outcome_state(table, place[outcome], state)
        frame[outcome] = (_codes(table, place[outcome], (chosen,)) == 0).astype(np.int64)
        said.append(f"outcome: {outcome} is 1 for {chosen}, else 0")
    elif state is not None:
        raise ValueError(f"{outcome!r} is numeric: leave state out")
    asked = reachable([treatment, outcome], dag.parents) | {treatment, outcome}
    incomplete = [name for name in table.names if name in asked and place[name] in table.missing]
    before = int(kept.sum())
    for name in incomplete:
        kept &= ~table.missing[place[name]]
    if n_lost := before - int(kept.sum()):
        said.append(
            f"rows: {n_lost:,} with missing values in {listed(incomplete)} are left out; an "
            "estimate from the others assumes that they are missing at random"
        )
    if not kept.any():
        raise ValueError(f"no row has values of all of {listed(incomplete or [treatment], None)}")
    data = frame[kept].reset_index(drop=True)
    adjustment = adjustment_set(dag, treatment, (outcome,))
    if adjustment is None:
        turned = treatment in reachable([outcome], dag.children)
        instead = f" (one leads from {outcome} to {treatment})" if turned else ""
        said.append(
            f"no directed path leads from {treatment} to {outcome}{instead}: the graph implies no "
            "effect and DoWhy reports none, which does not show that there is none"
        )
    said.append(f"rows: {len(data):,}")
    return DowhyInputs(data, dag.to_networkx(), treatment, outcome, adjustment, tuple(said))


def dag_for_effect(
    dag: Graph, graph: Graph, treatment: str, outcome: str, *, v_structures_known: bool
) -> tuple[Graph, str]:
    """Return the DAG to hand over, and a note why it may be: all DAGs give the same effect.

    Parameters
    ----------
    dag : Graph
        The one that was found.
    graph : Graph
        Its equivalence class.
    treatment, outcome : str
    v_structures_known : bool
        See `bnsieve.graph.possible_parents`.

    Raises
    ------
    ValueError
        If the effect depends on directions that the class leaves open.
    """
    if graph.is_dag:
        return dag, "graph: the learned DAG; all its directions are determined"
    found = {
        _LEFT_OPEN if outcome in case.parents else adjustment_set(case.dag, treatment, (outcome,))
        for case in possible_parents(graph, treatment, v_structures_known=v_structures_known)
    }
    n_open = counted(len(graph.undirected_edges), "undirected edge")
    if len(found) == 1:
        return dag, (
            f"graph: the learned DAG; its equivalence class has {n_open}, and every DAG of it "
            "gives the same adjustment for this effect"
        )
    edges = listed([f"{treatment} - {name}" for name in graph.neighbours(treatment)])
    raise ValueError(
        f"the effect of {treatment!r} on {outcome!r} depends on undirected edges: "
        f"{edges}. Direct them with knowledge, or pass a DAG. dag=learner.dag_ is the learned one, "
        "which fits no better than the others"
    )


def chosen_dag(dag: Graph, learned: Graph, graph: Graph) -> tuple[Graph, str]:
    """Return a DAG that the user gave, and a note on whether the data know it."""
    check_same_nodes(dag.nodes, learned.nodes, "the DAG", "the learner")
    if not dag.is_dag:
        raise ValueError("dag must be a DAG: it has undirected edges or a cycle")
    own = "graph: the DAG that you gave"
    if dag.reorder(learned.nodes) == learned:
        return dag, f"{own}, the learned one; others of its equivalence class may differ in effect"
    if dag.reorder(learned.nodes).to_cpdag() == learned.to_cpdag():
        return dag, f"{own}, equivalent to the learned one"
    if dag.skeleton() == graph.skeleton():
        return dag, f"{own}, which has the learned edges in other directions"
    return dag, f"{own}, which has other edges than the learned graph"


def _texts(categories: Sequence[Hashable]) -> list[str]:
    """Return categories as texts that differ from each other."""
    texts = [str(category) for category in categories]
    if len(set(texts)) == len(texts):
        return texts
    return [f"{text} ({type(one).__name__})" for text, one in zip(texts, categories, strict=True)]


def _ordered(table: Table, i: int) -> list[Hashable]:
    """Return the states of a column, the one that means no or least first."""
    states = table.categories[i]
    ranks = state_order(states).ranks
    return list(states) if ranks is None else [states[code] for code in np.argsort(ranks)]


def _settings(
    table: Table, i: int, settings: tuple[Hashable, Hashable] | None
) -> tuple[Hashable, Hashable]:
    name, states = table.names[i], _ordered(table, i)
    if settings is not None:
        return settings
    if len(states) == 2:
        return states[0], states[1]
    shown = listed(map(str, states))
    if len(states) < 2:
        raise ValueError(f"{name!r} is constant ({shown}): it has no effect to estimate")
    raise ValueError(
        f"{name!r} has {len(states)} states ({shown}), and DoWhy compares two: pass "
        f"{{{name!r}: (from, to)}}"
    )


def _outcome_state(table: Table, i: int, state: Hashable | None) -> Hashable:
    name, states = table.names[i], _ordered(table, i)
    if state is not None:
        return state
    if len(states) == 2:
        return states[1]
    shown = listed(map(str, states))
    if len(states) < 2:
        raise ValueError(f"{name!r} is constant ({shown}): nothing has an effect on it")
    raise ValueError(
        f"{name!r} has {len(states)} states ({shown}), and DoWhy takes one number: pass state=, "
        "whose probability is then the outcome"
    )


def _codes(table: Table, i: int, states: Sequence[Hashable]) -> np.typing.NDArray[np.int64]:
    """Return each row's place among some states of a column; -1 for others and if missing."""
    places = np.full(len(table.categories[i]), -1, dtype=np.int64)
    for place, state in enumerate(states):
        places[table.categories[i].index(state)] = place
    codes: np.typing.NDArray[np.int64] = places[table.codes[i]]
    codes[_missing(table, i)] = -1
    return codes


def _missing(table: Table, i: int) -> np.typing.NDArray[np.bool_]:
    return table.missing.get(i, np.zeros(table.n_rows, dtype=np.bool_))
