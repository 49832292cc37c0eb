"""Frames become codes.

In: a data frame, an Arrow table or an array. Out: a `Table`, its numbers in bins and beside these.
"""

from bnsieve.table.column import (
    MAX_CATEGORIES,
    Codes,
    Column,
    EmptyColumnError,
    Floats,
    Kind,
    code_dtype,
    numbers_among,
)
from bnsieve.table.content_order import CategoryOrders, content_orders
from bnsieve.table.cut_points import (
    FINE_BINS,
    binned,
    equal_frequency,
    shortest_description,
    tidy_cut,
    x_log_x,
)
from bnsieve.table.dependence import (
    REASON,
    DependentRowsWarning,
    RowColumn,
    RowDependence,
    find_dependence,
)
from bnsieve.table.discretizer import MAX_ROWS, Discretizer, bin_labels
from bnsieve.table.dtypes import (
    EXACT,
    FEW_NUMBERS,
    arrow_kind,
    read_categories,
    read_column,
    require_whole,
    whole_numbers,
)
from bnsieve.table.lagging import (
    lagged_table,
    last_known,
    mean_known,
    resampled_table,
    static_columns,
    varies,
    with_columns,
    with_longer_past,
)
from bnsieve.table.linear_relations import (
    LinearRelation,
    find_linear_relations,
    linear_members,
    linear_relations_of,
)
from bnsieve.table.memory import LIMITS
from bnsieve.table.near_repeats import find_near_repeats
from bnsieve.table.ranges import Range, between_cuts, ranges_of
from bnsieve.table.rank_map import MAX_SAMPLE_STEPS, MAX_STEPS, N_FUNCTIONS, RankMap, rank_functions
from bnsieve.table.ranks import drawn_rows, n_drawn, row_ranks, some_rows
from bnsieve.table.reading_order import StateOrder, state_order
from bnsieve.table.repeats import find_repeats
from bnsieve.table.table import Table, named_columns, text_labels
from bnsieve.table.timeline import (
    MAX_LAGS,
    MOST_CHOSEN,
    AtLag,
    CalendarPart,
    LagChoice,
    Steps,
    Timeline,
    duration,
    earlier_in_words,
    is_past,
    lagged_name,
    parse_lagged_name,
    timeline_of,
)

__all__ = [
    "EXACT",
    "FEW_NUMBERS",
    "FINE_BINS",
    "LIMITS",
    "MAX_CATEGORIES",
    "MAX_LAGS",
    "MAX_ROWS",
    "MAX_SAMPLE_STEPS",
    "MAX_STEPS",
    "MOST_CHOSEN",
    "N_FUNCTIONS",
    "REASON",
    "AtLag",
    "CalendarPart",
    "CategoryOrders",
    "Codes",
    "Column",
    "DependentRowsWarning",
    "Discretizer",
    "EmptyColumnError",
    "Floats",
    "Kind",
    "LagChoice",
    "LinearRelation",
    "Range",
    "RankMap",
    "RowColumn",
    "RowDependence",
    "StateOrder",
    "Steps",
    "Table",
    "Timeline",
    "arrow_kind",
    "between_cuts",
    "bin_labels",
    "binned",
    "code_dtype",
    "content_orders",
    "drawn_rows",
    "duration",
    "earlier_in_words",
    "equal_frequency",
    "find_dependence",
    "find_linear_relations",
    "find_near_repeats",
    "find_repeats",
    "is_past",
    "lagged_name",
    "lagged_table",
    "last_known",
    "linear_members",
    "linear_relations_of",
    "mean_known",
    "n_drawn",
    "named_columns",
    "numbers_among",
    "parse_lagged_name",
    "ranges_of",
    "rank_functions",
    "read_categories",
    "read_column",
    "require_whole",
    "resampled_table",
    "row_ranks",
    "shortest_description",
    "some_rows",
    "state_order",
    "static_columns",
    "text_labels",
    "tidy_cut",
    "timeline_of",
    "varies",
    "whole_numbers",
    "with_columns",
    "with_longer_past",
    "x_log_x",
]
