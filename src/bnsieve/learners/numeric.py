"""What a learner that learned from numbers says in their units.

In: fitted attributes. Out: a network with regressions, and numbers for later rows. All other
answers of a learner are in bins; see `network_`.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bnsieve.engine import one_thread_each
from bnsieve.learners.answers import AnswersQuestions
from bnsieve.learners.preparing import DoneBefore
from bnsieve.network import BayesianNetwork, fit_parameters, label_missing
from bnsieve.network import Missing as MissingWay
from bnsieve.table import Table, some_rows

# Of more rows a sample is enough: coefficients change in their third digit.
_ROWS_TO_FIT = 20_000


class NumericModel(AnswersQuestions):
    """Answers in the units of the data."""

    numeric_features_: tuple[str, ...]
    missing_strategy_: MissingWay

    # The rows that the last numeric network was made from, and that network.
    _in_units: tuple[Table, BayesianNetwork] | None = None

    @property
    def numeric_network_(self) -> BayesianNetwork:
        """`dag_` with regressions: what `network_` says in bins, in the units of the data.

        It samples, gives densities of rows (`log_likelihood`), predicts, and answers `expect` and
        `query` with numbers given. Computed when first asked for, from up to 20,000 of the rows in
        memory; of rows that lie in files, from the sample.

        Raises
        ------
        AttributeError
            If no column was learned from as a number.
        ValueError
            If the learner was saved without its rows.
        """
        check_is_fitted(self, "fit_result_")
        if not self.numeric_features_:
            raise AttributeError(
                "no column was learned from as a number, so there is no network of numbers: "
                "network_ has the tables of all columns"
            )
        table = self.fit_result_.rows
        if self._in_units is None or self._in_units[0] is not table:
            some = some_rows(table, _ROWS_TO_FIT, 0)
            numbers = [name for name in self.numeric_features_ if name not in some.constant]
            with one_thread_each():
                self._in_units = table, fit_parameters(self.dag_, some, numeric=numbers)
        return self._in_units[1]

    def later_rows(self, X: Any) -> Table:
        """Return later rows as those were that were learned from: labels, and numbers beside.

        `numeric_network_` takes them, whatever was done to the columns before.

        Parameters
        ----------
        X : DataFrame, Arrow table, array or Table
            The columns of the data that was learned from; of a DataFrame some may lack.
        """
        done = self.fit_result_.done_before
        if isinstance(X, pd.DataFrame) and done.plan is not None:
            done = DoneBefore(done.plan.among([str(name) for name in X.columns]))
        table = done.table(X)
        if self.missing_strategy_ != "level":
            return table
        return replace(label_missing(table), numbers=table.numbers)

    def _predicted_numbers(self, X: Any, target: str) -> "pd.Series[Any]":
        """Return the expected number of one column in each row, given the others.

        Where a cell that bears on it is missing, it is the mean of the numbers of each bin of the
        target, by the probability of the bin.
        """
        index = X.index if isinstance(X, pd.DataFrame) else None
        if isinstance(X, pd.DataFrame):  # a column without a known cell says nothing
            X = X.drop(columns=target, errors="ignore").dropna(axis=1, how="all")
        table = self.later_rows(X)
        dag = self.dag_
        families = [(name, *dag.parents(name)) for name in (target, *dag.children(target))]
        blanket = {name for family in families for name in family} - {target}
        near = table.select([name for name in table.names if name in blanket] or table.names)
        gaps = np.full(table.n_rows, not blanket <= {*near.names})
        if blanket:
            gaps |= np.logical_or.reduce([gaps, *near.missing.values()])
        found = np.empty(table.n_rows)
        if not gaps.all():
            complete = near.take(~gaps) if blanket else near
            found[~gaps] = self.numeric_network_.predict(complete, target)
        if gaps.any():
            bins = self.network_.predict_proba(table.to_frame().loc[gaps], target)
            found[gaps] = bins.to_numpy() @ self._means_of_bins(target)
        return pd.Series(found, index=index, name=target)

    def _means_of_bins(self, name: str) -> NDArray[np.float64]:
        """Return the mean number of each bin of a column."""
        table = self.fit_result_.rows
        v = table.names.index(name)
        known = ~np.isnan(table.numbers[v])
        codes, values = table.codes[v][known], table.numbers[v][known]
        n_rows = np.bincount(codes, minlength=len(table.levels[v]))
        return np.bincount(codes, values, len(n_rows)) / np.maximum(n_rows, 1)


def test_columns(table: Table, numbers: Collection[str]) -> list[NDArray[Any]]:
    """Return columns as `ResidualTest` takes them: numbers, and codes of all others."""
    columns: list[NDArray[Any]] = []
    for v, name in enumerate(table.names):
        if name in numbers:
            columns.append(table.numbers[v])
            continue
        codes = table.codes[v].astype(np.int64)
        if v in table.missing:
            codes[table.missing[v]] = -1
        columns.append(codes)
    return columns
