"""Queries: how probable states are given evidence, by exact inference or by sampling.

In: the parts of a network, targets and evidence by name. Out: distributions, explanations, expected
numbers.
"""

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Literal, TypedDict, Unpack, get_args

from bnsieve.engine import RandomState, seed_of
from bnsieve.network.discrete.cliques import DEFAULT_MAX_BYTES
from bnsieve.network.discrete.evidence import (
    Evidence,
    Given,
    in_words,
    named_targets,
    read_evidence,
)
from bnsieve.network.discrete.exact import (
    Answered,
    ImpossibleError,
    impossible,
    joint_table,
    margins,
    shown_bytes,
)
from bnsieve.network.discrete.explanation import best_assignments
from bnsieve.network.discrete.model import Model
from bnsieve.network.discrete.results import Distribution, Distributions, Explanation, Explanations
from bnsieve.network.discrete.sampling import DEFAULT_DRAWS, estimate
from bnsieve.network.intervals import checked_level, with_interval
from bnsieve.network.mixed.answers import state_probabilities
from bnsieve.network.parts import NetworkParts

Method = Literal["exact", "sampling"]
Interval = float | Literal["auto"] | None
DEFAULT_INTERVAL = 0.9
# What the state of a variable takes in a list of explanations, and in the search for them.
_BYTES_OF_STATE = 160


class QueryOptions(TypedDict, total=False):
    """How a query is answered; see `bnsieve.BayesianNetwork.query`."""

    interval: Interval
    method: Method
    n_draws: int
    random_state: RandomState
    max_bytes: int


class AnyOptions(QueryOptions, total=False):
    """Options of a query for one target."""

    joint: bool


class SeparateOptions(QueryOptions, total=False):
    """Options of a query for the distribution of each target."""

    joint: Literal[False]


class JointOptions(QueryOptions):
    """Options of a query for the joint distribution of the targets."""

    joint: Literal[True]


def answer_query(
    parts: NetworkParts,
    targets: str | Iterable[str],
    given: Given | None,
    *,
    joint: bool = False,
    interval: Interval = "auto",
    method: Method = "exact",
    n_draws: int = DEFAULT_DRAWS,
    random_state: RandomState = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> Distribution | Distributions:
    """Answer a query: by CPTs, where numeric variables have bins, or by draws in their units."""
    draws = n_draws_of(method, n_draws)
    seed = seed_of(random_state) if draws else 0
    alone = isinstance(targets, str)
    names = [targets] if isinstance(targets, str) else list(targets)
    if not names:
        raise ValueError("no target is named: ask for at least one variable.")
    level = None if interval == "auto" else checked_level(interval)
    if level is not None and (draws or not parts.has_bins):
        raise ValueError(
            'intervals need exact answers from CPTs: leave out interval or method="sampling".'
        )
    if not parts.has_bins or (draws and parts.numbers):
        if joint and len(names) > 1:
            raise ValueError("joint distributions need CPTs of all variables: leave out joint.")
        mixed, known = parts.mixed, dict(given or {})
        answers = [state_probabilities(mixed, name, known, draws, seed) for name in names]
    else:
        model, states = parts.discrete, parts.in_states(given)
        evidence = read_evidence(model, states)
        positions = named_targets(model, names, evidence)
        alone = alone or joint
        if draws:
            scopes = [tuple(positions)] if alone else [(v,) for v in positions]
            solve = partial(estimate, model, scopes, evidence, draws, seed)
            answers = distributions(model, evidence, states, solve)
        else:
            answers = exact(model, positions, evidence, states, joint=alone, max_bytes=max_bytes)
            if interval == "auto" and parts.learned.posterior is not None:
                level = DEFAULT_INTERVAL
        if level is not None:
            source = parts.interval_source
            answers = [with_interval(answer, source, states, level) for answer in answers]
    return answers[0] if alone else Distributions({answer.names[0]: answer for answer in answers})


def answer_marginals(
    parts: NetworkParts, given: Given | None, **options: Unpack[QueryOptions]
) -> Distributions:
    """Return the distribution of every variable with states that is not in the evidence."""
    names = [name for name in open_names(parts.graph.nodes, given) if name in parts.binned_states]
    if not names and not parts.has_bins:
        raise ValueError("no categorical variable is left: use expect(name) for numbers.")
    if not names:  # nothing is left to say, but that all this can be
        return all_margins(parts.discrete, parts.in_states(given))
    options.setdefault("interval", None)
    answers = answer_query(parts, names, given, **options)
    assert isinstance(answers, Distributions)
    return answers


def distribution(model: Model, target: str, given: Given | None) -> Distribution:
    """Return the distribution of one variable."""
    evidence = read_evidence(model, given)
    return exact(model, named_targets(model, target, evidence), evidence, given)[0]


def exact(
    model: Model,
    targets: Sequence[int],
    evidence: Evidence,
    given: Given | None,
    *,
    joint: bool = True,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> list[Distribution]:
    """Answer a query exactly."""
    solve = partial(joint_table if joint else margins, model, targets, evidence, max_bytes)
    return distributions(model, evidence, given, solve, max_bytes)


def distributions(
    model: Model,
    evidence: Evidence,
    given: Given | None,
    solve: Callable[[], Answered],
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> list[Distribution]:
    """Return the answers of a solver; evidence that is impossible is refused by name."""
    try:
        answered = solve()
    except ImpossibleError:
        raise impossible(model, evidence, max_bytes) from None
    words = in_words(given)
    return [
        Distribution(
            tuple(model.names[v] for v in scope),
            tuple(model.states[v] for v in scope),
            table,
            words,
            answered.log_evidence,
            answered.errors.get(scope),
            answered.n_effective,
        )
        for scope, table in answered.tables.items()
    ]


def all_margins(
    model: Model, given: Given | None, max_bytes: int = DEFAULT_MAX_BYTES
) -> Distributions:
    """Return the distribution of every variable that is not in the evidence, exactly."""
    evidence = read_evidence(model, given)
    names = open_names(model.names, given)
    positions = named_targets(model, names, evidence) if names else []
    answers = exact(model, positions, evidence, given, joint=False, max_bytes=max_bytes)
    return Distributions({answer.names[0]: answer for answer in answers})


def explanations(
    model: Model, targets: str | Iterable[str] | None, given: Given | None, k: int, max_bytes: int
) -> Explanations:
    """Return the `k` most probable states of some variables together, best first."""
    k = operator.index(k)
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}.")
    evidence = read_evidence(model, given)
    wanted = open_names(model.names, given) if targets is None else targets
    positions = named_targets(model, wanted, evidence) if wanted else []
    n_listed = min(k, math.prod(model.n_states[v] for v in positions))
    n_bytes = _BYTES_OF_STATE * n_listed * len(positions)
    if n_listed > 1 and n_bytes > max_bytes:  # one is part of the engine's plan
        raise ValueError(
            f"{n_listed:,} explanations of {len(positions):,} variables would take "
            f"{shown_bytes(n_bytes)}, more than max_bytes = {shown_bytes(max_bytes)}: ask for "
            "fewer, name fewer targets, or raise max_bytes."
        )
    try:
        best = best_assignments(model, positions, evidence, k + 1, max_bytes)
    except ImpossibleError:
        raise impossible(model, evidence, max_bytes) from None
    explained = []
    for place, (codes, log_probability) in enumerate(best[:k]):
        states = {model.names[v]: model.states[v][codes[v]] for v in positions}
        log_next = best[place + 1][1] if place + 1 < len(best) else -math.inf
        explained.append(Explanation(states, log_probability, log_next))
    return Explanations(explained, in_words(given))


def open_names(names: Iterable[str], given: Given | None) -> list[str]:
    """Return the variables of which no state is given."""
    seen = {name for name, value in (given or {}).items() if not isinstance(value, Mapping)}
    return [name for name in names if name not in seen]


def n_draws_of(method: Method, n_draws: int) -> int | None:
    """Return how many draws to take; None for an exact answer."""
    if method not in get_args(Method):
        raise ValueError(f"method must be 'exact' or 'sampling', got {method!r}.")
    if method == "exact":
        return None
    n_draws = operator.index(n_draws)
    if n_draws < 1:
        raise ValueError(f"n_draws must be at least 1, got {n_draws}.")
    return n_draws
