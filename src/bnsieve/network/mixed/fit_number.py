"""Fit a number to its parents.

In: values, columns of the parents. Out: a `NumberNode`, as simple as the rows allow: which scale,
which functions and which noise is decided by the BIC of proper densities in units.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from bnsieve.network.mixed.inputs import Columns, Inputs, NumberInput
from bnsieve.network.mixed.number_node import NumberNode
from bnsieve.network.mixed.regression import indicators, regression, solved
from bnsieve.network.mixed.scale import Scale, Values, fit_scale

# Shares of the rows below each knot; five are what most curves need, eight what waves do.
_KNOTS = ((0.05, 0.275, 0.5, 0.725, 0.95), tuple(np.linspace(0.02, 0.98, 8).tolist()))


def fit_number(
    values: Values,
    columns: Columns,
    scale: Scale,
    parents: Sequence[tuple[str, Scale]],
    labels: Sequence[tuple[str, int]],
) -> NumberNode:
    """Return the node of a number.

    Parameters
    ----------
    values : ndarray of float64, shape (n_rows,)
        Without missing cells, not all the same.
    columns : mapping from str to ndarray, shape (n_rows,)
        The parents' values and codes.
    scale : Scale
        That of the number on its own.
    parents : sequence of (str, Scale)
        The numeric parents.
    labels : sequence of (str, int)
        The label parents and how many levels each has.
    """
    plain = fit_scale(values, flexible=False)
    best, most = None, -np.inf
    for own in (plain,) if scale.is_plain else (plain, scale):
        inputs = Inputs(
            _chosen_functions(own.to_scores(values), columns, own, parents, labels),
            tuple(name for name, _ in labels),
            tuple(n for _, n in labels),
        )
        node = _with_noise(values, columns, inputs, own)
        fit = node.log_density(values, columns).sum()
        total = float(fit) - 0.5 * np.log(len(values)) * node.n_parameters
        if best is None or total > most:
            best, most = node, total
    assert best is not None
    return best


def _with_noise(values: Values, columns: Columns, inputs: Inputs, own: Scale) -> NumberNode:
    """Fit coefficients, then noise: normal if that is as good."""
    n = len(values)
    functions = inputs.functions(columns, n)
    configurations = inputs.configurations(columns, n)
    found = regression(own.to_scores(values), functions, configurations, inputs)
    node = NumberNode(
        inputs,
        own,
        found.coefficients,
        found.deviations,
        Scale.plain(),
        found.n_parameters + (0 if own.is_plain else own.n_parameters),
    )
    means, deviations = node._moments(columns, n)
    noise = fit_scale((own.to_scores(values) - means) / deviations)
    if noise.is_plain:
        return node
    return replace(node, noise=noise, n_parameters=node.n_parameters + noise.n_parameters)


def _chosen_functions(
    scores: Values,
    columns: Columns,
    own: Scale,
    parents: Sequence[tuple[str, Scale]],
    labels: Sequence[tuple[str, int]],
) -> tuple[NumberInput, ...]:
    """Choose each numeric parent's scale and knots, one after the other, twice around."""
    if not parents:
        return ()
    options = [list(_options(name, scale, columns, own)) for name, scale in parents]
    blocks = [
        [one.functions(columns[one.name].astype(np.float64)) for one in ways] for ways in options
    ]
    shift = [indicators(columns[name], n_levels) for name, n_levels in labels]
    everything = np.concatenate(
        [np.ones((1, len(scores))), *shift, *(block for some in blocks for block in some)]
    )
    gram, moments = everything @ everything.T, everything @ scores
    total = float(scores @ scores)
    fixed = list(range(1 + sum(map(len, shift))))
    places = _places(len(fixed), blocks)

    def worth(chosen: Sequence[int]) -> float:
        used = fixed + [i for parent, option in enumerate(chosen) for i in places[parent][option]]
        own_gram = gram[np.ix_(used, used)]
        left = total - float(moments[used] @ solved(own_gram, moments[used]))
        n = len(scores)
        return -0.5 * n * math.log(max(left, 1e-12 * total)) - 0.5 * math.log(n) * len(used)

    chosen = [0] * len(parents)
    for _ in range(2):
        before = list(chosen)
        for parent in range(len(parents)):
            tried = [
                [*chosen[:parent], option, *chosen[parent + 1 :]]
                for option in range(len(options[parent]))
            ]
            chosen = max(tried, key=worth)
        if chosen == before:
            break
    return tuple(options[parent][option] for parent, option in enumerate(chosen))


def _options(name: str, scale: Scale, columns: Columns, own: Scale) -> Iterator[NumberInput]:
    """Ways to read a parent, the simplest first: on the scale of the node's kind, linear."""
    values = columns[name].astype(np.float64)
    plain = fit_scale(values, flexible=False)
    scales = [plain] if scale.is_plain else [plain, scale] if own.is_plain else [scale, plain]
    for one in scales:
        yield NumberInput(name, one)
    for one in scales:
        scores = one.to_scores(values)
        for shares in _KNOTS:
            knots = np.quantile(scores, shares)
            if np.all(np.diff(knots) > 1e-3):
                yield NumberInput(name, one, tuple(knots.tolist()))


def _places(first: int, blocks: list[list[Values]]) -> list[list[range]]:
    places: list[list[range]] = []
    for some in blocks:
        places.append([])
        for block in some:
            places[-1].append(range(first, first + len(block)))
            first += len(block)
    return places
