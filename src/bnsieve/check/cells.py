"""How odd each cell is, given the rest of its row.

In: columns of values and codes. Out: a score for each cell, the logarithm of a ratio: the marginal
probability of the cell, divided by its probability given the rest of the row. The score is the
evidence that the cell does not belong to this row, because it was replaced, mistyped or measured
wrongly. If the network is right, the mean of its exponential is 1. A score of s or more then has at
most the probability exp(-s).

The rest of the row means the Markov blanket: the parents, the children and their other parents.
Training rows are left out of the counts before they are scored. Otherwise they would seem less odd
than new rows.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, logsumexp, ndtri

from bnsieve.graph import Graph
from bnsieve.network import (
    FamilyCounts,
    MixedModel,
    NumberNode,
    Scale,
    StateNode,
    fit_scale,
    is_known,
)

Values = NDArray[np.float64]
Columns = Mapping[str, NDArray[Any]]

# Imagined rows of each configuration of the parents, distributed as the variable is on its own:
# a configuration that was never seen makes no cell odd.
_IMAGINED = 2.0
# And of each state of a variable on its own.
_IMAGINED_STATES = 0.5
# Values of a number at which the other cells of a row are asked how likely it makes them.
_N_VALUES = 24
# To say what range was to be expected.
_N_FINE = 200
# A family that holds a smaller share of the evidence against a cell is not named.
_LEAST_BLAME = 0.2
_MOST_BLAMED = 4
# A state that is so probable is expected alone.
_CERTAIN = 0.7


@dataclass(frozen=True, eq=False)
class CountedFamily:
    """A categorical variable given categorical parents, from counts.

    Attributes
    ----------
    names : tuple of str
        Parents first, the variable last.
    counts : ndarray of float64
        One axis for each.
    margin : ndarray of float64, shape (n_states,)
        The probability of each state on its own.
    """

    names: tuple[str, ...]
    counts: Values
    margin: Values

    def log_density(self, columns: Columns, counted: NDArray[np.bool_] | None) -> Values:
        """Return the logarithm of each row's probability.

        Parameters
        ----------
        columns : mapping from str to ndarray
        counted : ndarray of bool or None
            The rows that are among those counted.
        """
        cells = tuple(columns[name] for name in self.names)
        less = 0.0 if counted is None else counted.astype(np.float64)
        rows = self.counts.sum(axis=-1)[cells[:-1]] - less
        share = (self.counts[cells] - less + _IMAGINED * self.margin[cells[-1]]) / (
            rows + _IMAGINED
        )
        logs: Values = np.log(share)
        return logs

    def log_states(self, columns: Columns, own: NDArray[np.intp], counted: bool) -> Values:
        """Return the logarithm of each state's probability in each row, (n_rows, n_states)."""
        given = tuple(columns[name] for name in self.names[:-1])
        found = np.broadcast_to(self.counts[given], (len(own), len(self.margin))).copy()
        if counted:
            found[np.arange(len(own)), own] -= 1.0
        shares = (found + _IMAGINED * self.margin) / (found.sum(axis=1, keepdims=True) + _IMAGINED)
        logs: Values = np.log(shares)
        return logs


@dataclass(frozen=True, eq=False)
class RegressedFamily:
    """A variable that is a number or has a numeric parent; see `bnsieve.network.mixed`."""

    names: tuple[str, ...]
    node: NumberNode | StateNode

    def log_density(self, columns: Columns, counted: NDArray[np.bool_] | None) -> Values:
        """Return the logarithm of each row's density or probability."""
        own = columns[self.names[-1]]
        if isinstance(self.node, NumberNode):
            return self.node.log_density(own, columns)
        return self.node.log_probabilities(columns, len(own))[np.arange(len(own)), own]

    def log_states(self, columns: Columns, own: NDArray[np.intp], counted: bool) -> Values:
        """Return the logarithm of each state's probability in each row, (n_rows, n_states)."""
        assert isinstance(self.node, StateNode)
        return self.node.log_probabilities(columns, len(own))


Family = CountedFamily | RegressedFamily


@dataclass(frozen=True, eq=False)
class CellScores:
    """Scores the cells of rows.

    Attributes
    ----------
    families : mapping from str to CountedFamily or RegressedFamily
    margins : mapping from str to ndarray or Scale
        The distribution of each variable on its own.
    children : mapping from str to sequence of str
    """

    families: Mapping[str, Family]
    margins: Mapping[str, Values | Scale]
    children: Mapping[str, Sequence[str]]

    @classmethod
    def of(
        cls, graph: Graph, counts: FamilyCounts, model: MixedModel | None, columns: Columns
    ) -> "CellScores":
        """Make one from a fit: its counts, its regressions and its training rows."""
        families: dict[str, Family] = {}
        margins: dict[str, Values | Scale] = {}
        nodes = {} if model is None else model.nodes
        for name in graph.nodes:
            family = (*graph.parents(name), name)
            cells = counts.cells(name, counts.states)
            own = cells.reshape(-1, cells.shape[-1]).sum(axis=0) + _IMAGINED_STATES
            node = nodes.get(name)
            if isinstance(node, NumberNode):
                known = columns[name][~np.isnan(columns[name])]
                margins[name] = fit_scale(known)
            else:
                margins[name] = own / own.sum()
            if node is None:
                families[name] = CountedFamily(family, cells, own / own.sum())
            else:
                families[name] = RegressedFamily(family, node)
        children = {name: graph.children(name) for name in graph.nodes}
        return cls(families, margins, children)

    def scores(self, columns: Columns, *, counted: bool = False) -> dict[str, Values]:
        """Return the score of each cell of each column; minus infinity where it is missing.

        Parameters
        ----------
        columns : mapping from str to ndarray, shape (n_rows,)
            Values, NaN where missing; codes of states, -1 where missing.
        counted : bool
            Whether these rows are training rows.
        """
        known = {name: is_known(column) for name, column in columns.items()}
        return {name: self._scores_of(name, columns, known, counted) for name in columns}

    def _scores_of(
        self, name: str, columns: Columns, known: Mapping[str, NDArray[np.bool_]], counted: bool
    ) -> Values:
        own = self.families[name]
        result = np.full(len(columns[name]), -np.inf)
        # A row is asked of the family and of those children of which no cell is missing.
        complete = complete_rows(own.names, known)
        alone = known[name] & ~complete
        result[alone] = 0.0
        rows = np.flatnonzero(complete)
        if not len(rows):
            return result
        some = {one: column[rows] for one, column in columns.items()}
        families = [self.families[child] for child in self.children[name]]
        usable = [complete_rows(one.names, known)[rows] for one in families]
        if isinstance(own, RegressedFamily) and isinstance(own.node, NumberNode):
            result[rows] = self._number(name, some, own.node, families, usable, counted)
        else:
            result[rows] = self._category(name, some, own, families, usable, counted)
        return result

    def _category(
        self,
        name: str,
        columns: Columns,
        own: Family,
        families: Sequence[Family],
        usable: Sequence[NDArray[np.bool_]],
        counted: bool,
    ) -> Values:
        codes = columns[name]
        logs = own.log_states(columns, codes, counted)
        for state in range(logs.shape[1]):
            same = codes == state
            tried = {**columns, name: np.full_like(codes, state)}
            for family, there in zip(families, usable, strict=True):
                logs[:, state] += _where(family, tried, there, same if counted else None)
        margin = self.margins[name]
        assert isinstance(margin, np.ndarray)
        given_rest = logs[np.arange(len(codes)), codes] - logsumexp(logs, axis=1)
        return np.log(margin[codes]) - given_rest

    def _number(
        self,
        name: str,
        columns: Columns,
        node: NumberNode,
        families: Sequence[Family],
        usable: Sequence[NDArray[np.bool_]],
        counted: bool,
    ) -> Values:
        values = columns[name]
        margin = self.margins[name]
        assert isinstance(margin, Scale)
        score = margin.log_density(values) - node.log_density(values, columns)
        if not families:
            return score
        all_rows = np.ones(len(values), dtype=bool)
        for family, there in zip(families, usable, strict=True):
            score -= _where(family, columns, there, all_rows if counted else None)
        # The same, averaged over what the parents lead one to expect.
        places = ndtri((np.arange(_N_VALUES) + 0.5) / _N_VALUES)
        expected = node.quantiles(places, columns, len(values))
        logs = np.zeros(expected.shape)
        for at in range(_N_VALUES):
            tried = {**columns, name: expected[:, at]}
            for family, there in zip(families, usable, strict=True):
                logs[:, at] += _where(family, tried, there, None)
        result: Values = score + logsumexp(logs, axis=1) - np.log(_N_VALUES)
        return result

    def expectation(
        self, name: str, columns: Columns, states: Mapping[str, Sequence[Hashable]]
    ) -> tuple[str, tuple[str, ...]]:
        """Return the expected value of a cell in words, and the cells that contradict the cell.

        Parameters
        ----------
        name : str
        columns : mapping from str to ndarray, shape (1,)
        states : mapping from str to sequence of states

        Returns
        -------
        str
            The most probable states, or the range of nine in ten values.
        tuple of str
            The cells that contradict the observed value most; at most `_MOST_BLAMED`.
        """
        known = {one: is_known(column) for one, column in columns.items()}
        own = self.families[name]
        families = [
            self.families[child]
            for child in self.children[name]
            if complete_rows(self.families[child].names, known)[0]
        ]
        if isinstance(own, RegressedFamily) and isinstance(own.node, NumberNode):
            places = ndtri((np.arange(_N_FINE) + 0.5) / _N_FINE)
            values: NDArray[Any] = own.node.quantiles(places, columns, 1)[0]
            logs = np.zeros(len(values))
        else:
            logs = own.log_states(columns, columns[name], counted=False)[0]
            values = np.arange(len(logs))
        tried = {one: np.repeat(column, len(values)) for one, column in columns.items()}
        tried[name] = values.astype(columns[name].dtype)
        of_children = [family.log_density(tried, None) for family in families]
        weights = np.exp(log_softmax(logs + sum(of_children, np.zeros(len(values)))))
        against = [
            float(logsumexp(own_logs, b=weights) - family.log_density(columns, None)[0])
            for own_logs, family in zip(of_children, families, strict=True)
        ]
        margin = self.margins[name]
        on_its_own = (
            margin.log_density(columns[name])
            if isinstance(margin, Scale)
            else np.log(margin[columns[name]])
        )
        against.insert(0, float((on_its_own - own.log_density(columns, None))[0]))
        blamed: dict[str, None] = {}
        total = sum(max(one, 0.0) for one in against)
        for strength, family in sorted(
            zip(against, (own, *families), strict=True), key=lambda pair: -pair[0]
        ):
            if strength > _LEAST_BLAME * total:
                blamed.update(dict.fromkeys(one for one in reversed(family.names) if one != name))
        if isinstance(margin, Scale):
            order = np.argsort(values)
            sums = weights[order].cumsum()
            low, high = (values[order][np.searchsorted(sums, at)] for at in (0.05, 0.95))
            # Where the other cells agree on a value that the parents rule out, the ends are one.
            text = (
                f"{low:.4g} to {high:.4g}" if f"{low:.4g}" != f"{high:.4g}" else f"about {low:.4g}"
            )
        else:
            best = np.argsort(-weights)[: 1 if weights.max() > _CERTAIN else 2]
            text = " or ".join(str(states[name][state]) for state in best)
        return text, tuple(blamed)[:_MOST_BLAMED]


def complete_rows(
    names: Sequence[str], known: Mapping[str, NDArray[np.bool_]]
) -> NDArray[np.bool_]:
    """Return the rows without missing values in some columns; an absent column is missing."""
    if any(name not in known for name in names):
        return np.zeros(len(next(iter(known.values()))), dtype=bool)
    complete: NDArray[np.bool_] = np.logical_and.reduce([known[name] for name in names])
    return complete


def _where(
    family: Family, columns: Columns, there: NDArray[np.bool_], counted: NDArray[np.bool_] | None
) -> Values:
    """Return the log densities of a family, 0 in rows that are not asked."""
    if there.all():
        return family.log_density(columns, counted)
    logs = np.zeros(len(there))
    if not there.any():
        return logs
    rows = {name: columns[name][there] for name in family.names}
    logs[there] = family.log_density(rows, None if counted is None else counted[there])
    return logs
