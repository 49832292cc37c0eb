"""Parameters of a learner, checked by name, value and range before anything is read.

In: the parameters as `get_params` returns them. Out: nothing, or a ValueError or TypeError that
names the parameter, its value and the allowed values.
"""

import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple, get_args

import numpy as np

from bnsieve.decide import (
    MAX_CANDIDATES,
    METHODS,
    OWN_NEEDS_INDEPENDENT_ROWS,
    Criterion,
    Score,
    is_ci_test,
    is_family_score,
)
from bnsieve.engine import Engine, seed_of
from bnsieve.knowledge import Knowledge
from bnsieve.network import WAYS
from bnsieve.search import Join, Variant
from bnsieve.table import MAX_LAGS, Discretizer, timeline_of
from bnsieve.table.prepare import Preparation


class Requirement(NamedTuple):
    """The values that a parameter may have: in words, and as a function that checks one."""

    words: str
    holds: Callable[[Any], bool]


def _whole(least: int, most: float = math.inf, *, or_none: bool = False) -> Requirement:
    words = f"a whole number of at least {least}"
    if math.isfinite(most):
        words = f"a whole number from {least} to {most}"

    def holds(value: Any) -> bool:
        if value is None:
            return or_none
        return isinstance(value, Integral) and value is not True and least <= int(value) <= most

    return Requirement(words + (" or None" if or_none else ""), holds)


def _number(above: float, below: float = math.inf, *, closed: bool = False) -> Requirement:
    words = f"a number {'of at least' if closed else 'above'} {above:g}"
    if math.isfinite(below):
        words = f"a number between {above:g} and {below:g}"

    def holds(value: Any) -> bool:
        if not isinstance(value, Real) or value is True or not math.isfinite(value):
            return False
        number = float(value)
        return (above < number or (closed and above == number)) and number < below

    return Requirement(words, holds)


def _one_of(*names: str) -> Requirement:
    words = "one of " + ", ".join(names)
    return Requirement(words, lambda value: isinstance(value, str) and value in names)


def _is_criterion(value: Any) -> bool:
    if not isinstance(value, Score):
        is_name = isinstance(value, str) and value in get_args(Criterion)
        return is_name or is_family_score(value)
    sizes = value.equivalent_sample_sizes
    if not isinstance(sizes, tuple) or not sizes:
        return False
    return (
        value.kind in get_args(Criterion)
        and all(isinstance(size, Real) and float(size) > 0 for size in sizes)  # infinity is one
        and _number(0.0, closed=True).holds(value.parent_cost)
        and _number(0.0, closed=True).holds(value.penalty)
    )


_COLUMN = Requirement(
    "the name of a column or None",
    lambda value: value is None or (isinstance(value, str) and value != ""),
)


def _is_step(value: Any) -> bool:
    return value is None or isinstance(value, str) or _number(0.0).holds(value)


RULES: dict[str, Requirement] = {
    "method": _one_of("search", "tests"),
    "variant": _one_of(*get_args(Variant)),
    "criterion": Requirement(
        f"one of {', '.join(get_args(Criterion))}, a Score with equivalent sample sizes above 0 "
        "and no cost below 0, or an object with a method score(counts, n_configurations)",
        _is_criterion,
    ),
    "n_candidates": _whole(1, MAX_CANDIDATES),
    "n_neighbors": _whole(1),
    "cut": _one_of("fixed", "relative"),
    "max_parents": _whole(1, MAX_CANDIDATES, or_none=True),
    "max_conditioning": _whole(0, or_none=True),
    "alpha": _number(0.0, 1.0),
    "ci_test": Requirement(
        f"one of {', '.join(METHODS)}, or an object with a method p_value(joint)",
        lambda value: (isinstance(value, str) and value in METHODS) or is_ci_test(value),
    ),
    "candidates": Requirement(
        "a mapping from variables to the names of their candidate parents, a function of the "
        "sample that returns one, or None",
        lambda value: value is None or isinstance(value, Mapping) or callable(value),
    ),
    "join": _one_of(*get_args(Join)),
    "n_clauses": _whole(1),
    "threshold": _whole(1),
    "specificity": _number(1.0, closed=True),
    "epochs": _whole(1, or_none=True),
    "missing": _one_of("auto", *WAYS),
    "n_jobs": Requirement(
        "a whole number, not 0, or None",
        lambda value: value is None or (isinstance(value, Integral) and value != 0),
    ),
    "engine": Requirement(
        "'local', 'ray', 'spark', 'dask', a name that a package registered, the address of a Ray "
        "cluster, or an object with n_workers, n_parts, map and fold",
        lambda value: (
            value != ""
            if isinstance(value, str)
            else isinstance(value, Engine) and not isinstance(value, type)
        ),
    ),
    "sample_rows": _whole(1),
    "min_effect": _number(0.0, 1.0, closed=True),
    "time": _COLUMN,
    "by": _COLUMN,
    "key": _COLUMN,
    "lags": Requirement(
        f"a whole number from 1 to {MAX_LAGS}, 'auto' or None",
        lambda value: (
            _whole(1, MAX_LAGS, or_none=True).holds(value)
            or (isinstance(value, str) and value == "auto")
        ),
    ),
    "every": Requirement(
        "a length of time such as '10s', '5min', '1h', '1d', '1w' or '1mo', a number above 0 if "
        "the time column holds numbers, or None",
        _is_step,
    ),
    "verbose": Requirement(
        "True or False", lambda value: isinstance(value, bool | np.bool) or value in (0, 1)
    ),
    "prepare": Requirement(
        "'auto', a Preparation, a Discretizer or None",
        lambda value: (
            value is None or value == "auto" or isinstance(value, Preparation | Discretizer)
        ),
    ),
}


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Check the parameters of a learner.

    Raises
    ------
    ValueError, TypeError
        If a parameter has a wrong type or value.
    """
    for name, value in parameters.items():
        rule = RULES.get(name)
        if rule is not None and not rule.holds(value):
            raise ValueError(f"{name} must be {rule.words}; got {value!r}")
    knowledge = parameters.get("knowledge")
    if knowledge is not None and not isinstance(knowledge, Knowledge):
        raise TypeError(
            f"knowledge must be a bnsieve.Knowledge or None, not {type(knowledge).__name__}: "
            "Knowledge.from_dict, Knowledge.from_pgmpy and bnsieve.read make one"
        )
    is_clustered = parameters.get("by") is not None and parameters.get("time") is None
    if is_clustered and is_ci_test(parameters.get("ci_test")):
        raise ValueError(OWN_NEEDS_INDEPENDENT_ROWS)
    timeline_of(*(parameters.get(name) for name in ("time", "by", "lags", "every")))
    given = parameters.get("random_state")
    if not isinstance(given, np.random.RandomState | np.random.Generator):
        seed_of(given)  # refuses what is no seed; from these two it would draw
