"""One file per algorithm: PC, HITON, FSMB, TsetlinPC, the search over orders.

In: tests or scores, and candidates. Out: a skeleton or a DAG, its edges directed.
"""

from bnsieve.search.certainty import sure_arrows, sure_by_name
from bnsieve.search.copies import stand_ins, with_copies
from bnsieve.search.covariance_sets import pair_excess
from bnsieve.search.directions import Directions, decide_directions
from bnsieve.search.evidence import Evidence
from bnsieve.search.fsmb import fsmb_pc
from bnsieve.search.hiton import hiton_pc
from bnsieve.search.neighbourhoods import MAX_GIVEN, Join, LocalSearch
from bnsieve.search.network_search import NetworkFound, SearchSettings, search_network
from bnsieve.search.number_directions import covariance_directions
from bnsieve.search.order import ScoredDag
from bnsieve.search.orientation import (
    SURE_MARGIN,
    known_class,
    orient,
    without_doubtful_heads,
)
from bnsieve.search.pc import Variant, pc_skeleton
from bnsieve.search.recutting import first_cuts, recut, with_cuts
from bnsieve.search.shrinking import shrink_candidates
from bnsieve.search.skeleton import Pair, Skeleton
from bnsieve.search.tsetlin_pc import pair_rule
from bnsieve.search.verify import verify_arrows

__all__ = [
    "MAX_GIVEN",
    "SURE_MARGIN",
    "Directions",
    "Evidence",
    "Join",
    "LocalSearch",
    "NetworkFound",
    "Pair",
    "ScoredDag",
    "SearchSettings",
    "Skeleton",
    "Variant",
    "covariance_directions",
    "decide_directions",
    "first_cuts",
    "fsmb_pc",
    "hiton_pc",
    "known_class",
    "orient",
    "pair_excess",
    "pair_rule",
    "pc_skeleton",
    "recut",
    "search_network",
    "shrink_candidates",
    "stand_ins",
    "sure_arrows",
    "sure_by_name",
    "verify_arrows",
    "with_copies",
    "with_cuts",
    "without_doubtful_heads",
]
