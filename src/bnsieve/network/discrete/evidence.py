"""Evidence: states that were seen, or how likely each state makes what was seen.

In: a mapping from names to states or likelihoods. Out: an `Evidence` by position, and the parts of
the network that bear on a query. An unknown name or state is refused with the nearest one, or with
those that there are.
"""

import difflib
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.graph import reachable
from bnsieve.network.discrete.model import Factor, Model, Values
from bnsieve.text import listed

Given = Mapping[str, Any]
# Nodes that an error lists where no name is near the wrong one.
_MOST_NAMES = 10


@dataclass(frozen=True, eq=False)
class Evidence:
    """States and likelihoods of some variables, by position.

    Attributes
    ----------
    hard : dict from int to int
        The position of the state that a variable has.
    soft : dict from int to ndarray of float64
        Likelihoods: how probable what was seen is under each state, up to a constant.
    """

    hard: dict[int, int] = field(default_factory=dict)
    soft: dict[int, Values] = field(default_factory=dict)

    @property
    def variables(self) -> list[int]:
        """All that something is known of."""
        return [*self.hard, *self.soft]

    def only(self, variables: Iterable[int]) -> "Evidence":
        """Return the evidence about these variables."""
        kept = set(variables)
        return Evidence(
            {v: code for v, code in self.hard.items() if v in kept},
            {v: weights for v, weights in self.soft.items() if v in kept},
        )

    def sliced(self, model: Model, variable: int) -> Factor:
        """Return a variable's table at the given states: only what is open keeps an axis."""
        family = model.family(variable)
        at: tuple[int | slice, ...] = tuple(self.hard.get(v, slice(None)) for v in family)
        scope = tuple(v for v in family if v not in self.hard)
        return Factor(scope, np.asarray(model.tables[variable][at]))


def read_evidence(model: Model, given: Given | None) -> Evidence:
    """Check what is given, and give it by position.

    A variable with a single state is always known.

    Raises
    ------
    ValueError
        If a name or a state is unknown, or likelihoods are not numbers of which one is positive.
    """
    evidence = Evidence()
    for name, value in (given or {}).items():
        variable = position_of(model, name)
        if isinstance(value, Mapping):
            evidence.soft[variable] = _likelihoods(model, variable, value)
        else:
            evidence.hard[variable] = code_of(model, variable, value)
    for variable, n in enumerate(model.n_states):
        if n == 1:
            evidence.hard[variable] = 0
            evidence.soft.pop(variable, None)
    return evidence


def position_of(model: Model, name: Any) -> int:
    """Return the position of a variable; an unknown name is refused with the nearest one."""
    try:
        return model.index[name]
    except (KeyError, TypeError):
        raise unknown_node(name, model.names) from None


def code_of(model: Model, variable: int, state: Hashable) -> int:
    """Return the position of a state; an unknown one is refused with the nearest one."""
    try:
        return model.codes[variable][state]
    except (KeyError, TypeError):
        raise unknown_state(model.names[variable], state, model.states[variable]) from None


def unknown_node(name: Any, names: Iterable[str]) -> ValueError:
    """Return the error that names the nearest variable, or those that there are."""
    known = list(names)
    hint = nearest(name, known) or f"; its nodes are {listed(map(repr, known), _MOST_NAMES)}"
    return ValueError(f"the network has no node {name!r}{hint}.")


def asked_and_given(name: str) -> ValueError:
    """Return the error about a target that is in the evidence."""
    return ValueError(f"{name!r} is both target and evidence: leave it out of one of them.")


def unknown_state(name: str, state: Any, states: Sequence[Hashable]) -> ValueError:
    """Return the error that names the nearest state."""
    return ValueError(
        f"{name!r} has no state {state!r}{nearest(state, states)}; its states are "
        f"{listed(map(repr, states))}."
    )


def state_positions(
    name: str, observed: Iterable[Hashable], states: Sequence[Hashable]
) -> NDArray[np.int32]:
    """Return where each observed state stands among `states`; refuse one that is not there."""
    place = {state: i for i, state in enumerate(states)}
    for state in observed:
        if state not in place:
            raise unknown_state(name, state, states)
    return np.array([place[state] for state in observed], dtype=np.int32)


def nearest(wanted: Any, known: Iterable[Hashable]) -> str:
    """Return ``": did you mean 'yes'?"`` without the question mark, or nothing."""
    by_text = {str(name).casefold(): name for name in known}
    close = difflib.get_close_matches(str(wanted).casefold(), by_text, n=1)
    if not close:
        return ""
    meant = by_text[close[0]]
    if str(meant) != str(wanted):
        return f" (did you mean {meant!r}?)"
    kinds = type(meant).__name__, type(wanted).__name__
    return f" (did you mean {meant!r} of type {kinds[0]}, not {kinds[1]}?)"


def named_targets(model: Model, targets: str | Iterable[str], evidence: Evidence) -> list[int]:
    """Return the positions of what is asked for, refusing what is given already."""
    names = [targets] if isinstance(targets, str) else list(targets)
    positions = [position_of(model, name) for name in names]
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(f"the target {name!r} is named twice.")
    for name, variable in zip(names, positions, strict=True):
        if variable in evidence.hard and model.n_states[variable] > 1:
            raise asked_and_given(name)
    return positions


def in_words(given: Given | None) -> str:
    """Return ``smoke = yes, xray like {...}``."""
    said = []
    for name, value in (given or {}).items():
        if isinstance(value, Mapping):
            weights = ", ".join(f"{state}: {float(weight):g}" for state, weight in value.items())
            said.append(f"{name} like {{{weights}}}")
        else:
            said.append(f"{name} = {value}")
    return ", ".join(said)


def _likelihoods(model: Model, variable: int, given: Mapping[Hashable, Any]) -> Values:
    """Read a likelihood for every state of a variable."""
    name, weights = model.names[variable], []
    for state in given:
        code_of(model, variable, state)
    for state in model.states[variable]:
        if state not in given:
            raise ValueError(
                f"the likelihoods of {name!r} lack the state {state!r}: give it 0 if it is ruled "
                "out."
            )
        try:
            weights.append(float(given[state]))
        except (TypeError, ValueError):
            weights.append(math.nan)
        if not 0 <= weights[-1] < math.inf:
            raise ValueError(
                f"the likelihood of {name!r} = {state!r} must be a number of at least 0, "
                f"got {given[state]!r}."
            )
    if not any(weights):
        raise ValueError(f"the likelihoods of {name!r} are all 0: at least one must be positive.")
    return np.array(weights)


@dataclass(frozen=True)
class Part:
    """Variables that share CPTs, and the variables whose CPTs those are."""

    open: tuple[int, ...]
    tables: tuple[int, ...]


def parts(model: Model, targets: Iterable[int], evidence: Evidence) -> list[Part]:
    """Split the CPTs that bear on targets and evidence into parts that are independent given it.

    Barren variables are left out: neither targets nor in the evidence, nor with a descendant that
    is. CPTs of which the evidence fixes all variables are a part without open ones.
    """
    wanted = sorted(reachable([*targets, *evidence.variables], model.parents.__getitem__))
    scopes = {v: [w for w in model.family(v) if w not in evidence.hard] for v in wanted}
    tables_of: dict[int, list[int]] = {v: [] for v in wanted if v not in evidence.hard}
    for table, scope in scopes.items():
        for v in scope:
            tables_of[v].append(table)
    fixed = tuple(table for table, scope in scopes.items() if not scope)
    found, seen = [Part((), fixed)] if fixed else [], set[int]()
    for v in tables_of:
        if v not in seen:
            group = reachable([v], lambda w: (u for table in tables_of[w] for u in scopes[table]))
            tables = {table for w in group for table in tables_of[w]}
            found.append(Part(tuple(sorted(group)), tuple(sorted(tables))))
            seen |= group
    return found
