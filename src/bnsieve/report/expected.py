"""What a run will take, from what is known of the columns before anything is learned."""

from bnsieve.engine import used_so_far
from bnsieve.learners import Estimate, TsetlinSieve, estimate_run, shape_of
from bnsieve.prepare import ColumnPlan, Output, Preparation
from bnsieve.rows import MAX_CELLS

# Processor time until the first row is read: Python and its libraries.
_SECONDS_TO_START = 1.5


def expect(plan: Preparation, n_jobs: int | None, n_replicates: int = 0) -> Estimate:
    """Return what `bnsieve learn` takes in all, now that the columns are known.

    What was used so far counts: the rows were read once. Each replicate of a bootstrap learns from
    half of the rows.
    """
    so_far = used_so_far()
    levels = [n_levels(column, output) for column in plan.columns for output in column.outputs]
    in_files = plan.n_rows * len(plan.columns) > MAX_CELLS
    gaps = any(column.n_missing and column.outputs for column in plan.columns)
    shape = shape_of(plan.n_rows, levels, gaps, TsetlinSieve().sample_rows if in_files else None)
    seconds_to_read = max(0.0, so_far.seconds - _SECONDS_TO_START)
    return estimate_run(shape, so_far, n_jobs, seconds_to_read, times=1 + n_replicates / 2)


def n_levels(column: ColumnPlan, output: Output) -> int:
    """Return how many levels an output has."""
    if output.cuts is not None:
        return len(output.cuts) + 1
    if output.groups is not None:
        return len(set(output.groups.values())) + 1
    return max(2, column.n_levels)
