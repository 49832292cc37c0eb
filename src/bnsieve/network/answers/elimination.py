"""Sums over products of tables, many versions of the tables at once.

In: factors with a batch axis in front, which numbers the versions, such as draws of tables. Out:
the distribution of some variables in each version. One elimination serves the whole batch.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnsieve.network.discrete.model import Values
from bnsieve.network.discrete.ordering import Order, best_order


class Versions(NamedTuple):
    """A function of some variables, in several versions.

    Attributes
    ----------
    scope : tuple of int
    values : ndarray of float64, shape (n_versions or 1, one axis per variable)
        One version stands for all where the batch has several.
    """

    scope: tuple[int, ...]
    values: Values


def planned(scopes: Sequence[Sequence[int]], kept: Sequence[int], n_levels: Sequence[int]) -> Order:
    """Return the order in which all variables but some are summed out."""
    summed = {v for scope in scopes for v in scope}.difference(kept)
    return best_order(scopes, n_levels, [sorted(summed)])


def distribution(factors: Sequence[Versions], kept: Sequence[int], order: Order) -> Values:
    """Multiply factors, sum over all variables but some, and scale each version to 1.

    Parameters
    ----------
    factors : sequence of Versions
    kept : sequence of int
        Each in at least one factor.
    order : Order
        Of the other variables; see `planned`.

    Returns
    -------
    ndarray of float64, shape (n_versions, one axis per variable kept)
        NaN in versions in which everything has probability zero.
    """
    pool = list(factors)
    for variable in order.variables:
        own = [factor for factor in pool if variable in factor.scope]
        product = _multiplied(own)
        left = product.values.sum(axis=1 + product.scope.index(variable))
        pool = [factor for factor in pool if variable not in factor.scope]
        pool.append(Versions(tuple(v for v in product.scope if v != variable), _scaled(left)))
    whole = _multiplied(pool)
    values = whole.values.transpose([0, *(1 + whole.scope.index(v) for v in kept)])
    with np.errstate(invalid="ignore"):  # 0 / 0: nothing is possible in this version
        shares: Values = values / values.sum(axis=tuple(range(1, values.ndim)), keepdims=True)
    return shares


def _multiplied(factors: Sequence[Versions]) -> Versions:
    """Multiply factors; those of few cells first, as their products are small."""
    scope = tuple(dict.fromkeys(v for factor in factors for v in factor.scope))
    product: Values = np.ones((1,) * (1 + len(scope)))
    for factor in sorted(factors, key=lambda one: one.values.size):
        own = [v for v in scope if v in factor.scope]
        values = factor.values.transpose([0, *(1 + factor.scope.index(v) for v in own)])
        product = (
            product * values[(slice(None), *(slice(None) if v in own else None for v in scope))]
        )
    return Versions(scope, product)


def _scaled(values: Values) -> Values:
    """Divide each version by its largest value, so that long products do not vanish."""
    largest = values.max(axis=tuple(range(1, values.ndim)), keepdims=True)
    scaled: Values = values / np.where(largest > 0, largest, 1.0)
    return scaled
