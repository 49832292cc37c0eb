"""The shapes of statements for rows as codes in a temporary table.

In: `Statements` about the rows, and the name of the table. Out: text, which holds no category: the
database numbers them itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bnsieve.rows.sql.statements import SqlColumn, Statements

# What the names of temporary tables begin with.
CODES = "bnsieve_codes"


@dataclass(frozen=True)
class CodeStatements:
    """The statements that make and ask a temporary table of codes.

    Attributes
    ----------
    rows : Statements
        About the rows that are coded.
    name : str
        Of the table.
    """

    rows: Statements
    name: str

    def values_table(self) -> str:
        """Make a temporary table for the values of all columns, each with its category as text."""
        return f"create temp table {self.name}_values (i integer, u varchar, v varchar, k bigint)"

    def store_values(self, number: int, column: SqlColumn, most: int) -> str:
        """Store the values of a column, at most so many, and how often each occurs."""
        return (
            f"insert into {self.name}_values select {number}, cast(u as varchar), "
            f"{self.rows.shown(column, 'u')}, k from (select {self.rows.value(column)} as u, "
            f"count(*) as k from {self.rows.rows} group by 1 limit {most}) as g"
        )

    def stored_categories(self, number: int, most: int, most_values: int) -> str:
        """Count the categories of a column from its values; nothing is returned if too many.

        Nothing is returned either if the values may not be complete.
        """
        own = f"from {self.name}_values where i = {number}"
        return (
            f"select v0, n from (select v as v0, cast(sum(k) as bigint) as n, "
            f"count(*) over () as m {own} group by v having sum(k) >= {self.rows.least}) as g "
            f"where m <= {most} and (select count(*) {own}) < {most_values}"
        )

    def stored_labels(self, numbers: Iterable[int]) -> str:
        """Return the categories of columns in the order of their codes, with their values' number.

        Several values of one category are blank texts. Of each column, the number under which its
        values are stored.
        """
        return (
            f"select i, v, count(*) as n_values from {self._listed} "
            f"where i in ({', '.join(map(str, numbers))}) group by i, v, code order by i, code"
        )

    def coded(self, columns: Sequence[tuple[SqlColumn, int, Sequence[int]]]) -> str:
        """Store the code of each row's category; NULL if the category may not leave.

        Of each column, the number under which its values are stored, and how many values each
        category has.
        """
        codes, lists = [], []
        for i, (one, number, n_values) in enumerate(columns):
            kind = "utinyint" if len(n_values) <= 1 << 8 else "usmallint"
            place = f"array_position(s{i}.listed, cast({self.rows.value(one)} as varchar))"
            code = f"{place} - 1" if set(n_values) == {1} else f"s{i}.codes[{place}]"
            codes.append(f"cast({code} as {kind}) as c{i}")
            lists.append(
                f"(select array_agg(u order by code, u) as listed, array_agg(code order by code, u)"
                f" as codes from {self._listed} where i = {number}) as s{i}"
            )
        return (
            f"create temp table {self.name} as select {', '.join(codes)} "
            f"from {self.rows.rows}, {', '.join(lists)}"
        )

    def known_codes(self, n_columns: int) -> str:
        """Count the rows, and the known codes of each column."""
        known = ", ".join(f"count(c{i}) as n{i}" for i in range(n_columns))
        return f"select count(*) as n, {known} from {self.name}"

    def without_codes(self) -> tuple[str, str]:
        """Remove the temporary tables."""
        return f"drop table if exists {self.name}_values", f"drop table if exists {self.name}"

    @property
    def _listed(self) -> str:
        """The values of categories that may leave, with the codes of these categories."""
        total = f"select *, sum(k) over (partition by i, v) as m from {self.name}_values"
        code = "dense_rank() over (partition by i order by v nulls first) - 1 as code"
        return f"(select *, {code} from ({total}) as t where m >= {self.rows.least}) as listed"
