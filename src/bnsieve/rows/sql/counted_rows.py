"""Rows in a database as a `CountSource`: categories, a sample if one may leave, and joint counts.

In: a `SqlTable`. Out: `SqlRows`. Where groups of few rows may not leave, families of columns are
shortened until most rows lie in larger groups, and the others are estimated: leaving out small
groups would make dependences that are not there.
"""

import math
import sys
import warnings
from collections.abc import Hashable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bnsieve.counts import Counted, CountSource, Keyed, Plan, Scan, TableRows, Tables
from bnsieve.rows.file_rows import CountedRows, Sampling
from bnsieve.rows.sql.codes import CHANGED, CodedRows, Coding
from bnsieve.rows.sql.hidden_groups import Groups, fill_hidden
from bnsieve.rows.sql.sql_table import SqlTable
from bnsieve.rows.sql.statements import SqlColumn, Statements
from bnsieve.table import FEW_NUMBERS, Table, bin_labels, code_dtype
from bnsieve.text import counted

# A column has at most so many categories, and in few rows at most one for so many of them: what
# has more is an identifier or free text.
_MOST_CATEGORIES, _ROWS_PER_CATEGORY = 1_000, 10
# The share of rows that may lie in categories, or in groups of several columns, too small to leave.
MOST_HIDDEN, MOST_ESTIMATED = 1e-4, 1e-2
# Pairs of columns are counted some columns at a time, as long as configurations are this few.
_BLOCK_CONFIGURATIONS = 30


@dataclass(eq=False)
class SqlRows(CountedRows):
    """Rows in a database, counted there when asked.

    Attributes
    ----------
    table : SqlTable
    statements : Statements
        About its rows.
    columns : dict of str to SqlColumn
        Those that are learned from.
    codes : CodedRows or None
        The same rows as codes in a temporary table, which are counted instead.
    """

    table: SqlTable
    statements: Statements
    columns: dict[str, SqlColumn]
    codes: CodedRows | None = None

    @property
    def _counted_columns(self) -> dict[str, SqlColumn]:
        return self.columns if self.codes is None else self.codes.columns

    @property
    def _counted_rows(self) -> Statements:
        if self.codes is None:
            return self.statements
        columns = self.codes.columns
        return replace(self.statements, query=self.codes.query, n_columns=len(columns))

    def _several(self, names: Sequence[str], families: Sequence[Sequence[int]]) -> pa.Table:
        """Count several families, each given by places among the names."""
        columns = [self._counted_columns[name] for name in names]
        return self._ask(self._counted_rows.several(columns, families))

    def _ask(self, sql: str) -> pa.Table:
        return self.table.ask(self.statements.database, sql)

    def forget_codes(self) -> None:
        """Count the rows themselves from now on."""
        self.codes = None

    def sample(self) -> Table:
        """Return the rows that may leave: none, but all categories, if there is no sample."""
        if self.n_sample:
            return super().sample()
        counts = self.counted.found.counts
        categories = tuple(self.categories.values())
        codes = np.zeros((len(categories), 0), dtype=code_dtype(max(map(len, categories))))
        no_row = np.zeros(0, dtype=bool)
        missing = {v: no_row for v, own in enumerate(counts) if None in own}
        return Table(codes, tuple(self.categories), categories, missing)

    def larger_sample(self, names: Sequence[str]) -> Table:
        """Return some columns of the sample: no more rows leave."""
        return self.sample().select(names)

    def joint_counts(self, families: Sequence[Sequence[str]], *, trim: bool = False) -> list[Any]:
        """Count all rows; see `CountSource`. Many pairs are counted some columns at a time."""
        if len(families) > 2 * len(self.columns) and all(len(one) == 2 for one in families):
            self.counted = replace(self.counted, tables=(self._pairs(),))
        return super().joint_counts(families, trim=trim)

    def _pairs(self) -> Tables:
        """Count all pairs of columns, those of two blocks in one statement."""
        blocks = self._blocks()
        together = [[*a, *b] for a, b in combinations(blocks, 2)] or blocks
        pairs = dict.fromkeys(pair for names in together for pair in combinations(names, 2))
        plan = self._plan([*pairs], trim=False)
        codes = self._codes(plan)
        counted: dict[tuple[str, str], Keyed] = {}
        for names in together:
            places = [
                (i, j)
                for i, j in combinations(range(len(names)), 2)
                if (names[i], names[j]) not in counted
            ]
            answer = self._several(names, places)
            mask = answer["m"].to_numpy()
            for i, j in places:
                bits = sum(1 << (len(names) - 1 - v) for v in range(len(names)) if v not in (i, j))
                rows = answer.filter(pa.array(mask == bits)).select([i, j, len(names)])
                pair = names[i], names[j]
                own = {name: codes[name] for name in pair}
                groups = self._groups(own, rows)
                if self.table.least > 1:
                    single = [self._single(name, codes[name]) for name in pair]
                    groups = self._filled([single[0], groups], [single[1]], own)
                counted[pair] = self._keyed(2, groups)
        return Tables(plan, tuple(counted[pair] for pair in pairs))

    def _single(self, name: str, codes: Mapping[Hashable, int]) -> Groups:
        """Return the groups of one column, as the first pass counted them."""
        own = self.counted.found.counts[list(self.columns).index(name)]
        counts = {codes[label]: n for label, n in own.items()}
        keys = np.array(sorted(counts), dtype=np.int64)
        return Groups(keys, np.array([counts[code] for code in keys.tolist()], dtype=np.int64))

    def _blocks(self) -> list[list[str]]:
        """Return all columns, a few of few categories together."""
        blocks: list[list[str]] = [[]]
        size = 1
        for name, own in sorted(self.categories.items(), key=lambda item: len(item[1])):
            size *= len(own) + 1
            if size > _BLOCK_CONFIGURATIONS and blocks[-1]:
                blocks.append([])
                size = len(own) + 1
            blocks[-1].append(name)
        return blocks

    def _tally(self, families: Sequence[Sequence[str]], *, trim: bool) -> Tables:
        plan = self._plan(families, trim=trim)
        codes, counted = self._codes(plan), []
        for places in plan.tables:
            own = {plan.names[v]: codes[plan.names[v]] for v in places}
            if self.table.least > 1:
                counted.append(self._estimated(own, plan.limit, trim=trim))
                continue
            while (groups := self._count(own, plan.limit)) is None:
                own.popitem()
            counted.append(self._keyed(len(own), groups))
        return Tables(plan, tuple(counted))

    def _codes(self, plan: Plan) -> dict[str, dict[Hashable, int]]:
        every = zip(plan.names, plan.categories, plan.has_missing, strict=True)
        return {
            name: {label: code for code, label in enumerate((*own, None) if more else own)}
            for name, own, more in every
        }

    def _count(self, codes: Mapping[str, dict[Hashable, int]], limit: int) -> Groups | None:
        """Return the counts of a family; None if it has too many configurations."""
        family = [self._counted_columns[name] for name in codes]
        answer = self._ask(self._counted_rows.joint(family, limit + 1))
        return self._groups(codes, answer) if answer.num_rows <= limit else None

    def _estimated(
        self, codes: Mapping[str, dict[Hashable, int]], limit: int, *, trim: bool
    ) -> Keyed:
        """Return the counts of a family, estimates where groups are hidden.

        With `trim`, of the first columns that hide few rows.
        """
        returned, others = self._returned(codes)
        most = MOST_ESTIMATED * self.n_rows if trim else self.n_rows
        depth = len(codes)
        while depth > 1 and self.n_rows - returned[depth - 1].counts.sum() > most:
            depth -= 1
        while depth > 1:
            groups = self._filled(returned[:depth], others[: depth - 1], codes)
            if len(groups.keys) <= limit:
                return self._keyed(depth, groups)
            depth -= 1
        return self._keyed(1, returned[0])

    def _returned(
        self, codes: Mapping[str, dict[Hashable, int]]
    ) -> tuple[list[Groups], list[Groups]]:
        """Return the groups that may leave, by the first columns of a family, and without one."""
        names = list(codes)
        if len(names) == 1:
            return [self._single(names[0], codes[names[0]])], []
        prefixes = [range(n) for n in range(1, len(names) + 1)]
        without = [range(1, n) for n in range(2, len(names) + 1)]
        families = [*prefixes, *without]
        answer = self._several(names, families)
        masks = answer["m"].to_numpy()

        def groups(own: range) -> Groups:
            bits = sum(1 << (len(names) - 1 - v) for v in range(len(names)) if v not in own)
            rows = answer.filter(pa.array(masks == bits)).select([*own, len(names)])
            return self._groups({names[v]: codes[names[v]] for v in own}, rows)

        return list(map(groups, prefixes)), list(map(groups, without))

    def _filled(
        self,
        returned: Sequence[Groups],
        others: Sequence[Groups],
        codes: Mapping[str, dict[Hashable, int]],
    ) -> Groups:
        """Return the groups of a family with estimates of those that were hidden."""
        places = tuple(list(self.columns).index(name) for name in codes)[: len(returned)]
        seed = np.random.SeedSequence(self.counted.seed, spawn_key=places)
        radices = [len(own) for own in codes.values()][: len(returned)]
        return fill_hidden(returned, others, radices, np.random.default_rng(seed))

    def _groups(self, codes: Mapping[str, dict[Hashable, int]], answer: pa.Table) -> Groups:
        """Return the groups of an answer, whose categories have codes."""
        if self.codes is not None:  # a NULL stands for all categories that may not leave
            answer = answer.drop_null()
        keys = np.zeros(answer.num_rows, dtype=np.int64)
        for i, (name, own) in enumerate(codes.items()):
            keys = keys * len(own) + _coded(answer.column(i), self._counted_columns[name], own)
        keys, place = np.unique(keys, return_inverse=True)
        counts = np.zeros(len(keys), dtype=np.int64)
        np.add.at(counts, place, answer["n"].to_numpy())
        return Groups(keys, counts)

    def _keyed(self, depth: int, groups: Groups) -> Keyed:
        """Return the counts of a family."""
        n = groups.counts.sum()
        if n > self.n_rows or (self.table.least == 1 and n < self.n_rows):
            raise ValueError(CHANGED)
        return Keyed(depth, groups.keys.astype(np.uint64), groups.counts)


def count_in_database(table: SqlTable, sampling: Sampling, stack: ExitStack) -> CountSource:
    """Make the first pass: the categories of all columns, and a sample if one may leave.

    Until the stack closes, rows are counted as codes where the database makes a table of them.
    """
    every = table.columns()
    key, rows = table.key_place(every), table.statements(table.database(), len(every))
    n_rows = _count_rows(table, rows, key)
    most = min(_MOST_CATEGORIES, max(FEW_NUMBERS, n_rows // _ROWS_PER_CATEGORY))
    coding = Coding(table, rows, n_rows)
    stack.callback(coding.end)
    columns: dict[str, SqlColumn] = {}
    counts: list[dict[Any, int]] = []
    left_out: list[str] = []
    for column in (one for one in every if one.place != key):
        try:
            used, own = _categories(table, rows, coding, column, n_rows, most)
        except _UnusableError as reason:
            left_out.append(f"{column.name} is left out: {reason}")
            continue
        columns[column.name] = used
        counts.append(own)
    if left_out:
        warnings.warn("; ".join(left_out), UserWarning, stacklevel=5)
    if not columns:
        raise ValueError("the query has no column that can be learned from")
    codes = np.zeros((len(columns), 0), dtype=np.int32)
    if table.sample is not None and key is not None:
        asked = rows.sample([*columns.values()], key, sampling.seed, table.sample, n_rows)
        drawn = table.ask(rows.database, asked)
        codes = np.array(
            [
                _coded(drawn.column(i), column, {label: code for code, label in enumerate(own)})
                for i, (column, own) in enumerate(zip(columns.values(), counts, strict=True))
            ],
            dtype=np.int32,
        )
    bins = {
        name: bin_labels(np.array(one.bin_edges)) for name, one in columns.items() if one.bin_edges
    }
    order = np.arange(codes.shape[1])
    found = Scan(tuple(columns), tuple(counts), order.astype(np.uint64), order, codes, n_rows, bins)
    if len(order) == n_rows:
        return TableRows(found.sample(n_rows))
    counted = Counted(found, (), sampling.seed)
    source = SqlRows(counted, len(order), sampling.memory, table, rows, columns)
    source.codes = coding.rows(columns, counts)
    stack.callback(source.forget_codes)
    return source


class _UnusableError(Exception):
    """Why a column is left out."""


def _count_rows(table: SqlTable, rows: Statements, key: int | None) -> int:
    asked = key if table.sample is not None else None
    fact = table.ask(rows.database, rows.facts(asked)).to_pylist()[0]
    n_rows = int(fact["n"])
    if not n_rows:
        raise ValueError("the query has no rows: pass at least one row")
    if asked is not None and fact["n_known"] < n_rows:
        missing = counted(n_rows - int(fact["n_known"]), "row")
        raise ValueError(f"the key {table.key!r} is missing in {missing}")
    if asked is not None and fact["n_distinct"] < n_rows:
        raise ValueError(f"the key {table.key!r} has values that occur in several rows")
    return n_rows


def _categories(
    table: SqlTable,
    rows: Statements,
    coding: Coding,
    column: SqlColumn,
    n_rows: int,
    most: int,
) -> tuple[SqlColumn, dict[Any, int]]:
    """Return a column with its bin edges, if it needs some, and how often each category occurs."""
    if column.kind == "other":
        raise _UnusableError(f"its type is {column.type}; cast it to text or a number in the query")

    def ask(column: SqlColumn, most: int) -> dict[Any, int]:
        answer = coding.categories(column, most + 1)
        if answer is None:
            answer = table.ask(rows.database, rows.categories(column, most + 1))
        return _counted(answer, column)

    counts: dict[Any, int] = {}
    if column.kind != "number":
        counts = ask(column, FEW_NUMBERS if column.kind == "integer" else most)
    if not counts and column.kind in ("integer", "number"):
        answer = table.ask(rows.database, rows.quantiles(column)).to_pylist()[0]
        column = replace(column, bin_edges=_bin_edges([*answer.values()]))
        counts = ask(column, most)
    if set(counts) <= {None}:
        many = f"more than {most:,} categories, or none of {table.least:,} rows"
        raise _UnusableError("it is missing in every row" if counts else f"it has {many}")
    hidden = n_rows - sum(counts.values())
    if hidden < 0 or (hidden and table.least == 1):
        raise ValueError(CHANGED)
    if hidden > MOST_HIDDEN * n_rows:
        raise _UnusableError(
            f"{hidden:,} rows are in categories of fewer than {table.least:,} rows; put rare "
            "categories together in the query"
        )
    return column, counts


def _counted(answer: pa.Table, column: SqlColumn) -> dict[Any, int]:
    """Return how often each category occurs."""
    found: dict[Any, int] = {}
    for text, n in zip(answer.column(0).to_pylist(), answer.column(1).to_pylist(), strict=True):
        label = column.label(text)
        found[label] = found.get(label, 0) + int(n)
    return found


def _bin_edges(quantiles: Sequence[float | None]) -> tuple[float, ...]:
    """Return edges near quantiles: rounded, so that none is the value of one row by design."""
    known = sorted(value for value in quantiles if value is not None)
    if not known:
        return ()
    spread = min(known[-1] - known[0], sys.float_info.max) or abs(known[0]) or 1.0
    digits = 2 - math.floor(math.log10(spread))
    return tuple(sorted({round(value, digits) for value in known}))


def _coded(values: Any, column: SqlColumn, code_of: dict[Hashable, int]) -> NDArray[np.int64]:
    """Return the codes of categories."""
    encoded = values.combine_chunks().dictionary_encode(null_encoding="encode")
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    labels = [column.label(text) for text in encoded.dictionary.to_pylist()]
    if not code_of.keys() >= set(labels):
        raise ValueError(
            f"column {column.name!r} has a category that it did not have before: {CHANGED}"
        )
    codes = np.array([code_of[label] for label in labels], dtype=np.int64)
    coded: NDArray[np.int64] = codes[encoded.indices.to_numpy()]
    return coded
