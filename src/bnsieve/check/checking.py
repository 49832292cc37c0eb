"""New rows against a fit: schema, margins, mechanisms, rows.

In: `Learned` and a table of new rows. Out: a `Check`. Each of the four sections raises a false
alarm in at most the stated share of batches: its p-values are corrected for their number (Holm).
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.check.attribution import Attribution, attribute
from bnsieve.check.causes import causes_of
from bnsieve.check.ends import fewest_changes
from bnsieve.check.learned import Learned, NewRows
from bnsieve.check.mistakes import mistakes
from bnsieve.check.odd_rows import OddRow, OddRowsTest, Rarity
from bnsieve.check.residuals import changed_dependence, changed_residuals, residuals
from bnsieve.check.result import Check, Margin, Mechanism, NewDependence
from bnsieve.check.schema import (
    SchemaChange,
    SchemaTest,
    corrected,
    left_range,
    moved_missing,
    new_categories,
    repeated_rows,
)
from bnsieve.check.shifts import Shift, find_shift, number_shift
from bnsieve.check.spells import Spells, events_beyond
from bnsieve.counts import CountSource
from bnsieve.graph import Graph, reachable
from bnsieve.network import unknown_state
from bnsieve.rows import FileRows

# Odd rows that are listed.
_MOST_ODD = 20
# Half of the level of mechanisms is for dependence that is new.
_FOR_DEPENDENCE = 0.5
# A row is listed if fewer than one in so many is as odd, or if a test counted it as too odd.
_RARE = 1e-3
_OF_INTERVALS = 0.9

# Where some rows are in the data, and the values of the columns that place them.
Origins = Callable[[NDArray[np.intp]], tuple[NDArray[np.intp], Mapping[str, Sequence[Any]]]]


def check_rows(
    learned: Learned,
    source: CountSource,
    schema: Sequence[SchemaChange] = (),
    level: float = 0.05,
    target: str | None = None,
    state: Hashable = None,
    origins: Origins | None = None,
) -> Check:
    """Compare new rows with training rows.

    Parameters
    ----------
    learned : Learned
    source : CountSource
        New rows, prepared like the training rows. Columns may be absent.
    schema : sequence of SchemaChange
        Changes that the columns of the data already show.
    level : float, default 0.05
        The share of batches in which a section may raise a false alarm.
    target : str, optional
        A variable whose change is to be divided among the mechanisms that changed.
    state : state, optional
        The state of a categorical target. By default the rarer of two states; with more states, the
        one whose share changed most.
    origins : callable, optional
        Returns where rows of the source are in the data, counted from 0, and their entity and time.
    """
    new = NewRows(learned, source, source.sample())
    names = new.names
    changes = [*schema, *corrected(_cells_changed(learned, new, names))]
    margins = () if learned.follow_each_other else _margins(learned, new, names, level)
    before = after = None
    if learned.sample is not None:
        before = learned.residuals
        after = residuals(learned.cells, new.columns)
    learned_ones, shifts = _mechanisms(learned, new, names, before, after, level)
    mechanisms, graph = _fewest_changes(learned, new, learned_ones, shifts, level)
    caused = [one.name for one in mechanisms if one.changed]
    changed = [one for one in (*learned_ones, *mechanisms) if one.changed]
    dependence = _dependence(learned, names, changed, before, after, level)
    changes += mistakes(learned, new, _clearest(margins, mechanisms))
    margins = _explained(margins, caused, graph)
    odd, rows_test = _odd_rows(learned, new, names, level)
    notes = [*_surplus(rows_test, new.table.n_rows, level), *learned.notes, *_sampled(new)]
    if origins is not None and odd:
        odd = _placed(odd, *origins(np.array([one.row - 1 for one in odd])))
    elif odd and learned.follow_each_other:
        notes.append(
            "Odd rows are numbered in order of entity and time, without rows that have no past."
        )
    return Check(
        n_before=learned.n_rows,
        n_after=new.n_rows,
        level=level,
        schema=tuple(changes),
        margins=margins,
        mechanisms=mechanisms,
        dependence=dependence,
        rows=odd,
        rows_p_value=rows_test.p_value,
        has_rows=learned.sample is not None,
        notes=tuple(notes),
        attribution=None
        if target is None
        else _attribution(learned, new, graph, caused, target, state),
        causes=causes_of(
            [one for one in changes if one.p_value < level], margins, mechanisms, dependence, graph
        ),
    )


def _attribution(
    learned: Learned,
    new: NewRows,
    graph: Graph,
    caused: Sequence[str],
    target: str,
    state: Hashable,
) -> Attribution:
    """Attribute the change of a target to the mechanisms that changed."""
    states = learned.counts.states
    if target not in states or target not in new.table.names:
        where = "the new rows" if target in states else "the network"
        raise ValueError(f"{where} has no variable {target!r}, whose change is asked for")
    tables = {name: new.two_tables(name, graph.parents(name)) for name in graph.nodes}
    if target in learned.numbers:
        if state is not None:
            raise ValueError(f"{target!r} is numeric: its mean is attributed, leave out the state")
        old, now = learned.columns[target], new.columns[target]
        weights = _bin_means(learned, new, target)
        before, after = float(np.nanmean(old)), float(np.nanmean(now))
    else:
        margins = [one.margin(target) for one in (learned, new)]
        shares = [
            np.array([one.get(label, 0) for label in states[target]]) / max(1, sum(one.values()))
            for one in margins
        ]
        if state is None:
            of_two = (
                shares[0].argmin() if len(shares[0]) == 2 else abs(shares[1] - shares[0]).argmax()
            )
            state = states[target][int(of_two)]
        if state not in states[target]:
            raise unknown_state(target, state, states[target])
        weights = np.array([float(label == state) for label in states[target]])
        before, after = (float(one @ weights) for one in shares)
    parts, explained = attribute(graph, states, tables, caused, target, weights, _OF_INTERVALS)
    return Attribution(
        target, state, before, after, parts, after - before - explained, _OF_INTERVALS
    )


def _bin_means(learned: Learned, new: NewRows, target: str) -> NDArray[np.float64]:
    """Return the mean of a number in each of its bins, over old and new rows."""
    assert learned.sample is not None
    labels = learned.counts.states[target]
    sums, counts = np.zeros(len(labels)), np.zeros(len(labels))
    for table in (learned.sample, new.table):
        v = table.names.index(target)
        place = {label: i for i, label in enumerate(labels)}
        places = np.array([place.get(one, -1) for one in table.categories[v]])[table.codes[v]]
        known = ~np.isnan(table.numbers[v]) & (places >= 0)
        np.add.at(sums, places[known], table.numbers[v][known])
        np.add.at(counts, places[known], 1)
    whole = sums.sum() / max(1.0, counts.sum())
    return np.where(counts > 0, sums / np.maximum(counts, 1), whole)


def _sampled(new: NewRows) -> list[str]:
    if new.table.n_rows == new.n_rows:
        return []
    return [
        f"Numbers, copies and odd rows are those of a sample of {new.table.n_rows:,} of the rows; "
        "all rows are counted."
    ]


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's method, in the same order."""
    order = np.argsort(p_values)
    corrected, highest = [1.0] * len(p_values), 0.0
    for rank, place in enumerate(order.tolist()):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = highest
    return corrected


def _cells_changed(learned: Learned, new: NewRows, names: Sequence[str]) -> list[SchemaTest]:
    tests: list[SchemaTest] = []
    table, rows = new.table, learned.rows
    spells = None
    if rows is not None and learned.follow_each_other:
        spells = Spells(rows), Spells(table)
    for name in names:
        v = table.names.index(name)
        missing = learned.n_missing.get(name, 0), learned.n_rows, new.n_missing(name), new.n_rows
        per_gap = 1.0 if spells is None else spells[0].rows_per_gap(name)
        tests.append(moved_missing(name, *missing, per_gap))
        if name not in learned.numbers:
            entries = None if spells is None else (spells[0].entries(name), spells[1].entries(name))
            tests.append(new_categories(name, learned.margin(name), new.margin(name), entries))
        elif rows is not None:
            old = rows.numbers[rows.names.index(name)]
            events = None if spells is None else partial(events_beyond, *spells, name)
            tests.append(left_range(name, old, table.numbers[v], events))
    return tests + repeated_rows(learned.sample, table.select(names) if names else table)


def _margins(
    learned: Learned, new: NewRows, names: Sequence[str], level: float
) -> tuple[Margin, ...]:
    shifts = []
    for name in names:
        if name in learned.numbers:
            shifts.append(
                number_shift(name, learned.columns[name], new.columns[name], level / len(names))
            )
        else:
            tables = new.family_tables([name])
            shifts.append(find_shift(*tables, [name], new.states, level / len(names)))
    adjusted = holm([one.p_value for one in shifts])
    return tuple(
        Margin(one.name, p, one.size, one.cell, p < level)
        for one, p in zip(shifts, adjusted, strict=True)
    )


def _mechanisms(
    learned: Learned,
    new: NewRows,
    names: Sequence[str],
    before: Mapping[str, NDArray[np.float64]] | None,
    after: Mapping[str, NDArray[np.float64]] | None,
    level: float,
) -> tuple[tuple[Mechanism, ...], dict[str, Shift]]:
    """Compare each mechanism of the learned graph."""
    shifts: dict[str, Shift] = {}
    own_level = level * (1 - _FOR_DEPENDENCE)
    columns = ({} if before is None else learned.columns, new.columns)
    for name in names:
        parents = learned.graph.parents(name)
        if any(parent not in new.table.names for parent in parents):
            continue
        alpha = own_level / len(names)
        if name not in learned.regressed:
            family = [*parents, name]
            shifts[name] = find_shift(*new.family_tables(family), family, new.states, alpha)
        elif before is not None and after is not None:
            shifts[name] = changed_residuals(name, before, after, parents, columns, alpha)
    adjusted = [
        min(1.0, p / (1 - _FOR_DEPENDENCE)) for p in holm([one.p_value for one in shifts.values()])
    ]
    found = tuple(
        Mechanism(one.name, learned.graph.parents(one.name), p, one.size, one.cell, p < level)
        for one, p in zip(shifts.values(), adjusted, strict=True)
    )
    return found, shifts


def _fewest_changes(
    learned: Learned,
    new: NewRows,
    found: tuple[Mechanism, ...],
    shifts: Mapping[str, Shift],
    level: float,
) -> tuple[tuple[Mechanism, ...], Graph]:
    """Return the mechanisms in the equivalent DAG in which the fewest changed, and this DAG."""
    counted = shifts.keys() - set(learned.regressed)
    edges = [edge for edge in learned.undirected if counted.issuperset(edge)]
    threshold = max((shifts[one.name].p_value for one in found if one.changed), default=-1.0)
    if threshold < 0 or not edges:
        return found, learned.graph
    threshold = max(threshold, level * (1 - _FOR_DEPENDENCE) / len(shifts))
    parents = {name: frozenset(learned.graph.parents(name)) for name in learned.graph.nodes}
    known = {(name, parents[name]): one for name, one in shifts.items()}

    def shift_of(name: str, given: frozenset[str]) -> Shift:
        if (name, given) not in known:
            family = [*(one for one in learned.graph.nodes if one in given), name]
            tables = new.family_tables(family)
            known[name, given] = find_shift(*tables, family, new.states, threshold)
        return known[name, given]

    compared = {name: own for name, own in parents.items() if name in shifts}
    placed = fewest_changes(
        compared, edges, lambda name, given: shift_of(name, given).p_value, threshold
    )
    graph = Graph(
        learned.graph.nodes,
        [
            (parent, name)
            for name in learned.graph.nodes
            for parent in learned.graph.nodes
            if parent in placed.parents.get(name, parents[name])
        ],
    )
    mechanisms = []
    for one in found:
        own = placed.parents[one.name]
        if own != parents[one.name]:
            shift = shift_of(one.name, own)
            # As Holm's method multiplies the highest p-value of a change.
            p_value = min(1.0, shift.p_value * level / threshold)
            is_changed = shift.p_value <= threshold
            one = Mechanism(
                one.name, graph.parents(one.name), p_value, shift.size, shift.cell, is_changed
            )
        mechanisms.append(replace(one, alternatives=placed.alternatives.get(one.name, ())))
    return tuple(mechanisms), graph


def _dependence(
    learned: Learned,
    names: Sequence[str],
    changed: Sequence[Mechanism],
    before: Mapping[str, NDArray[np.float64]] | None,
    after: Mapping[str, NDArray[np.float64]] | None,
    level: float,
) -> tuple[NewDependence, ...]:
    if before is None or after is None:
        return ()
    caused = {name for one in changed for name in (one.name, *one.alternatives)}
    pairs = changed_dependence(
        {name: before[name] for name in names},
        {name: after[name] for name in names},
        learned.cells.families,
    )
    adjusted = holm([one.p_value for one in pairs])
    found = [
        NewDependence(one.x, one.y, min(1.0, p / _FOR_DEPENDENCE), one.before, one.after)
        for one, p in zip(pairs, adjusted, strict=True)
    ]
    # Where a mechanism changed, what it leaves of a variable depends on others too.
    alone = [one for one in found if one.p_value < level and caused.isdisjoint((one.x, one.y))]
    return tuple(sorted(alone, key=lambda one: one.p_value))


def _clearest(margins: Sequence[Margin], mechanisms: Sequence[Mechanism]) -> list[str]:
    """Return the variables that changed, those that changed most first."""
    sizes: dict[str, float] = {}
    everything: list[Margin | Mechanism] = [*mechanisms, *margins]
    for one in everything:
        if one.changed:
            sizes[one.name] = max(one.size, sizes.get(one.name, 0.0))
    return sorted(sizes, key=lambda name: -sizes[name])


def _explained(
    margins: Sequence[Margin], caused: Sequence[str], graph: Graph
) -> tuple[Margin, ...]:
    """Say which changes a moved margin follows from, if its own mechanism did not change.

    Where no mechanism of its ancestors changed, it follows from their margins that moved.
    """
    moved = [one.name for one in margins if one.changed and one.name not in caused]
    ancestors = {name: set(reachable([name], graph.parents)) - {name} for name in moved}
    of_mechanisms = {name: tuple(one for one in caused if one in ancestors[name]) for name in moved}
    first = [
        name for name in moved if not of_mechanisms[name] and ancestors[name].isdisjoint(moved)
    ]
    follows = {
        name: of_mechanisms[name] or tuple(one for one in first if one in ancestors[name])
        for name in moved
    }
    return tuple(replace(one, follows_from=follows.get(one.name, ())) for one in margins)


def _odd_rows(
    learned: Learned, new: NewRows, names: Sequence[str], level: float
) -> tuple[tuple[OddRow, ...], OddRowsTest]:
    """Return the oddest rows, among them those that a change is about, and the test of change."""
    if learned.sample is None:
        return (), OddRowsTest(1.0, np.inf, 0, 0.0)
    rarity = Rarity.of(_row_scores(learned.scores, names)[0])
    by_cell = learned.cells.scores(new.columns)
    scores, oddest = _row_scores(by_cell, names)
    test = rarity.test(scores)
    shares = rarity.shares(scores)
    least = test.least_score if test.p_value < level else np.inf
    order = np.argsort(-scores, kind="stable")[:_MOST_ODD]
    odd = tuple(
        _odd_row(int(row), names[oddest[row]], learned, new, float(scores[row]), float(shares[row]))
        for row in order
        if shares[row] < _RARE or scores[row] >= least
    )
    return odd, test


def _surplus(test: OddRowsTest, n_rows: int, level: float) -> list[str]:
    """Say how many odd rows there are, and how many were expected, if this is a change."""
    if test.p_value >= level or test.n_rows < 2:
        return []
    expected = test.share * n_rows
    about = f"{expected:,.0f}" if expected >= 10 else f"{expected:.1f}"
    return [
        f"{test.n_rows:,} new rows ({test.n_rows / n_rows:.2%}) are as odd as the oddest "
        f"{test.share:.2%} of the training rows; about {about} were expected."
    ]


def _row_scores(
    by_cell: Mapping[str, NDArray[np.float64]], names: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the score of each row, and the place of its oddest cell."""
    scores = np.array([by_cell[name] for name in names])
    oddest = scores.argmax(axis=0)
    return np.maximum(scores[oddest, np.arange(scores.shape[1])], -1e9), oddest


def _odd_row(
    row: int, name: str, learned: Learned, new: NewRows, score: float, share: float
) -> OddRow:
    columns = {one: column[row : row + 1] for one, column in new.columns.items()}
    expected, blamed = learned.cells.expectation(name, columns, learned.counts.states)
    given = {one: _cell(learned, columns, one) for one in blamed}
    number = row if not isinstance(new.source, FileRows) else int(new.source.sampled_rows()[row])
    return OddRow(number + 1, name, _cell(learned, columns, name), expected, given, score, share)


def _placed(
    odd: Sequence[OddRow], rows: NDArray[np.intp], where: Mapping[str, Sequence[Any]]
) -> tuple[OddRow, ...]:
    """Give odd rows the numbers that they have in the data, and name their entity and time."""
    return tuple(
        replace(one, row=row + 1, where={name: values[i] for name, values in where.items()})
        for i, (one, row) in enumerate(zip(odd, rows.tolist(), strict=True))
    )


def _cell(learned: Learned, columns: Mapping[str, NDArray[Any]], name: str) -> Hashable:
    value = columns[name][0]
    return float(value) if name in learned.numbers else learned.counts.states[name][int(value)]
