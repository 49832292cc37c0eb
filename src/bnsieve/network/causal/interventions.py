"""Networks under intervention: a variable is set, whatever its causes.

In: a `Model` and states to set. Out: the model in which the variables have these states and no
edges lead to them any more (Pearl's truncated factorisation), or in which a variable no longer
depends on some others.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bnsieve.graph import Graph
from bnsieve.network.discrete.evidence import code_of, position_of, read_evidence
from bnsieve.network.discrete.model import Model
from bnsieve.network.parts import FitRecord, NetworkParts
from bnsieve.network.queries import exact

# The states of a variable that says whether a row counts.
_COUNTS, _DOES_NOT = "counts", "does not"


def intervened(model: Model, codes: Mapping[int, int]) -> Model:
    """Return the model in which some variables are set to a state, both by position."""
    tables, parents = list(model.tables), list(model.parents)
    for variable, code in codes.items():
        parents[variable] = ()
        tables[variable] = np.zeros(model.n_states[variable])
        tables[variable][code] = 1.0
    return replace(model, parents=tuple(parents), tables=tuple(tables))


def intervened_parts(parts: NetworkParts, given: Mapping[str, Hashable]) -> NetworkParts:
    """Return the parts of the network in which some variables are set to a state or number."""
    model, states = parts.discrete, parts.in_states(given)
    codes = {position_of(model, name): 0 for name in states}
    codes = {v: code_of(model, v, states[model.names[v]]) for v in codes}
    changed = intervened(model, codes)
    posterior = parts.learned.posterior
    if posterior is not None:
        settled = {**posterior.settled, **{v: changed.tables[v] for v in codes}}
        posterior = replace(posterior, model=changed, settled=settled)
    return replace(
        parts.binned,
        graph=Graph(model.names, [e for e in parts.graph.directed_edges if e[1] not in states]),
        cpts={**parts.cpts, **{model.names[v]: changed.tables[v] for v in codes}},
        parents={**parts.parents, **dict.fromkeys(states, ())},
        learned=FitRecord(
            posterior,
            reader=parts.learned.reader,
            is_graph_learned=parts.learned.is_graph_learned,
        ),
    )


def reweighted(
    model: Model, treatment: int, parents: Sequence[int]
) -> tuple[Model, dict[str, str]]:
    """Return a model, and evidence for it, in which a variable does not depend on some others.

    Given the evidence, every configuration has its probability divided by that of the treatment
    given the parents. That is what an intervention does where these are the treatment's parents,
    and it needs the joint distribution only: the model's own edges may be directed otherwise.

    Returns
    -------
    model : Model
        With one more variable, which depends on the treatment and the parents.
    given : dict
        That variable's state.

    Raises
    ------
    ValueError
        If the treatment never has one of its states under some states of the parents: what it
        would do there, nothing tells.
    """
    family = (*parents, treatment)
    joint = exact(model, family, read_evidence(model, None), None)[0].probabilities
    before = joint.sum(axis=-1, keepdims=True)
    conditional = np.divide(joint, before, out=np.ones_like(joint), where=before > 0)
    if not conditional.all():
        *at, code = (int(i) for i in np.argwhere(conditional == 0)[0])
        where = " and ".join(
            f"{model.names[v]} = {model.states[v][i]!r}" for v, i in zip(parents, at, strict=True)
        )
        raise ValueError(
            f"{model.names[treatment]} = {model.states[treatment][code]!r} never occurs where "
            f"{where}: the effect of setting it there is unknown."
        )
    shares = conditional.min() / conditional
    extra = "weight"
    while extra in model.index:
        extra += "_"
    widened = Model(
        (*model.names, extra),
        (*model.states, (_COUNTS, _DOES_NOT)),
        (*model.parents, family),
        (*model.tables, np.stack([shares, 1.0 - shares], axis=-1)),
    )
    return widened, {extra: _COUNTS}
