"""Nodes of a network that are numeric or have a numeric parent, with densities in units.

In: columns by name. Out: what a node reads of its parents, log densities and draws; nodes as plain
values, for files and for comparison; an error that names what is wrong with a node.
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from bnsieve.network.mixed.scale import Scale, Values

# Scores at which a scale is turned round: a step is a hundredth of the noise, or less.
_TURNED_AT = 1_000

# By name: float64 values of a number, integer codes of states.
Columns = Mapping[str, NDArray[Any]]


def is_known(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which values of a column are not missing: neither NaN nor a code of -1."""
    known: NDArray[np.bool_] = column >= 0 if column.dtype.kind == "i" else ~np.isnan(column)
    return known


@dataclass(frozen=True, eq=False)
class NumberInput:
    """One numeric parent.

    Attributes
    ----------
    name : str
    scale : Scale
        Functions are of its scores.
    knots : tuple of float
        None: the score itself is the only function. Three or more, ascending: also the curves of
        a cubic spline that bends at these scores and is straight beyond the first and last.
    """

    name: str
    scale: Scale
    knots: tuple[float, ...] = ()

    @property
    def n_functions(self) -> int:
        """How many functions the number has."""
        return 1 + max(0, len(self.knots) - 2)

    def functions(self, values: Values) -> Values:
        """Return the functions of some values, shape (n_functions, n_rows)."""
        return spline_functions(self.scale.to_scores(values), self.knots)


def spline_functions(scores: Values, knots: tuple[float, ...]) -> Values:
    """Return the restricted cubic spline's functions: the score, then one for each knot but two.

    Straight lines outside the knots keep a node sane where it saw no rows.
    """
    functions = np.empty((1 + max(0, len(knots) - 2), len(scores)))
    functions[0] = scores
    if len(knots) < 3:
        return functions
    before, last = knots[-2:]
    unit = (last - knots[0]) ** 2
    tail = last - before
    to_before, to_last = (np.maximum(scores - knot, 0) ** 3 for knot in (before, last))
    for i, knot in enumerate(knots[:-2], start=1):
        curve = np.maximum(scores - knot, 0) ** 3
        curve += (to_last * (before - knot) - to_before * (last - knot)) / tail
        functions[i] = curve / unit
    return functions


@dataclass(frozen=True, eq=False)
class Inputs:
    """All parents of a node.

    Attributes
    ----------
    numbers : tuple of NumberInput
    categorical : tuple of str
        The categorical parents; the last one's state changes fastest in a configuration's number.
    n_states : tuple of int
        How many states each of these has.
    """

    numbers: tuple[NumberInput, ...]
    categorical: tuple[str, ...] = ()
    n_states: tuple[int, ...] = ()

    @property
    def n_configurations(self) -> int:
        """How many configurations the categorical parents have."""
        return prod(self.n_states)

    @property
    def states_of_configurations(self) -> NDArray[np.intp]:
        """The states of each configuration, shape (n_parents, n_configurations)."""
        if not self.n_states:
            return np.empty((0, 1), dtype=np.intp)
        return np.array(np.unravel_index(np.arange(self.n_configurations), self.n_states))

    @property
    def n_functions(self) -> int:
        """How many functions there are, with the constant one."""
        return 1 + sum(one.n_functions for one in self.numbers)

    @property
    def is_plain(self) -> bool:
        """Whether all functions are linear in the units of the data."""
        return all(one.scale.is_plain and not one.knots for one in self.numbers)

    def functions(self, columns: Columns, n_rows: int) -> Values:
        """Return the functions of each row, shape (n_functions, n_rows); the first is 1."""
        parts = [np.ones((1, n_rows))]
        parts += [one.functions(columns[one.name]) for one in self.numbers]
        return np.concatenate(parts)

    def configurations(self, columns: Columns, n_rows: int) -> NDArray[np.intp]:
        """Return the number of each row's configuration, shape (n_rows,)."""
        numbers = np.zeros(n_rows, dtype=np.intp)
        for name, radix in zip(self.categorical, self.n_states, strict=True):
            numbers = numbers * radix + columns[name].astype(np.intp)
        return numbers


@dataclass(frozen=True, eq=False)
class NumberNode:
    """The regression of a numeric variable on its parents.

    On its own scale, the variable is a sum of functions of its numeric parents plus noise. The
    coefficients and the size of the noise differ between configurations of the categorical parents.
    With linear scales, no knots and normal noise, this is a conditional linear Gaussian.

    Attributes
    ----------
    inputs : Inputs
        The parents, and the functions of the numeric ones.
    own : Scale
        The scale on which the mean is a sum of functions.
    coefficients : ndarray of float64, shape (n_configurations, n_functions)
        The coefficients of the functions of `inputs`, the constant first.
    deviations : ndarray of float64, shape (n_configurations,)
        The scale of the noise.
    noise : Scale
        The scale on which the noise is normal.
    n_parameters : float
        The number of free parameters. Coefficients that configurations share count in part.
    """

    inputs: Inputs
    own: Scale
    coefficients: Values
    deviations: Values
    noise: Scale
    n_parameters: float

    @property
    def is_plain(self) -> bool:
        """Whether this is a conditional linear Gaussian in the units of the data."""
        return self.own.is_plain and self.noise.is_plain and self.inputs.is_plain

    def log_density(self, values: Values, columns: Columns) -> Values:
        """Return the logarithm of the density of each value given the row's parents."""
        means, deviations = self.moments(columns, len(values))
        noise = (self.own.to_scores(values) - means) / deviations
        total: Values = (
            self.noise.log_density(noise) - np.log(deviations) + self.own.log_slope(values)
        )
        return total

    def from_noise(self, scores: Values, columns: Columns) -> Values:
        """Return the value of each row whose noise has this normal score."""
        means, deviations = self.moments(columns, len(scores))
        return self.own.from_scores(means + deviations * self.noise.from_scores(scores))

    def quantiles(self, scores: Values, columns: Columns, n_rows: int) -> Values:
        """Return the values of each row whose noise has some normal scores, (n_rows, n_scores).

        The result is approximate: the inverse of the own scale is interpolated between some scores.
        """
        means, deviations = self.moments(columns, n_rows)
        places = means[:, np.newaxis] + np.outer(deviations, self.noise.from_scores(scores))
        known = np.linspace(places.min(), places.max(), _TURNED_AT)
        found: Values = np.interp(places, known, self.own.from_scores(known))
        return found

    def moments(self, columns: Columns, n_rows: int) -> tuple[Values, Values]:
        """Return the mean and standard deviation of each row, on the node's own scale."""
        configurations = self.inputs.configurations(columns, n_rows)
        functions = self.inputs.functions(columns, n_rows)
        means: Values = np.einsum("nf,fn->n", self.coefficients[configurations], functions)
        return means, self.deviations[configurations]


@dataclass(frozen=True, eq=False)
class StateNode:
    """The logistic regression of a categorical variable with numeric parents.

    The log odds of the states are sums of functions of the numeric parents, with coefficients for
    each configuration of the categorical parents.

    Attributes
    ----------
    inputs : Inputs
        The parents, and the functions of the numeric ones.
    coefficients : ndarray of float64, shape (n_configurations, n_states, n_functions)
        The coefficients of the functions of `inputs`, the constant first.
    n_parameters : float
        The number of free parameters.
    """

    inputs: Inputs
    coefficients: Values
    n_parameters: float

    def log_probabilities(self, columns: Columns, n_rows: int) -> Values:
        """Return the logarithm of each state's probability in each row, (n_rows, n_states)."""
        configurations = self.inputs.configurations(columns, n_rows)
        functions = self.inputs.functions(columns, n_rows)
        odds = np.einsum("nlf,fn->nl", self.coefficients[configurations], functions)
        logs: Values = log_softmax(odds, axis=1)
        return logs

    def draw(self, uniforms: Values, columns: Columns) -> NDArray[np.intp]:
        """Draw a code for each row, from a uniform number between 0 and 1."""
        shares = np.exp(self.log_probabilities(columns, len(uniforms))).cumsum(axis=1)
        codes: NDArray[np.intp] = (shares[:, :-1] <= uniforms[:, np.newaxis]).sum(axis=1)
        return codes


Node = NumberNode | StateNode


def parts_of_node(node: Node) -> dict[str, Any]:
    """Return a node as plain values."""
    inputs = node.inputs
    parts: dict[str, Any] = {
        "numbers": [
            {"name": one.name, "scale": _scale_parts(one.scale), "knots": list(one.knots)}
            for one in inputs.numbers
        ],
        "labels": list(inputs.categorical),
        "n_states": list(inputs.n_states),
        "coefficients": node.coefficients.tolist(),
        "n_parameters": node.n_parameters,
    }
    if isinstance(node, NumberNode):
        parts |= {
            "own": _scale_parts(node.own),
            "deviations": node.deviations.tolist(),
            "noise": _scale_parts(node.noise),
        }
    return parts


def node_of_parts(parts: dict[str, Any]) -> Node:
    """Make a node of plain values; a numeric one if it has an `own` scale."""
    inputs = Inputs(
        tuple(
            NumberInput(one["name"], _scale_of(one["scale"]), tuple(map(float, one["knots"])))
            for one in parts["numbers"]
        ),
        tuple(parts["labels"]),
        tuple(map(int, parts["n_states"])),
    )
    coefficients = np.array(parts["coefficients"], dtype=np.float64)
    n_parameters = float(parts["n_parameters"])
    if "own" not in parts:
        return StateNode(inputs, coefficients, n_parameters)
    return NumberNode(
        inputs,
        _scale_of(parts["own"]),
        coefficients,
        np.array(parts["deviations"], dtype=np.float64),
        _scale_of(parts["noise"]),
        n_parameters,
    )


def same_node(one: Node, other: Node) -> bool:
    """Tell whether two nodes are the same to the last bit."""
    return parts_of_node(one) == parts_of_node(other)


def _scale_parts(scale: Scale) -> dict[str, Any]:
    parts: dict[str, Any] = {"centre": scale.centre, "spread": scale.spread}
    if not scale.is_plain:
        parts |= {
            "bent": scale.bent,
            "weights": scale.weights.tolist(),
            "means": scale.means.tolist(),
            "deviations": scale.deviations.tolist(),
        }
    return parts


def _scale_of(parts: dict[str, Any]) -> Scale:
    centre, spread = float(parts["centre"]), float(parts["spread"])
    if "weights" not in parts:
        return Scale.plain(centre, spread)
    lists = (np.array(parts[key], dtype=np.float64) for key in ("weights", "means", "deviations"))
    return Scale(centre, spread, bool(parts["bent"]), *lists)


def number_names(regressions: Mapping[str, Node]) -> set[str]:
    """Return the names of the nodes that are numbers."""
    return {name for name, node in regressions.items() if isinstance(node, NumberNode)}


def check_nodes(
    regressions: Mapping[str, Node],
    parents: Mapping[str, tuple[str, ...]],
    states: Mapping[str, tuple[Hashable, ...]],
) -> None:
    """Refuse nodes that do not fit the graph and the states.

    Raises
    ------
    ValueError
        If the parents, the shape of the coefficients or a number is not as it must be.
    """
    for name, given in parents.items():
        if name not in regressions and any(parent not in states for parent in given):
            raise ValueError(f"{name!r} has a numeric parent: it needs a regression, not a table.")
    for name, node in regressions.items():
        for fault in _faults(node, parents[name], states, len(states.get(name, ()))):
            raise ValueError(f"the regression of {name!r} is not right: {fault}.")


def _faults(
    node: Node, parents: tuple[str, ...], states: Mapping[str, tuple[Hashable, ...]], n_states: int
) -> Iterator[str]:
    inputs, n = node.inputs, node.inputs.n_configurations
    numbers = [parent.name for parent in inputs.numbers]
    if sorted((*numbers, *inputs.categorical)) != sorted(parents):
        yield f"it reads {(*numbers, *inputs.categorical)}, but the graph says {parents}"
    for name in states.keys() & set(numbers):
        yield f"it takes its parent {name!r} for a number"
    for name, expected in zip(inputs.categorical, inputs.n_states, strict=True):
        if len(states.get(name, ())) != expected:
            yield f"it expects {expected} states of its parent {name!r}"
    scales = [parent.scale for parent in inputs.numbers]
    for parent in inputs.numbers:
        if parent.knots and not (len(parent.knots) > 2 and np.all(np.diff(parent.knots) > 0)):
            yield f"the knots of {parent.name!r} must be three or more, ascending"
    shape: tuple[int, ...] = (n, n_states, inputs.n_functions)
    if isinstance(node, NumberNode):
        shape = (n, inputs.n_functions)
        scales += [node.own, node.noise]
        sizes = node.deviations
        if sizes.shape != (n,) or not np.all((sizes > 0) & np.isfinite(sizes)):
            yield f"there must be {n} deviations above zero"
    if node.coefficients.shape != shape or not np.all(np.isfinite(node.coefficients)):
        yield f"coefficients must be finite numbers of shape {shape}"
    if not all(scale.is_sound for scale in scales):
        yield "a scale must have a positive spread, positive deviations and weights that sum to 1"
