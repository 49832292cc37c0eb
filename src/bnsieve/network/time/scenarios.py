"""What is set or given of future steps, as a user writes it.

In: ``{"valve": ("t+1", "open")}``. Out: a `Scenario`, and the same in words. Unknown variables,
states and steps are refused by name.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

from bnsieve.network.discrete.evidence import unknown_node, unknown_state
from bnsieve.network.time.paths import Scenario
from bnsieve.network.time.slices import Slices
from bnsieve.table import parse_lagged_name

_STEP = re.compile(r"t\s*\+\s*([1-9]\d*)")

Future = Mapping[str, Any]


def read_scenario(
    slices: Slices, do: Future | None, given: Future | None, n_steps: int
) -> tuple[Scenario, str]:
    """Return what is set and what is given, and both in words."""
    put, put_words = _settings(slices, do or {}, n_steps, "do")
    seen, seen_words = _settings(slices, given or {}, n_steps, "given")
    for name, step in put.keys() & seen.keys():
        raise ValueError(f"{name!r} at t+{step} is both set and given: leave it out of one of them")
    words = [f"do({', '.join(put_words)})"] if put else []
    words += [f"the evidence {', '.join(seen_words)}"] if seen else []
    return Scenario(put, seen), " and ".join(words)


def _settings(
    slices: Slices, asked: Future, n_steps: int, option: str
) -> tuple[dict[tuple[str, int], float], list[str]]:
    found: dict[tuple[str, int], float] = {}
    words = []
    for name, said in asked.items():
        if name not in slices.order:
            if name in slices.known:
                raise ValueError(f"{option} names {name!r}, which follows from the calendar")
            if parse_lagged_name(name).variable in slices.order:
                raise ValueError(f"{option} names {name!r}, which is past: put it into the history")
            if name in slices.places and name not in slices.lagged:
                raise ValueError(
                    f"{option} names {name!r}, which does not change over time: it is part of the "
                    "history"
                )
            raise unknown_node(name, slices.variables)
        for steps, value in _pairs(name, said, n_steps, option):
            code = _value(slices, name, value)
            for step in steps:
                if (name, step) in found:
                    raise ValueError(f"{option} has two values of {name!r} at t+{step}")
                found[name, step] = code
            when = f"t+{steps[0]}" if len(steps) == 1 else f"t+{steps[0]} to t+{steps[-1]}"
            words.append(f"{name} = {value} at {when}")
    return found, words


def _pairs(name: str, said: Any, n_steps: int, option: str) -> list[tuple[range, Any]]:
    """Read a value for all steps, a pair of step and value, or several such pairs."""
    if isinstance(said, Mapping):
        said = list(said.items())
    if isinstance(said, list):
        return [pair for one in said for pair in _pairs(name, one, n_steps, option)]
    if not isinstance(said, tuple):
        return [(range(1, n_steps + 1), said)]
    if len(said) != 2:
        raise ValueError(
            f'{option} of {name!r} must be a value, or a step and a value such as ("t+1", value); '
            f"got {said!r}"
        )
    when, value = said
    match = _STEP.fullmatch(when.strip()) if isinstance(when, str) else None
    if match is None and not (isinstance(when, int) and not isinstance(when, bool) and when >= 1):
        raise ValueError(
            f'{option} of {name!r} names the step {when!r}: steps are "t+1", "t+2" and so on, or '
            "1, 2 and so on"
        )
    step = int(match[1]) if match is not None else int(when)
    if step > n_steps:
        raise ValueError(
            f"{option} names {name!r} at t+{step}, but only {n_steps} steps are forecast: raise "
            "steps"
        )
    return [(range(step, step + 1), value)]


def _value(slices: Slices, name: str, value: Any) -> float:
    """Return a number, or the code of a state."""
    if name in slices.parts.numbers:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise ValueError(f"{name!r} is a number, but {value!r} is given: give a finite number")
        return number
    states = slices.parts.states[name]
    state = slices.parts.in_states({name: value})[name]
    for candidate in (value, state):
        if candidate in states:
            return states.index(candidate)
    texts = [str(one) for one in states]
    if texts.count(str(value)) == 1:  # as typed on a command line
        return texts.index(str(value))
    raise unknown_state(name, value, states)
