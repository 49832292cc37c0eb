"""Graph and rows of a fitted learner for programs that estimate effects.

In: a fitted learner, a treatment and an outcome. Out: what DoWhy takes.
"""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any

from sklearn.utils.validation import check_is_fitted

from bnsieve.exchange import DowhyInputs, chosen_dag, dag_for_effect, dowhy_inputs
from bnsieve.explain import GIVEN, RELIABILITY
from bnsieve.graph import Graph
from bnsieve.knowledge import Knowledge
from bnsieve.learners.fit_result import FitResult, known_of
from bnsieve.network import unknown_node
from bnsieve.search import known_class
from bnsieve.text import listed


def to_dowhy(
    learner: Any,
    treatment: str | Mapping[str, tuple[Hashable, Hashable]],
    outcome: str,
    *,
    state: Hashable | None = None,
    dag: Graph | None = None,
) -> DowhyInputs:
    """Return graph and rows for DoWhy: ``dowhy.CausalModel(**learner.to_dowhy(...))``.

    Treatment and outcome become numbers: a category is 0 or 1, a number stays in its units. Rows
    with missing values in the treatment, the outcome or an ancestor of these are left out. This
    needs networkx, which is installed with DoWhy, but not DoWhy itself.

    Parameters
    ----------
    treatment : str or mapping
        A column, or ``{column: (from, to)}`` with the two states to compare, if it has more than
        two.
    outcome : str
        The outcome variable.
    state : state, optional
        The state of the outcome whose probability is estimated, if it has more than two.
    dag : Graph, optional
        The DAG to pass on. By default `dag_`, but only if every DAG of its equivalence class gives
        the same effect.

    Returns
    -------
    DowhyInputs
        The arguments for DoWhy. Print them to see the choices made and the assumptions of an
        estimate.

    Raises
    ------
    ValueError
        If the effect depends on undetermined directions and no DAG is given; or if states must be
        named.
    """
    check_is_fitted(learner, "fit_result_")
    result: FitResult = learner.fit_result_
    settings = None
    parts = learner.network_.parts
    if not isinstance(treatment, str):
        if len(treatment) != 1:
            raise ValueError(f"to_dowhy takes one treatment, not {len(treatment)}")
        ((treatment, pair),) = treatment.items()
        if not isinstance(pair, tuple) or len(pair) != 2 or pair[0] == pair[1]:
            raise ValueError(f"name two different states of {treatment!r}: (from, to)")
        settings = _state(parts, treatment, pair[0]), _state(parts, treatment, pair[1])
    rows = result.rows
    for name in (treatment, outcome):
        if name not in result.dag.nodes:
            raise unknown_node(name, result.dag.nodes)
    if treatment == outcome:
        raise ValueError(f"{outcome!r} is both treatment and outcome: name two variables")
    if dag is not None:
        chosen, note = chosen_dag(dag, result.dag, result.graph)
    else:
        constraints = (known_of(result, learner.knowledge) or Knowledge()).resolve(result.dag.nodes)
        known = result.graph == known_class(result.dag, constraints)
        chosen, note = dag_for_effect(
            result.dag, result.graph, treatment, outcome, v_structures_known=known
        )
    notes = [note]
    if dag is None and (said := _directions(result)):
        notes.append(said)
    if rows.n_rows < result.n_rows:
        notes.append(f"rows: a sample of {rows.n_rows:,} of {result.n_rows:,}")
    chosen_state = None if state is None else _state(parts, outcome, state)
    return dowhy_inputs(
        chosen, rows, treatment, outcome, settings=settings, state=chosen_state, notes=notes
    )


def _state(parts: Any, name: str, value: Hashable) -> Hashable:
    """Return the state that a value of a column is, or a ValueError if it is none."""
    state: Hashable = parts.in_states({name: value})[name]
    states = parts.binned_states.get(name, ())
    if state not in states:
        raise ValueError(f"{name!r} has no state {value!r}: it has {listed(map(str, states))}")
    return state


def _directions(result: FitResult) -> str:
    """Say how reliable the directions are on which an estimate rests."""
    found = Counter(result.reliability(tail, head) for tail, head in result.dag.directed_edges)
    parts = [
        f"{found[word]:,} {f'given by {word}' if word in GIVEN else word}"
        for word in RELIABILITY
        if found[word]
    ]
    return f"directions: {', '.join(parts)}; an estimate assumes all of them" if parts else ""
