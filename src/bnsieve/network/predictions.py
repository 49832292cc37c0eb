"""What a network says of the rows of a frame: the part of `BayesianNetwork` that does so.

In: a frame, in which any cell may be missing. Out: predictions, filled cells, likelihoods.
"""

from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.engine import RandomState, seed_of
from bnsieve.network.checks import check_names
from bnsieve.network.discrete.evidence import position_of
from bnsieve.network.discrete.rows import (
    column_names,
    fill_cells,
    known_cells,
    row_log_probabilities,
    row_margins,
)
from bnsieve.network.discrete.tree import DEFAULT_MAX_BYTES
from bnsieve.network.mixed.predicting import complete_columns, label_odds, number_means
from bnsieve.network.questions import Questions

Filling = Literal["most probable", "drawn"]


class Predictions(Questions):
    """Answers for every row of a frame."""

    __slots__ = ()

    def predict_proba(
        self, data: Any, target: str, *, max_bytes: int = DEFAULT_MAX_BYTES
    ) -> pd.DataFrame:
        """Return the probability of each label of one column, given what is known in each row.

        Cells may be missing and columns may be absent: what is unknown is summed out exactly. The
        target need not be in the data, and is ignored if it is; so are columns that the network
        does not have. If the network has numbers, the target's parents, its children and their
        other parents must be known.

        Parameters
        ----------
        data : pandas.DataFrame, polars.DataFrame, pyarrow.Table or Table
        target : str
        max_bytes : int, default 1 GiB
            As for `query`, for each row.

        Returns
        -------
        pandas.DataFrame, shape (n_rows, n_levels)
            One column per label; a row is NaN where the cells that bear on the target are
            impossible together. The index is that of a pandas DataFrame given.

        Raises
        ------
        ValueError
            If the target is not in the network, or a label is not.
        TooLargeError
            If a row would take more than `max_bytes`.
        """
        if self.regressions:
            return label_odds(self._mixed, target, data)
        variable = position_of(self._model, target)
        cells = known_cells(self._model, data, ignored=(target,))
        return pd.DataFrame(
            row_margins(self._model, cells, variable, max_bytes),
            index=data.index if isinstance(data, pd.DataFrame) else None,
            columns=pd.Index(self.levels[target], tupleize_cols=False),
        )

    def predict(
        self, data: Any, target: str, *, max_bytes: int = DEFAULT_MAX_BYTES
    ) -> "pd.Series[Any]":
        """Return the most probable label of one column, given what is known in each row.

        Parameters
        ----------
        data, target, max_bytes
            As for `predict_proba`.

        Returns
        -------
        pandas.Series of categories, shape (n_rows,)
            Of equally probable labels the first; missing where the cells that bear on the target
            are impossible together. If the target is a number, its expected value.
        """
        if self.regressions and self._mixed.is_number(target):
            return number_means(self._mixed, target, data)
        proba = self.predict_proba(data, target, max_bytes=max_bytes)
        values = proba.to_numpy()
        codes = np.where(np.isnan(values[:, 0]), -1, values.argmax(axis=1))
        return pd.Series(self._labels(target, codes), index=proba.index, name=target)

    def impute(
        self,
        data: Any,
        how: Filling = "most probable",
        random_state: RandomState = None,
        *,
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> pd.DataFrame:
        """Fill missing cells, given what is known in each row.

        Parameters
        ----------
        data : pandas.DataFrame, polars.DataFrame, pyarrow.Table or Table
            Columns that the network does not have are left as they are, in a pandas DataFrame, and
            left out otherwise. Columns of the network that the data does not have are not made.
        how : {"most probable", "drawn"}, default "most probable"
            Each missing cell gets its most probable label, which is most often right. Or the
            missing cells of a row get labels drawn from their joint distribution, which keeps
            frequencies and associations as they are.
        random_state : int, RandomState, Generator or None
            The seed of what is drawn.
        max_bytes : int, default 1 GiB
            As for `query`, for each cell.

        Returns
        -------
        pandas.DataFrame
            Columns of the network are categories with all their labels. A row whose known cells
            are impossible together keeps its gaps.

        Raises
        ------
        ValueError
            If a label is not one of the network's.
        TooLargeError
            If a cell would take more than `max_bytes`.
        """
        if how not in get_args(Filling):
            raise ValueError(f"how must be 'most probable' or 'drawn', got {how!r}.")
        model = self._model
        cells = known_cells(model, data)
        held = column_names(data)
        order = [model.index[name] for name in self.graph.topological_order() if name in held]
        seed = seed_of(random_state) if how == "drawn" else None
        filled = fill_cells(model, cells, np.array(order, dtype=np.int32), seed, max_bytes)
        columns = {
            name: self._labels(name, filled[:, model.index[name]])
            for name in held
            if name in model.index
        }
        if not isinstance(data, pd.DataFrame):
            return pd.DataFrame(columns)
        frame = data.copy()
        for place, name in enumerate(held):
            if name in columns:
                frame.isetitem(place, columns[name])
        return frame

    def log_likelihood(
        self, data: Any, *, max_bytes: int = DEFAULT_MAX_BYTES
    ) -> NDArray[np.float64]:
        """Return the natural logarithm of the probability of each row's known cells.

        With numbers, it is the logarithm of a density in the units of the data: it can be above 0,
        and networks of the same columns, in the same units, can be compared by it.

        Parameters
        ----------
        data : pandas.DataFrame, polars.DataFrame, pyarrow.Table or Table
            One column per variable, in any order. Cells may be missing, unless the network has
            numbers.
        max_bytes : int, default 1 GiB
            As for `query`, for each row.

        Returns
        -------
        ndarray of float64, shape (n_rows,)
            ``-inf`` where the network gives a row no probability.

        Raises
        ------
        ValueError
            If columns are missing or unknown, or a label is not among the variable's levels.
        TooLargeError
            If a row would take more than `max_bytes`.
        """
        check_names("the data", column_names(data), self.graph.nodes, what="column")
        if self.regressions:
            return self._mixed.log_likelihood(complete_columns(self._mixed, data))
        return row_log_probabilities(self._model, known_cells(self._model, data), max_bytes)

    def bic(self, data: Any) -> float:
        """Return the Bayesian information criterion of data under this network; higher is better.

        The log-likelihood less half the logarithm of the number of rows for each free parameter,
        which is the sign that bnlearn and this package's scores use. It is the BIC of the graph
        if the tables are the maximum likelihood estimates from the same data.

        Parameters
        ----------
        data
            As for `log_likelihood`.
        """
        rows = self.log_likelihood(data)
        return float(rows.sum() - 0.5 * np.log(len(rows)) * self.n_parameters)

    @property
    def n_parameters(self) -> int:
        """The number of free parameters: (levels - 1) for each configuration of the parents.

        Those of regressions that share between configurations count as what they are worth.
        """
        counted: int = sum(
            table.size // table.shape[-1] * (table.shape[-1] - 1) for table in self.tables.values()
        )
        return counted + round(sum(node.n_parameters for node in self.regressions.values()))

    def _labels(self, name: str, codes: NDArray[Any]) -> pd.Categorical:
        """Return labels by their positions; -1 is a missing one."""
        dtype = pd.CategoricalDtype(pd.Index(list(self.levels[name]), tupleize_cols=False))
        return pd.Categorical.from_codes(codes.tolist(), dtype=dtype)
