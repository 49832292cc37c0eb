"""The programs that the study compares: a frame and a seed in, a graph out.

To add one, write a function and give it a name in `PROGRAMS`. It sees a frame of categoricals, in
which columns are shuffled and renamed, and returns a graph over exactly these columns, in which
every arrow is a claim: a program that learns a DAG returns its CPDAG.
"""

from collections.abc import Callable

import pandas as pd

from bnsieve import Graph, TsetlinSieve

Program = Callable[[pd.DataFrame, int], Graph]


def search(data: pd.DataFrame, seed: int) -> Graph:
    """Return what the default learns."""
    return TsetlinSieve(random_state=seed).fit(data).graph_


def tests(data: pd.DataFrame, seed: int) -> Graph:
    """Return what is left of it when every arrow must pass independence tests."""
    return TsetlinSieve(method="tests", random_state=seed).fit(data).graph_


PROGRAMS: dict[str, Program] = {"search": search, "tests": tests}
