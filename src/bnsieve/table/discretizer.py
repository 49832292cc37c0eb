"""Replace columns of numbers in a frame by categories.

Bin edges are found once, by `Discretizer.fit`, and applied to any later rows. Columns of categories
pass unchanged, and so do integers of few different values, which are categories already.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bnsieve.table import cut_points
from bnsieve.table.cut_points import Values
from bnsieve.table.dtypes import EXACT, FEW_NUMBERS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Method = Literal["quantile", "width", "information", "supervised"]

# More rows move the edges by less than a reader would notice, and counting them takes its time.
MAX_ROWS = 50_000
_HISTOGRAM_BARS = 60


class Discretizer(TransformerMixin, BaseEstimator):
    """Bins numeric columns: each becomes a column of a few categories.

    Columns of fractions are binned, and so are integers with more than `max_categories` different
    values. Columns of fewer whole numbers become integer categories. All other columns stay
    unchanged.

    Parameters
    ----------
    method : {"supervised", "information", "quantile", "width"}, default "supervised"
        * "supervised": adds bin edges one by one, each where it describes the most associated
          columns best, until no further edge shortens the description; at most `n_bins` bins.
        * "information": starts with many narrow bins, and merges the two neighbours that lose least
          information about these columns, until `n_bins` are left.
        * "quantile": bins of about equally many rows.
        * "width": bins of equal width.
    n_bins : int or mapping from column to int, default 5
        The number of bins, fewer if values repeat. Columns that a mapping does not name get 5.
    max_categories : int, default 20
        Integers with at most this many different values are categories.

    Attributes
    ----------
    bin_edges_ : dict of str to ndarray of float64
        The bin edges of each binned column. A value on an edge belongs to the bin above it.
    categories_ : dict of str to tuple of str
        The categories of each binned column, such as "< 1.5", "[1.5, 2)" and ">= 2".
    whole_ : tuple of str
        Float columns with few different whole numbers, which become integer categories.
    feature_names_in_ : ndarray of str objects, shape (n_features,)
        The names of the columns passed to `fit`.
    n_features_in_ : int
        The number of columns passed to `fit`.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"weight": [61.5, 58.0, 80.2, 77.1], "sex": ["f", "f", "m", "m"]})
    >>> Discretizer(method="quantile", n_bins=2).fit_transform(frame)
      weight sex
    0   < 77   f
    1   < 77   f
    2  >= 77   m
    3  >= 77   m
    """

    bin_edges_: dict[str, Values]
    categories_: dict[str, tuple[str, ...]]
    whole_: tuple[str, ...]
    feature_names_in_: NDArray[np.object_]
    n_features_in_: int

    def __init__(
        self,
        *,
        method: Method = "supervised",
        n_bins: int | Mapping[str, int] = 5,
        max_categories: int = FEW_NUMBERS,
    ) -> None:
        self.method = method
        self.n_bins = n_bins
        self.max_categories = max_categories

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the bin edges.

        Parameters
        ----------
        X : pandas.DataFrame, polars.DataFrame, pyarrow.Table or two-dimensional array
            Missing values are left out.
        y : ignored
            Present because scikit-learn's pipelines pass it.
        """
        if self.method not in get_args(Method):
            raise ValueError(f"method must be one of {get_args(Method)}; got {self.method!r}")
        frame = _narwhals(X)
        values = dict(_numbers(frame))
        whole = {
            name: len(np.unique(known)) <= self.max_categories and _are_whole(known)
            for name, known in ((name, one[~np.isnan(one)]) for name, one in values.items())
        }
        self.whole_ = tuple(
            name for name, few in whole.items() if few and not frame[name].dtype.is_integer()
        )
        found = self._edges({name: values[name] for name, few in whole.items() if not few}, frame)
        self.bin_edges_ = found
        self.categories_ = {name: bin_labels(own) for name, own in found.items()}
        self._histograms = {name: _histogram(_known(values[name])) for name in found}
        self.feature_names_in_ = np.array(frame.columns, dtype=object)
        self.n_features_in_ = len(frame.columns)
        return self

    def transform(self, X: Any) -> Any:
        """Return the same kind of frame, with categories in place of the numbers.

        Numbers outside the range of `fit` fall into the first or the last bin. Missing values stay
        missing. An array becomes a pandas DataFrame with columns x0, x1 and so on.

        Parameters
        ----------
        X : pandas.DataFrame, polars.DataFrame, pyarrow.Table or two-dimensional array
            Rows with the columns of `fit`.
        """
        check_is_fitted(self, "bin_edges_")
        frame = _narwhals(X)
        absent = [name for name in (*self.bin_edges_, *self.whole_) if name not in frame.columns]
        if absent:
            raise ValueError(f"the data lacks the column {absent[0]!r}, which was binned in fit")
        native = frame.to_native()
        for name in self.whole_:
            native = _with_integers(native, name, _as_numbers(name, frame[name]))
        for name, own in self.bin_edges_.items():
            codes = cut_points.binned(_as_numbers(name, frame[name]), own)
            native = _with_categories(native, name, codes, self.categories_[name])
        return native

    def plot_bins(self) -> "Figure":
        """Draw the distribution of each column that was binned, with its bin edges.

        Needs matplotlib, which the extra ``bnsieve[plot]`` installs.
        """
        check_is_fitted(self, "bin_edges_")
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise ImportError("plot_bins needs matplotlib: pip install 'bnsieve[plot]'") from error
        n_columns = max(1, min(3, len(self.bin_edges_)))
        n_rows = max(1, -(-len(self.bin_edges_) // n_columns))
        figure = Figure(figsize=(3.6 * n_columns, 2.2 * n_rows), layout="constrained")
        axes = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
        for place in axes[len(self.bin_edges_) :]:
            place.set_axis_off()
        for place, (name, own) in zip(axes, self.bin_edges_.items(), strict=False):
            counts, edges = self._histograms[name]
            place.stairs(counts, edges, fill=True, color="0.75")
            for edge in own:
                place.axvline(edge, color="tab:red", linewidth=1)
            place.set_title(f"{name}: {len(own) + 1} bins", fontsize="medium")
            place.set_yticks([])
            place.tick_params(labelsize="small")
        return figure

    def _edges(self, values: dict[str, Values], frame: "nw.DataFrame[Any]") -> dict[str, Values]:
        known = {name: _known(one) for name, one in values.items()}
        for name, one in known.items():
            if not np.isfinite(one).all():
                raise ValueError(f"column {name!r} holds infinite numbers: replace or drop them")
        n_bins = {name: self._bins_of(name) for name in values}
        if self.method == "quantile":
            return {
                name: cut_points.equal_frequency(one, n_bins[name]) for name, one in known.items()
            }
        if self.method == "width":
            return {name: cut_points.equal_width(one, n_bins[name]) for name, one in known.items()}
        step = max(1, -(-len(frame) // MAX_ROWS))
        fine = {
            name: cut_points.equal_frequency(one, cut_points.FINE_BINS)
            for name, one in known.items()
        }
        codes = [
            cut_points.binned(values[name], fine[name])[::step]
            if name in values
            else _codes(column)[::step]
            for name, column in ((name, frame[name]) for name in frame.columns)
        ]
        numeric = [i for i, name in enumerate(frame.columns) if name in values]
        wanted = {i: n_bins[frame.columns[i]] for i in numeric}
        merge = (
            cut_points.least_loss
            if self.method == "information"
            else cut_points.shortest_description
        )
        chosen = merge(codes, numeric, wanted)
        return {
            frame.columns[i]: cut_points.between(
                np.sort(known[frame.columns[i]]), places, fine[frame.columns[i]]
            )
            for i, places in zip(numeric, chosen, strict=True)
        }

    def _bins_of(self, name: str) -> int:
        n_bins = self.n_bins.get(name, 5) if isinstance(self.n_bins, Mapping) else self.n_bins
        if n_bins < 2:
            raise ValueError(f"n_bins must be at least 2, got {n_bins} for column {name!r}")
        return n_bins


def _narwhals(data: Any) -> "nw.DataFrame[Any]":
    if isinstance(data, np.ndarray):
        if data.ndim != 2:
            raise ValueError(f"the array has {data.ndim} dimensions, not two (rows and columns)")
        data = pd.DataFrame(data, columns=[f"x{i}" for i in range(data.shape[1])])
    if isinstance(data, pd.DataFrame):
        # Fractions in a column of Python objects are numbers too.
        data = data.rename(columns=str).infer_objects()
    return nw.from_native(data, eager_only=True)


def _numbers(frame: "nw.DataFrame[Any]") -> Iterator[tuple[str, Values]]:
    """Yield the columns of numbers that have any, NaN where a cell is missing."""
    for name in frame.columns:
        if frame[name].dtype.is_numeric():
            values = _as_numbers(name, frame[name])
            if not np.isnan(values).all():
                yield name, values


def _as_numbers(name: str, column: "nw.Series[Any]") -> Values:
    if not column.dtype.is_numeric():
        raise TypeError(f"column {name!r} held numbers in fit, but is now of type {column.dtype}")
    values: Values = column.cast(nw.Float64).to_numpy().astype(np.float64)
    return values


def _known(values: Values) -> Values:
    return values[~np.isnan(values)]


def _are_whole(values: Values) -> bool:
    return bool(((values == np.floor(values)) & (np.abs(values) < EXACT)).all())


def _histogram(values: Values) -> tuple[NDArray[np.int64], Values]:
    """Count values by bars of equal width; those of whole numbers hold equally many of these."""
    low, high = values.min(), values.max()
    if high / 2 - low / 2 > np.finfo(np.float64).max / 2:  # their distance is no number
        counts, edges = _histogram(values / 4)
        return counts, edges * 4
    if (high - low) / _HISTOGRAM_BARS <= np.spacing(max(abs(low), abs(high))):
        return np.array([len(values)]), np.array([low, np.nextafter(high, np.inf)])
    if not _are_whole(values):
        counts, edges = np.histogram(values, bins=_HISTOGRAM_BARS)
        return counts, edges
    width = -(-(high - low + 1) // _HISTOGRAM_BARS)
    counts, edges = np.histogram(values, bins=np.arange(low - 0.5, high + width + 0.5, width))
    return counts, edges


def _codes(column: "nw.Series[Any]") -> NDArray[np.int64]:
    """Return the categories of any other column by number; -1 where missing."""
    values = column.to_native()
    if not isinstance(getattr(values, "dtype", None), pd.CategoricalDtype):
        values = np.asarray(column.to_list(), dtype=object)
    return np.asarray(pd.factorize(values)[0], dtype=np.int64)


def bin_labels(edges: Values) -> tuple[str, ...]:
    """Return the categories of the bins between edges."""
    shown = [f"{edge:.15g}" for edge in edges]
    if len(set(shown)) < len(shown):
        shown = [f"{edge:.17g}" for edge in edges]
    if not shown:
        return ("any",)
    middle = [f"[{low}, {high})" for low, high in pairwise(shown)]
    return (f"< {shown[0]}", *middle, f">= {shown[-1]}")


def _with_categories(
    native: Any, name: str, codes: NDArray[np.int64], categories: tuple[str, ...]
) -> Any:
    """Replace a column by categories in the frame's own way, in the order of the bins."""
    if isinstance(native, pd.DataFrame):
        dtype = pd.CategoricalDtype(list(categories), ordered=True)
        bins = pd.Categorical.from_codes(codes.tolist(), dtype=dtype)
        return native.assign(**{name: pd.Series(bins, index=native.index)})
    frame = nw.from_native(native, eager_only=True)
    if frame.implementation.is_polars():
        texts = [None if code < 0 else categories[code] for code in codes.tolist()]
        column = nw.new_series(name, texts, nw.Enum(categories), backend=frame.implementation)
        return frame.with_columns(column).to_native()
    indices = pa.array(codes.astype(np.int32), mask=codes < 0)
    dictionary = pa.DictionaryArray.from_arrays(indices, pa.array(categories))
    return native.set_column(native.column_names.index(name), name, dictionary)


def _with_integers(native: Any, name: str, values: Values) -> Any:
    if isinstance(native, pd.DataFrame):
        return native.assign(**{name: pd.array(values, dtype="Float64").astype("Int64")})
    frame = nw.from_native(native, eager_only=True)
    if frame.implementation.is_polars():
        whole = frame[name].cast(nw.Float64).fill_nan(None).cast(nw.Int64)
        return frame.with_columns(whole.alias(name)).to_native()
    return frame.with_columns(nw.col(name).cast(nw.Int64)).to_native()
