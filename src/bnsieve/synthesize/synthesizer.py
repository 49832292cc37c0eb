"""`Synthesizer`: new rows with the columns, types and formats of the training table.

In: the network of a fit, its `TableRecord` and its deterministic relations. Out: Arrow tables of
rows, piece by piece. Rows are drawn in pieces of fixed sizes, each with its own random numbers, and
rows that do not meet the conditions are left out. So the rows depend only on the seed and the
conditions, not on the number requested.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bnsieve import _native
from bnsieve.network import MISSING_STATE
from bnsieve.synthesize.conditions import Condition, evidence_of, read_conditions
from bnsieve.synthesize.drawing import Drawn, RowDrawer
from bnsieve.synthesize.identifiers import chosen_with
from bnsieve.synthesize.missing_cells import draw_missing_cells
from bnsieve.synthesize.records import (
    CategoryColumn,
    DateColumn,
    IdentifierColumn,
    LeftOutColumn,
    NumberColumn,
    TableRecord,
)
from bnsieve.synthesize.relations import Relations
from bnsieve.synthesize.remember import state_text
from bnsieve.synthesize.shaping import Cells, arrow_column, date_cells, number_cells
from bnsieve.synthesize.spelling import with_blanks
from bnsieve.table import Floats, bin_labels
from bnsieve.table.prepare import LABELS

Rare = Literal["grouped", "drawn"]
MadeColumn = CategoryColumn | NumberColumn | DateColumn | IdentifierColumn

# Rows of the first piece and of the largest; cells of a piece of a wide table.
_FIRST, _LARGEST, _MOST_CELLS = 1 << 10, 1 << 16, 1 << 22
# Rows that are drawn for one that meets the conditions, before it is given up.
_MOST_TRIES = 200_000
_BLANK = "(blank)"


@dataclass(frozen=True, eq=False)
class Synthesizer:
    """Generates rows.

    Attributes
    ----------
    record : TableRecord
    drawer : RowDrawer
    relations : Relations
    """

    record: TableRecord
    drawer: RowDrawer
    relations: Relations

    @property
    def left_out(self) -> dict[str, str]:
        """The columns of the table that are left out, with reasons."""
        columns = self.record.columns
        return {one.name: one.why for one in columns if isinstance(one, LeftOutColumn)}

    def tables(
        self, n: int, where: Mapping[str, Any], seed: int, rare: Rare = "grouped"
    ) -> Iterator[pa.Table]:
        """Yield rows in pieces, until there are as many as requested.

        Raises
        ------
        ValueError
            If a condition cannot be read, or hardly any row meets the conditions.
        """
        conditions = read_conditions(self.record, where)
        evidence = self._evidence(conditions, rare)
        n_made = n_tried = piece = 0
        while n_made < n:
            _native.stop_if_asked()
            size = self._size(piece)
            rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(piece,)))
            cells, fine = self._piece(size, rng, evidence, rare, conditions)
            for condition in conditions:
                fine &= condition.met(cells[condition.column.name])
            rows = np.flatnonzero(fine)[: n - n_made]
            piece, n_tried = piece + 1, n_tried + size
            if n_tried > _MOST_TRIES * (n_made + len(rows) + 1):
                raise ValueError(
                    f"{n_made + len(rows):,} of {n_tried:,} rows that were drawn meet the "
                    "conditions: ask for fewer of them, or for wider ranges"
                )
            if len(rows):
                taken = {name: own.take(rows) for name, own in cells.items()}
                yield self._table(taken, n_made, seed, rare)
                n_made += len(rows)

    def no_rows(self) -> pa.Table:
        """Return a table without rows."""
        nothing = Cells(np.zeros(0), np.zeros(0, dtype=np.bool_))
        return self._table({one.name: nothing for one in self.record.columns}, 0, 0, "grouped")

    def _size(self, piece: int) -> int:
        widest = max(_FIRST, _MOST_CELLS // max(1, len(self.record.columns)))
        return min(_FIRST << min(piece, 16), _LARGEST, widest)

    def _table(self, cells: Mapping[str, Cells], first: int, seed: int, rare: Rare) -> pa.Table:
        states = {
            column.name: _states_in(column, cells[column.name])
            for column in self.record.columns
            if isinstance(column, CategoryColumn) and column.name in self._chosen_with
        }
        record = self.record if rare == "drawn" else self.record.without_known_codes()
        made = {
            column.name: arrow_column(column, cells[column.name], first, seed, states)
            for column in record.columns
            if not isinstance(column, LeftOutColumn)
        }
        spelling = self.record.spelling
        for name in made.keys() & spelling.blanks.keys():
            rows = np.arange(first, first + len(made[name]), dtype=np.int64)
            blanks, n_null = spelling.blanks[name], spelling.nulls[name]
            made[name] = with_blanks(made[name], blanks, n_null, rows, seed)
        return pa.table(made)

    def _evidence(self, conditions: Sequence[Condition], rare: Rare) -> dict[str, int]:
        """Return the states that follow from conditions on columns of categories."""
        found = {}
        for condition in conditions:
            column = condition.column
            if not isinstance(column, CategoryColumn):
                continue
            if rare == "grouped" and not {*condition.places} & {*self._shown[column.name].tolist()}:
                cell = column.cells[condition.places[0]]
                raise ValueError(
                    f"where: {cell!r} of {column.name!r} is one of the rare categories that were "
                    f"grouped as {column.states[condition.places[0]]!r}: take rare='drawn'"
                )
            state = evidence_of(column, condition.places)
            if column.output and state is not None and state in self._codes[column.output]:
                found[column.output] = self._codes[column.output][state]
        return found

    @cached_property
    def _chosen_with(self) -> set[str]:
        """The columns of categories with which parts of identifiers go."""
        columns = self.record.columns
        return set().union(
            *(chosen_with(one) for one in columns if isinstance(one, IdentifierColumn))
        )

    @cached_property
    def _states(self) -> dict[str, tuple[str, ...]]:
        """The states of each variable, as text."""
        states = self.drawer.parts.binned_states
        return {name: tuple(map(state_text, own)) for name, own in states.items()}

    @cached_property
    def _codes(self) -> dict[str, dict[str, int]]:
        return {
            name: {state: i for i, state in enumerate(own)} for name, own in self._states.items()
        }

    @cached_property
    def _shown(self) -> dict[str, NDArray[np.int64]]:
        """For each column of categories, the cell that stands for each state; -1: it is missing."""
        return {
            column.name: _standing(column, self._states.get(column.output, ("",)))
            for column in self.record.columns
            if isinstance(column, CategoryColumn)
        }

    @cached_property
    def _members(self) -> dict[str, list[tuple[NDArray[np.int64], Floats]]]:
        """For each column of categories, the cells of each state and their running shares."""
        return {
            column.name: _members_of(column, self._states.get(column.output, ("",)))
            for column in self.record.columns
            if isinstance(column, CategoryColumn)
        }

    def _piece(
        self,
        n: int,
        rng: np.random.Generator,
        evidence: Mapping[str, int],
        rare: Rare,
        conditions: Sequence[Condition],
    ) -> tuple[dict[str, Cells], NDArray[np.bool_]]:
        """Return the cells of some rows by column, and in which rows all relations hold."""
        drawn = self.drawer.draw(n, rng, evidence)
        self.relations.impose(drawn.codes, lambda *moved: self.drawer.move(drawn, *moved))
        numbers = drawn.numbers | self._sums(drawn.numbers)
        values: dict[str, NDArray[Any]] = {}
        for column in self.record.columns:
            if isinstance(column, NumberColumn):
                states = self._numbers_of_states(column.output, drawn)
                found = number_cells(column, numbers, states, rng.random(n))
                values[column.name] = found
                if column.output in numbers:
                    numbers[column.output] = found
                    drawn.codes[column.output] = self.drawer.codes_of(column.output, found)
        fine = np.ones(n, dtype=np.bool_)
        for name, total in self._sums(numbers).items():
            numbers[name] = total
            drawn.codes[name] = self.drawer.codes_of(name, total)
            values |= dict.fromkeys(self._column_of.get(name, ()), total)
            known = self.record.numbers[name].values
            fine &= (known[0] <= total) & (total <= known[-1])
        fine &= self.relations.hold(drawn.codes, n)
        implied = self.relations.implied(drawn.codes)
        dates = [one for one in self.record.columns if isinstance(one, DateColumn)]
        values |= date_cells(dates, self.record.numbers, numbers, self._parts(dates, drawn), rng, n)
        picks = {condition.column.name: condition.places for condition in conditions}
        for column in self.record.columns:
            if isinstance(column, CategoryColumn):
                own = picks.get(column.name, ()) if rare == "drawn" else ()
                is_implied = implied.get(column.output, np.zeros(n, dtype=np.bool_))
                values[column.name] = self._category(column, drawn, rng, rare, own, is_implied)
        missing = self._missing(drawn, values, rng, n)
        return {
            column.name: Cells(
                values.get(column.name, np.zeros(n)),
                missing.get(column.name, np.zeros(n, dtype=np.bool_)),
            )
            for column in self.record.columns
        }, fine

    def _sums(self, numbers: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return the numbers that are exact sums of others, as the table has them."""
        found = self.relations.summed(numbers)
        return {name: self.record.numbers[name].on_grid(total) for name, total in found.items()}

    @cached_property
    def _column_of(self) -> dict[str, list[str]]:
        """The columns of numbers of each variable."""
        found: dict[str, list[str]] = {}
        for column in self.record.columns:
            if isinstance(column, NumberColumn):
                found.setdefault(column.output, []).append(column.name)
        return found

    def _numbers_of_states(self, output: str, drawn: Drawn) -> Floats | None:
        """Return the numbers that the states of a variable are; None if it is binned."""
        if not output or output in drawn.numbers:
            return None
        return _as_numbers(self._states[output])[drawn.codes[output]]

    def _parts(self, dates: Sequence[DateColumn], drawn: Drawn) -> dict[str, Floats]:
        """Return the parts of dates as numbers: months from 1, weekdays from Monday, 0."""
        found: dict[str, Floats] = {}
        for column in dates:
            for part, output in column.parts.items():
                if output in drawn.numbers:
                    found[output] = drawn.numbers[output]
                    continue
                if output not in drawn.codes:
                    continue
                labels = {"month": LABELS["month"], "weekday": LABELS["weekday"]}.get(part)
                states = self._states[output]
                if labels is None:
                    own = _as_numbers(states)
                else:
                    first = 1 if part == "month" else 0
                    place = {str(label): i + first for i, label in enumerate(labels)}
                    own = np.array([place.get(state, first) for state in states], dtype=np.float64)
                found[output] = own[drawn.codes[output]]
        return found

    def _category(
        self,
        column: CategoryColumn,
        drawn: Drawn,
        rng: np.random.Generator,
        rare: Rare,
        picked: Sequence[int],
        is_implied: NDArray[np.bool_],
    ) -> NDArray[np.int64]:
        """Return the place of each row's cell; -1 where the state is that of a missing value.

        Where a relation implies the state, no other spelling of its cell is drawn; a group, which
        is no cell of the table, has no spelling of its own.
        """
        n = len(next(iter(drawn.codes.values())))
        codes = drawn.codes.get(column.output, np.zeros(n, dtype=np.int64))
        places = self._shown[column.name][codes]
        shares = rng.random(n)
        for code, (cells, sums) in enumerate(self._members[column.name]):
            if not len(cells) or (
                rare == "grouped" and places_known(self._shown[column.name], code)
            ):
                continue
            rows = np.flatnonzero(codes == code)
            kept = [i for i, cell in enumerate(cells.tolist()) if cell in picked]
            if kept:  # the condition is on cells that the network does not tell apart
                cells, sums = cells[kept], np.cumsum(np.diff(sums, prepend=0.0)[kept])
            elif (shown := self._shown[column.name][code]) >= 0 and column.counts[shown]:
                rows = rows[~is_implied[rows]]
            chosen = np.searchsorted(sums, shares[rows] * sums[-1], side="right")
            places[rows] = cells[np.minimum(chosen, len(cells) - 1)]
        return places

    def _missing(
        self, drawn: Drawn, values: Mapping[str, NDArray[Any]], rng: np.random.Generator, n: int
    ) -> dict[str, NDArray[np.bool_]]:
        """Return which cells are missing."""
        states: dict[tuple[str, str], tuple[Sequence[str], NDArray[np.int64]]] = {}
        given: dict[str, NDArray[np.bool_]] = {}
        for column in self.record.columns:
            if isinstance(column, LeftOutColumn | IdentifierColumn):
                continue
            if isinstance(column, CategoryColumn):
                is_state = self._shown[column.name] < 0
                if is_state.any() and len(column.cells):
                    given[column.name] = values[column.name] < 0
                elif not len(column.cells):
                    given[column.name] = np.ones(n, dtype=np.bool_)
            outputs = _outputs_of(column)
            for output in outputs:
                if output in drawn.codes:
                    own = self._states[output]
                    absent = {_BLANK, MISSING_STATE} & {*own}
                    if absent and column.name not in given:
                        codes = [self._codes[output][state] for state in absent]
                        given[column.name] = np.isin(drawn.codes[output], codes)
                    states[column.name, output] = own, np.maximum(drawn.codes[output], 0)
                if output in self.record.numbers:
                    edges = np.array(self.record.numbers[output].edges, dtype=np.float64)
                    bins = np.searchsorted(edges, drawn.numbers[output], side="right")
                    states[column.name, output] = bin_labels(edges), bins
        return draw_missing_cells(self.record.missing, states, given, rng, n)


def _states_in(column: CategoryColumn, cells: Cells) -> NDArray[np.object_]:
    """Return the state of each cell as text; nothing if it is missing."""
    states = np.array([*column.states, ""], dtype=object)
    return states[np.where(cells.missing, -1, cells.values)]


def places_known(shown: NDArray[np.int64], code: int) -> bool:
    """Tell whether a state corresponds to a single cell."""
    return bool(shown[code] >= 0)


def _outputs_of(column: CategoryColumn | NumberColumn | DateColumn) -> tuple[str, ...]:
    if isinstance(column, DateColumn):
        return (*column.parts.values(), *filter(None, [column.elapsed]))
    return (column.output,) if column.output else ()


def _standing(column: CategoryColumn, states: Sequence[str]) -> NDArray[np.int64]:
    """Return for each state the cell that is written for it; -1 if it has none."""
    found = np.full(len(states), -1, dtype=np.int64)
    for code, state in enumerate(states):
        own = [i for i, one in enumerate(column.states) if one == state or not column.output]
        if own and (column.output or len(own) == 1):
            same = [i for i in own if state_text(column.cells[i]) == state]
            found[code] = same[0] if same else max(own, key=lambda i: int(column.counts[i]))
    return found


def _members_of(
    column: CategoryColumn, states: Sequence[str]
) -> list[tuple[NDArray[np.int64], Floats]]:
    found = []
    own_states = np.array(column.states, dtype=object)
    for state in states:
        cells = np.flatnonzero(own_states == state) if column.output else np.arange(len(own_states))
        found.append((cells, np.cumsum(column.counts[cells]).astype(np.float64)))
    return found


def _as_numbers(states: Sequence[str]) -> Floats:
    """Return the numbers that states are; NaN for one that is none."""

    def number(text: str) -> float:
        try:
            return float(text)
        except ValueError:
            return np.nan

    return np.array([number(state) for state in states])
