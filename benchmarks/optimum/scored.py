"""A fitted learner in; its data, its score and the parent sets that the score gives out.

Everything that depends on how bnsieve counts and scores is here. Constant columns and copies take
no part, as in the learner's own search.
"""

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from benchmarks.optimum.exact import Sets
from bnsieve import TsetlinSieve
from bnsieve.counts import count
from bnsieve.decide import Score, score_parent_sets
from bnsieve.table import Table

# How many times a distinct row is looked at for one data set, at most: once per set, some 8 ns.
MAX_VISITS = 3e9
# Beyond the size to which all sets are scored, these many of each size are grown further.
WIDTH = 200


@dataclass(frozen=True)
class Task:
    """What a learner searched: the columns that took part, and what parents were scored by.

    Attributes
    ----------
    table : Table
        Without constant columns and copies, in the order of the names.
    score : Score
    max_parents : int
    parents : tuple of tuples of int
        Of every column of `table` in the DAG that the learner found.
    """

    table: Table
    score: Score
    max_parents: int
    parents: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, learner: TsetlinSieve) -> "Task":
        """Return the task of a fitted learner whose data had no missing cells."""
        left_out = {*learner.constant_features_, *learner.duplicates_}
        names = sorted(set(learner.fit_result_.rows.names) - left_out)
        place = {name: i for i, name in enumerate(names)}
        parents = tuple(
            tuple(sorted(place[parent] for parent in learner.dag_.parents(name))) for name in names
        )
        result: Any = learner.fit_result_
        return cls(result.rows.select(names), result.sieve.scoring, learner.max_parents, parents)

    @property
    def n_variables(self) -> int:
        """Number of columns that took part."""
        return self.table.n_variables

    def own_score(self) -> float:
        """Return the score of the learner's DAG."""
        total = 0.0
        for target, parents in enumerate(self.parents):
            joint = count(self.table, (target, *parents))
            size = len(parents)
            found = score_parent_sets(
                joint,
                self.score,
                complete_size=size,
                max_size=size,
                width=0,
                required=parents,
            )
            total += float(found.scores[0])
        return total

    def complete_size(self) -> int:
        """Return the size up to which all parent sets can be scored in reasonable time."""
        n = self.n_variables
        n_rows = len(count(self.table, range(n)).counts)
        largest = min(self.max_parents, n - 1)
        visits, size = n * n_rows, 0
        while size < largest:
            visits += n * n_rows * comb(n - 1, size + 1)
            if visits > MAX_VISITS:
                break
            size += 1
        return size

    def sets(self, target: int, complete_size: int) -> Sets:
        """Score the parent sets of a column, without those that a subset of theirs equals.

        All up to `complete_size`; larger ones, up to the most parents that the learner allows, are
        grown from the best. The learner's own set is among them, and its neighbours.
        """
        others = tuple(v for v in range(self.n_variables) if v != target)
        found = score_parent_sets(
            count(self.table, (target, *others)),
            self.score,
            complete_size=complete_size,
            max_size=self.max_parents,
            width=WIDTH,
            centre=self.parents[target],
        )
        bits = np.array([1 << v for v in others], dtype=np.int64)
        chosen = found.masks[:, np.newaxis] >> np.arange(len(others), dtype=np.uint32) & 1
        return Sets(chosen.astype(np.int64) @ bits, found.scores)
