"""Hostile tables, and what becomes of each: the nodes of the graph, or what the error says."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

N = 80
HALF = np.arange(N) % 2
LABELS = np.array(["no", "yes"])[HALF]


@dataclass(frozen=True)
class Hostile:
    """A table: its columns that must be nodes, or a part of the error.

    Attributes
    ----------
    name : str
    make : function
        Returns a frame.
    nodes : tuple of str, or None
        None: a learner refuses the table.
    says : str
        Of the command alone, where there are nodes: it refuses tables that a learner takes.
    files : bool
        Whether a file can hold it.
    """

    name: str
    make: Callable[[], pd.DataFrame]
    nodes: tuple[str, ...] | None = None
    says: str = ""
    files: bool = True


def drawn(n_rows, n_columns, n_labels=2, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_labels, (n_rows, n_columns))
    return pd.DataFrame({f"c{i}": codes[:, i].astype(str) for i in range(n_columns)})


def with_index(index):
    frame = drawn(N, 2)
    frame.index = index
    return frame


def repeated(*names):
    frame = pd.DataFrame(np.stack([LABELS] * len(names), axis=1))
    frame.columns = pd.Index(names)
    return frame


TABLES = [
    Hostile("no rows", lambda: drawn(N, 2).iloc[:0], says="no rows"),
    Hostile("no columns", lambda: drawn(N, 0), says="no columns", files=False),
    Hostile("neither rows nor columns", pd.DataFrame, says="no ", files=False),
    Hostile("one row", lambda: drawn(1, 3), ("c0", "c1", "c2"), says="has one row only"),
    Hostile("two rows", lambda: pd.DataFrame({"a": ["x", "y"], "b": ["x", "y"]}), nodes=("a", "b")),
    Hostile(
        "all constant",
        lambda: pd.DataFrame({"a": ["x"] * N, "b": [1] * N}),
        ("a", "b"),
        says="left out",
    ),
    Hostile("all empty", lambda: pd.DataFrame({"a": [None] * N, "b": [None] * N}), says="left out"),
    Hostile("one name twice", lambda: repeated("a", "a"), says="'a'"),
    Hostile("names equal as text", lambda: repeated(1, "1"), says="1", files=False),
    Hostile("a name in parts", lambda: repeated(("a", "b"), "c"), ("('a', 'b')", "c"), files=False),
    Hostile("an index that repeats", lambda: with_index([0] * N), nodes=("c0", "c1")),
    Hostile(
        "an index of dates", lambda: with_index(pd.date_range("2020", periods=N)), ("c0", "c1")
    ),
    Hostile("an index of NaN", lambda: with_index([np.nan] * N), nodes=("c0", "c1")),
    Hostile("copies", lambda: repeated("a", "b", "c"), nodes=("a", "b", "c")),
    Hostile(
        "more columns than rows", lambda: drawn(8, 40), nodes=tuple(f"c{i}" for i in range(40))
    ),
    Hostile("a hundred columns", lambda: drawn(60, 100), tuple(f"c{i}" for i in range(100))),
    Hostile("every row another", lambda: drawn(N, 8, 3), nodes=tuple(f"c{i}" for i in range(8))),
    Hostile("every row the same but one", lambda: one_differs(), nodes=("a", "b")),
    Hostile("a label a hundredth", lambda: rare(), nodes=("a", "b")),
    Hostile("half of all cells missing", lambda: gaps(0.5), nodes=("c0", "c1", "c2")),
    Hostile("nearly all cells missing", lambda: gaps(0.95), nodes=("c0", "c1", "c2")),
    Hostile("never two columns in one row", lambda: apart(), nodes=("a", "b")),
    Hostile("rows sorted", lambda: drawn(N, 3).sort_values("c0"), nodes=("c0", "c1", "c2")),
    Hostile("parity", lambda: parity(), nodes=("a", "b", "parity")),
    Hostile("numbers on a line", lambda: line(), nodes=("a", "b", "c")),
    Hostile("numbers and their opposite", lambda: opposite(), nodes=("a", "b")),
]


def one_differs():
    return pd.DataFrame({"a": ["x"] * (N - 1) + ["y"], "b": ["x"] * (N - 1) + ["y"]})


def rare():
    return pd.DataFrame({"a": ["x"] * (N - 1) + ["y"], "b": LABELS})


def gaps(share):
    frame = drawn(N, 3)
    return frame.mask(np.random.default_rng(1).random(frame.shape) < share)


def apart():
    frame = pd.DataFrame({"a": np.tile(["x", "y"], N // 2), "b": np.tile(["p", "q"], N // 2)})
    frame.loc[: N // 2 - 1, "a"] = None
    frame.loc[N // 2 :, "b"] = None
    return frame


def parity():
    frame = drawn(N, 2).rename(columns={"c0": "a", "c1": "b"})
    frame["parity"] = (frame["a"] != frame["b"]).map({True: "odd", False: "even"})
    return frame


def line():
    numbers = np.random.default_rng(0).normal(size=N)
    return pd.DataFrame({"a": numbers, "b": 2 * numbers + 1, "c": np.exp(numbers)})


def opposite():
    numbers = np.random.default_rng(0).normal(size=N)
    return pd.DataFrame({"a": numbers, "b": -numbers})
