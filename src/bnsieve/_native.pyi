"""Types of the compiled kernels; see ``native/`` for what they compute."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

def simd_level() -> str: ...
def simd_levels() -> list[str]: ...
def force_simd_level(name: str) -> None: ...
def give_memory_back() -> None: ...
def pack_literals(
    codes: NDArray[np.uint8] | NDArray[np.uint16],
    first_literal: NDArray[np.int64],
    literals: NDArray[np.uint64],
) -> None: ...
def count_joint(
    codes: NDArray[np.uint8] | NDArray[np.uint16],
    variables: NDArray[np.int64],
    radices: NDArray[np.int64],
    missing: list[NDArray[np.bool_] | None],
    weights: NDArray[np.int64] | None,
    start: int,
    stop: int,
) -> tuple[NDArray[np.uint8] | NDArray[np.uint16], NDArray[np.int64]]: ...
def count_pairs(
    a: NDArray[np.uint64], b: NDArray[np.uint64], counts: NDArray[np.float64]
) -> None: ...
def spread_over_pairs(
    bits: NDArray[np.uint64],
    marked: NDArray[np.uint64],
    first: NDArray[np.int64],
    open: NDArray[np.bool_],
    together: NDArray[np.float64],
    share: float,
    n_rows: int,
    spread: NDArray[np.float64],
) -> None: ...
def strongest_triple(
    bits: NDArray[np.uint64],
    first: NDArray[np.int64],
    open: NDArray[np.bool_],
    complete: NDArray[np.bool_],
    target: NDArray[np.uint64],
    shares: NDArray[np.float64],
    scales: NDArray[np.float64],
    limits: NDArray[np.float64],
) -> list[int]: ...

class StrataStatistics:
    n_total: float
    n_rows: float
    n_strata: float
    df: float
    chi_square: float
    g_square: float
    damped: float
    mean: float
    variance: float
    log_arrangements: float
    coarse_share: float

def strata_statistics(
    configurations: NDArray[np.uint8] | NDArray[np.uint16], counts: NDArray[np.int64]
) -> StrataStatistics: ...
def scan_statistics(
    codes: NDArray[np.uint8] | NDArray[np.uint16],
    n_levels: NDArray[np.int64],
    variables: Sequence[int],
) -> StrataStatistics: ...
def permutation_p_value(
    configurations: NDArray[np.uint8] | NDArray[np.uint16],
    counts: NDArray[np.int64],
    observed: float,
    max_draws: int,
    enough: float,
) -> float: ...
def train_machine(
    literals: NDArray[np.uint64],
    rows: NDArray[np.int32],
    labels: NDArray[np.int32],
    allowed: NDArray[np.uint64],
    include: NDArray[np.uint64],
    depth: NDArray[np.uint64],
    weights: NDArray[np.int32],
    threshold: int,
    forget_p16: int,
    boost: bool,
    seed: int,
    first_epoch: int,
    n_epochs: int,
    first_class: int,
    last_class: int,
) -> None: ...
def count_votes(
    literals: NDArray[np.uint64],
    rows: NDArray[np.int32],
    include: NDArray[np.uint64],
    weights: NDArray[np.int32],
    votes: NDArray[np.int64],
) -> None: ...
def count_matches(
    literals: NDArray[np.uint64],
    rows: NDArray[np.int32],
    labels: NDArray[np.int32],
    include: NDArray[np.uint64],
    matches: NDArray[np.int64],
) -> None: ...

DEPTH_PLANES: int
CLAUSE_GROUP: int
MAX_WEIGHT: int

def elimination_order(
    members: NDArray[np.int32],
    starts: NDArray[np.int64],
    log_levels: NDArray[np.float64],
    stage: NDArray[np.int32],
    n_stages: int,
    rule: str,
) -> tuple[list[int], list[int], list[int]]: ...
def sum_axes(
    table: NDArray[np.float64],
    radices: NDArray[np.int64],
    strides: NDArray[np.int64],
    sums: NDArray[np.float64],
) -> None: ...

class NetworkRows:
    def __init__(
        self,
        n_levels: NDArray[np.int32],
        parent_start: NDArray[np.int64],
        parents: NDArray[np.int32],
        table_start: NDArray[np.int64],
        tables: NDArray[np.float64],
    ) -> None: ...
    def margins(
        self,
        rows: NDArray[np.int32],
        target: int,
        probabilities: NDArray[np.float64],
        states: NDArray[np.uint8],
        max_bytes: int,
    ) -> None: ...
    def each_margin(
        self,
        row: NDArray[np.int32],
        targets: NDArray[np.int32],
        probabilities: NDArray[np.float64],
        logarithm: NDArray[np.float64],
        max_bytes: int,
        max_work: float,
    ) -> int: ...
    def log_probabilities(
        self,
        rows: NDArray[np.int32],
        logarithms: NDArray[np.float64],
        states: NDArray[np.uint8],
        max_bytes: int,
    ) -> None: ...
    def fill(
        self,
        rows: NDArray[np.int32],
        filled: NDArray[np.int32],
        order: NDArray[np.int32],
        draws: NDArray[np.float64],
        states: NDArray[np.uint8],
        max_bytes: int,
    ) -> None: ...

def sample_variable(
    codes: NDArray[np.uint8] | NDArray[np.uint16],
    variable: int,
    first_row: int,
    parents: NDArray[np.int64],
    strides: NDArray[np.int64],
    thresholds: NDArray[np.uint64],
    key: NDArray[np.uint64],
) -> None: ...
def score_parent_sets(
    configurations: NDArray[np.uint8] | NDArray[np.uint16],
    counts: NDArray[np.int64],
    radices: NDArray[np.int64],
    kind: str,
    parameters: NDArray[np.float64],
    observed: bool,
    parent_cost: float,
    complete_size: int,
    max_size: int,
    width: int,
    required: int = 0,
    centre: int = 0,
    missing: NDArray[np.bool_] | None = None,
    foremost: int = 0,
    known: tuple[NDArray[np.uint32], NDArray[np.float64], int] | None = None,
) -> tuple[NDArray[np.uint32], NDArray[np.float64]]: ...
def score_additions(
    codes: NDArray[np.uint8] | NDArray[np.uint16],
    radices: NDArray[np.int64],
    target: int,
    parents: NDArray[np.int64],
    kind: str,
    parameters: NDArray[np.float64],
    observed: bool,
    parent_cost: float,
    missing: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]: ...
def score_covariance_sets(
    covariance: NDArray[np.float64],
    first: NDArray[np.int64],
    variables: NDArray[np.int64],
    n_rows: float,
    penalty: float,
    parent_cost: float,
    complete_size: int,
    max_size: int,
    width: int,
    required: int = 0,
    centre: int = 0,
    known: tuple[NDArray[np.uint32], NDArray[np.float64]] | None = None,
) -> tuple[NDArray[np.uint32], NDArray[np.float64]]: ...
def score_covariance_additions(
    covariance: NDArray[np.float64],
    first: NDArray[np.int64],
    variables: NDArray[np.int64],
    n_rows: float,
    penalty: float,
    parent_cost: float,
) -> NDArray[np.float64]: ...
def search_orders(
    first_candidate: NDArray[np.int64],
    candidates: NDArray[np.int32],
    first_set: NDArray[np.int64],
    masks: NDArray[np.uint32],
    scores: NDArray[np.float64],
    order: NDArray[np.int32],
    n_rounds: int,
    seed: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64], float]: ...
def falls_if_turned(
    first_candidate: NDArray[np.int64],
    candidates: NDArray[np.int32],
    first_set: NDArray[np.int64],
    masks: NDArray[np.uint32],
    scores: NDArray[np.float64],
    order: NDArray[np.int32],
    arrows: NDArray[np.int32],
    n_rounds: int,
    seed: int,
) -> NDArray[np.float64]: ...

class Tally:
    def __init__(
        self, columns: Sequence[Sequence[int]], radices: Sequence[int], limit: int
    ) -> None: ...
    def add(self, codes: NDArray[np.uint8] | NDArray[np.uint16]) -> None: ...
    def counted(self, table: int) -> tuple[int, NDArray[np.uint64], NDArray[np.int64]]: ...

def add_counted(
    radices: Sequence[int],
    limit: int,
    depth_a: int,
    keys_a: NDArray[np.uint64],
    counts_a: NDArray[np.int64],
    depth_b: int,
    keys_b: NDArray[np.uint64],
    counts_b: NDArray[np.int64],
    /,
) -> tuple[int, NDArray[np.uint64], NDArray[np.int64]]: ...
def recode(
    indices: NDArray[np.int32],
    code_of: NDArray[np.uint8] | NDArray[np.uint16],
    codes: NDArray[np.uint8] | NDArray[np.uint16],
) -> None: ...

class RowFunctions:
    def __init__(self, n_rows: int) -> None: ...
    def add_steps(
        self,
        values: NDArray[np.float64],
        lowest: NDArray[np.float64],
        tables: NDArray[np.float64],
    ) -> None: ...
    def add_places(self, places: NDArray[np.int32], tables: NDArray[np.float64]) -> None: ...
    def add_scaled(self, values: NDArray[np.float64], mean: float, deviation: float) -> None: ...
    def fill(self, start: int, columns: NDArray[np.float64]) -> None: ...

class StopFlag:
    def raise_(self) -> None: ...

def stop_if_asked() -> None: ...
def obey(flag: StopFlag) -> None: ...
def count_indices(indices: NDArray[np.int32], n: int) -> NDArray[np.int64]: ...
