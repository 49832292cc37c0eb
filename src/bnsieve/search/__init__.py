"""One file per algorithm: PC, HITON and FSMB, TsetlinPC, the search over orders.

In: tests or scores, and candidates. Out: a skeleton or a DAG, its edges directed.
"""

from bnsieve.search.compelled import compelled_by_data, directed_by_knowledge
from bnsieve.search.confirmation import (
    ConfirmedDirections,
    confirmed_by_name,
    confirmed_directions,
    named_directions,
    verify_edges,
)
from bnsieve.search.directions import Directions, decide_directions
from bnsieve.search.neighbourhoods import Join, fsmb_pc, hiton_pc, pair_rule, shrink_candidates
from bnsieve.search.network_search import NetworkSearchResult, SearchSettings, search_network
from bnsieve.search.order import ScoredDag
from bnsieve.search.orientation import CONFIRMED_MARGIN, known_class, orient, without_undetermined
from bnsieve.search.pc import Variant, pc_skeleton
from bnsieve.search.rebinning import (
    BINS_MARGIN,
    NetworkComparison,
    first_bin_edges,
    rebin,
    with_bin_edges,
)
from bnsieve.search.skeleton import MAX_CONDITIONING, Pair, Skeleton, pair_of

__all__ = [
    "BINS_MARGIN",
    "CONFIRMED_MARGIN",
    "MAX_CONDITIONING",
    "ConfirmedDirections",
    "Directions",
    "Join",
    "NetworkComparison",
    "NetworkSearchResult",
    "Pair",
    "ScoredDag",
    "SearchSettings",
    "Skeleton",
    "Variant",
    "compelled_by_data",
    "confirmed_by_name",
    "confirmed_directions",
    "decide_directions",
    "directed_by_knowledge",
    "first_bin_edges",
    "fsmb_pc",
    "hiton_pc",
    "known_class",
    "named_directions",
    "orient",
    "pair_of",
    "pair_rule",
    "pc_skeleton",
    "rebin",
    "search_network",
    "shrink_candidates",
    "verify_edges",
    "with_bin_edges",
    "without_undetermined",
]
