"""A ranking of changes: the change that explains most comes first.

In: the changes of each section, and the DAG. Out: `Cause`s, without those of odd rows. Changes of
columns and mechanisms come before margins that moved without them; within each, the clearest first.

If some cells of a variable are wrong, its mechanism changes, and so do those of its children. If
several mechanisms that involve one variable changed, this variable is therefore named instead of
them: one cause is more plausible than several.
"""

from collections.abc import Sequence

from bnsieve.check.result import Cause, Margin, Mechanism, NewDependence
from bnsieve.check.schema import SchemaChange
from bnsieve.graph import Graph
from bnsieve.text import listed

# A variable explains changes of mechanisms if, of those that involve it, at least so many changed,
# and at least this share.
_LEAST_TOGETHER, _LEAST_SHARE = 2, 0.5


def causes_of(
    schema: Sequence[SchemaChange],
    margins: Sequence[Margin],
    mechanisms: Sequence[Mechanism],
    dependence: Sequence[NewDependence],
    graph: Graph,
) -> tuple[Cause, ...]:
    """Return the causes of all changes, the clearest first.

    Parameters
    ----------
    schema : sequence of SchemaChange
        Those that chance does not explain.
    margins, mechanisms : sequences
        Of all variables.
    dependence : sequence of NewDependence
    graph : Graph
        The DAG that the mechanisms are of.
    """
    of_columns = [
        Cause("schema", (one.name,), f"{one.name}: {one.text}", one.p_value)
        if one.name
        else Cause("schema", (), one.text, one.p_value)
        for one in schema
    ]
    changed = sorted(
        (one for one in mechanisms if one.changed), key=lambda one: (one.p_value, -one.size)
    )
    together = [
        Cause("dependence", (one.x, one.y), f"new dependence of {one.x} and {one.y}", one.p_value)
        for one in dependence
    ]
    first = [*of_columns, *_explained(changed, mechanisms, graph), *together]
    moved = [
        Cause("margin", (one.name,), f"the margin of {one.name}", one.p_value)
        for one in sorted(margins, key=lambda one: (one.p_value, -one.size))
        if one.changed and not one.follows_from
    ]
    ranked = sorted(first, key=lambda one: one.p_value)
    named = {name for one in ranked for name in one.names}
    return (*ranked, *(one for one in moved if one.names[0] not in named))


def _explained(
    changed: Sequence[Mechanism], mechanisms: Sequence[Mechanism], graph: Graph
) -> list[Cause]:
    """Return the variables whose cells explain several changes, and the other mechanisms."""
    left = {one.name: one for one in changed}
    compared = {one.name for one in mechanisms if one.parents or one.changed}
    involving = {name: compared & {name, *graph.children(name)} for name in graph.nodes}
    found: list[Cause] = []
    while len(left) >= _LEAST_TOGETHER:
        ranks = {
            name: (len(own & left.keys()), len(own & left.keys()) / len(own))
            for name, own in involving.items()
            if own
        }
        best = max(ranks.values())
        if best[0] < _LEAST_TOGETHER or best[1] < _LEAST_SHARE:
            break
        first = next(name for name, rank in ranks.items() if rank == best)
        together = involving[first] & left.keys()
        names = tuple(
            name for name, rank in ranks.items() if rank == best and together <= involving[name]
        )
        members = [name for name in left if name in together]
        text = (
            f"the cells of {' or '.join(names)}: the mechanisms of {listed(members, 3)} "
            "changed together"
        )
        found.append(Cause("cells", names, text, min(left[name].p_value for name in members)))
        for name in members:
            del left[name]
    found += [_of_mechanism(one) for one in left.values()]
    return found


def _of_mechanism(one: Mechanism) -> Cause:
    names = (one.name, *one.alternatives)
    text = f"the mechanism of {' or '.join(names)}"
    if one.alternatives:
        text += ", as the direction of their edge is undetermined"
    return Cause("mechanism", names, text, one.p_value)
