"""What a run will take, from what is known of the columns before anything is learned."""

from bnsieve.engine import used_so_far
from bnsieve.learners import Estimate, TsetlinSieve, estimate_run, shape_of
from bnsieve.rows import MAX_CELLS
from bnsieve.table.prepare import ColumnPlan, DatePart, Output, Preparation

# Labels that parts of a date have at most, or years mostly.
_OF_PART = {"year": 10, "month": 12, "weekday": 7, "hour": 24}


def expect(plan: Preparation, n_jobs: int | None, n_replicates: int = 0) -> Estimate:
    """Return what `bnsieve learn` takes in all, now that the columns are known.

    What was used so far counts: the rows were read once. Each replicate of a bootstrap learns from
    half of the rows.
    """
    so_far = used_so_far()
    levels = [n_levels(column, output) for column in plan.columns for output in column.outputs]
    in_files = plan.n_rows * len(plan.columns) > MAX_CELLS
    n_missing = sum(
        column.n_missing
        for column in plan.columns
        for output in column.outputs
        if output.blank is None
    )
    n_sample = TsetlinSieve().sample_rows if in_files else None
    shape = shape_of(plan.n_rows, levels, n_missing, n_sample)
    return estimate_run(shape, so_far, n_jobs, times=1 + n_replicates / 2)


def n_levels(column: ColumnPlan, output: Output) -> int:
    """Return how many levels an output has."""
    if output.cuts is not None:
        return len(output.cuts) + 1
    if output.groups is not None:
        return len(set(output.groups.values())) + 1
    if isinstance(output.reading, DatePart):
        return _OF_PART[output.reading.part]
    return max(2, column.n_levels)
