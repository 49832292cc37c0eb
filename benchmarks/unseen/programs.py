"""The programs that the study compares: a frame and a seed in, a graph and its DAG out.

To add one, write a function and give it a name in `PROGRAMS`. It sees a frame of categoricals, in
which columns are shuffled and renamed, and returns a graph over exactly these columns, in which
every arrow is a claim: a program that learns a DAG returns its CPDAG. The DAG beside it gives the
probabilities of new rows.
"""

from collections.abc import Callable

import pandas as pd

from bnsieve import Graph, TsetlinSieve

Program = Callable[[pd.DataFrame, int], tuple[Graph, Graph]]


def search(data: pd.DataFrame, seed: int) -> tuple[Graph, Graph]:
    """Return what the default learns."""
    learner = TsetlinSieve(random_state=seed).fit(data)
    return learner.graph_, learner.dag_


def tests(data: pd.DataFrame, seed: int) -> tuple[Graph, Graph]:
    """Return what is left of it when every arrow must pass independence tests."""
    learner = TsetlinSieve(method="tests", random_state=seed).fit(data)
    return learner.graph_, learner.dag_


PROGRAMS: dict[str, Program] = {"search": search, "tests": tests}
