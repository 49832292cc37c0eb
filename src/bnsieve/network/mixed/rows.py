"""Rows under a network with numbers: their log densities, and draws.

In: the parts of a network, columns by name. Out: logarithms in units of the data; columns.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from bnsieve.network.mixed.fitting import Node
from bnsieve.network.mixed.inputs import Columns
from bnsieve.network.mixed.label_node import LabelNode
from bnsieve.network.mixed.number_node import NumberNode
from bnsieve.network.mixed.scale import Values

Tables = Mapping[str, NDArray[np.float64]]
Parents = Mapping[str, Sequence[str]]

# Uniform draws are multiples of 2**-53; the middle of a step is never 0 or 1.
_HALF_STEP = 2.0**-54


def node_log_density(
    name: str, columns: Columns, nodes: Mapping[str, Node], tables: Tables, parents: Parents
) -> Values:
    """Return the logarithm of the density, or probability, of one column given its parents."""
    own = columns[name]
    node = nodes.get(name)
    if isinstance(node, NumberNode):
        return node.log_density(own.astype(np.float64), columns)
    codes = own.astype(np.intp)
    if isinstance(node, LabelNode):
        logs = node.log_probabilities(columns, len(codes))
        return logs[np.arange(len(codes)), codes]
    table = tables[name]
    cells = tuple(columns[one].astype(np.intp) for one in (*parents[name], name))
    with np.errstate(divide="ignore"):
        shares: Values = np.log((table / table.sum(axis=-1, keepdims=True))[cells])
    return shares


def draw_column(
    name: str,
    columns: Columns,
    uniforms: Values,
    nodes: Mapping[str, Node],
    tables: Tables,
    parents: Parents,
) -> NDArray[Any]:
    """Return a value or code for each row, given its parents, from a number between 0 and 1."""
    node = nodes.get(name)
    if isinstance(node, NumberNode):
        return node.from_noise(ndtri(uniforms), columns)
    if isinstance(node, LabelNode):
        return node.draw(uniforms, columns)
    given = tuple(columns[one].astype(np.intp) for one in parents[name])
    sums = np.cumsum(tables[name], axis=-1)
    shares = np.broadcast_to(
        (sums[..., :-1] / sums[..., -1:])[given], (len(uniforms), sums.shape[-1] - 1)
    )
    codes: NDArray[np.intp] = (shares <= uniforms[:, np.newaxis]).sum(axis=1)
    return codes


def uniforms_of(seed: int, stream: int, first: int, n: int) -> Values:
    """Return numbers strictly between 0 and 1: those of the rows from `first` on."""
    generator = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(stream,)))
    generator.advance(first)
    drawn: Values = np.random.Generator(generator).random(n) + _HALF_STEP
    return drawn
