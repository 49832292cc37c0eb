"""What `bnsieve learn` left in a folder, opened to be asked; and texts that become labels.

In: a folder, a file or the name of a network; ``column=label`` as typed; a frame of cells. Out: the
network with all that is known beside it; labels as the network has them.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from bnsieve.cli.named import load_tables
from bnsieve.cli.run import GRAPH, MODEL, NETWORK
from bnsieve.exchange import read
from bnsieve.graph import Graph
from bnsieve.learners import StructureLearner, load
from bnsieve.network import BayesianNetwork, nearest
from bnsieve.rows import read_rows

Folder = Annotated[
    str,
    typer.Argument(
        help="A folder that `bnsieve learn` wrote, a file of a network or a saved learner, or a "
        "name that `bnsieve networks` lists."
    ),
]


@dataclass(frozen=True, eq=False)
class Opened:
    """A network to be asked.

    Attributes
    ----------
    network : BayesianNetwork
    graph : Graph
        What is certain about its arrows; the network's own DAG if nothing else is known.
    learner : StructureLearner or None
        Without one, nothing is known about how sure the answers are.
    """

    network: BayesianNetwork
    graph: Graph
    learner: StructureLearner | None = None

    @property
    def v_structures_known(self) -> bool:
        """Whether the graph has the colliders of its DAG, or left out some that are doubtful."""
        return self.graph.v_structures() == self.network.graph.v_structures()

    def assignments(self, texts: Iterable[str], option: str) -> dict[str, Hashable]:
        """Return what ``column=label`` texts say; an unknown name is left for the network."""
        found: dict[str, Hashable] = {}
        for text in texts:
            name, equals, label = self._split(text)
            if not equals:
                raise ValueError(f"{option} takes column=label, got {text!r}")
            if name in found:
                raise ValueError(f"{option} names {name!r} twice")
            found[name] = self.label(name, label)
        return found

    def _split(self, text: str) -> tuple[str, str, str]:
        """Split at the first "=" that has the name of a column before it, else at the first."""
        for at, character in enumerate(text):
            for name in (text[:at], text[:at].strip()):
                if character == "=" and name in self.network.levels:
                    return name, "=", text[at + 1 :]
        return text.partition("=")

    def label(self, name: str, text: str) -> Hashable:
        """Return the label that a text stands for: the label itself, or the bin of a number."""
        labels = {str(label): label for label in self.network.levels.get(name, ())}
        for one in (text, text.strip()):
            if one in labels:
                return labels[one]
        if self.learner is None:
            return text  # the network refuses it, with the nearest label
        try:
            found: Hashable = self._state(name, float(text))
        except ValueError:
            found = self._state(name, text)
        return found if found in self.network.levels.get(name, ()) else text

    def _state(self, name: str, value: Any) -> Any:
        return self.network.parts.in_states({name: value})[name]

    def labelled(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the columns that the network has, with its labels; missing cells stay missing.

        Raises
        ------
        ValueError
            If a cell is no label of its column.
        """
        reader = replace(self.network.learned.reader, missing_as_state=False)
        if reader.plan is not None:
            table = reader.table(frame, self.network.levels)
            index = frame.index
            frame = pd.DataFrame(index=index) if table is None else table.to_frame()
            frame.index = index
        columns = {}
        for name in frame.columns:
            if name in self.network.levels:
                columns[name] = self._labels_of(str(name), frame[name])
        if not columns:
            raise ValueError("the rows have no column of the network: check the names")
        return pd.DataFrame(columns, index=frame.index)

    def _labels_of(self, name: str, column: "pd.Series[Any]") -> pd.Categorical:
        levels = list(self.network.levels[name])
        dtype = pd.CategoricalDtype(pd.Index(levels, tupleize_cols=False))
        place = {str(label): i for i, label in enumerate(levels)}
        numbers, cells = pd.factorize(column)
        codes = []
        for number, cell in enumerate(cells):
            text = str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
            if text not in place:
                row = int((numbers == number).argmax()) + 1
                raise ValueError(
                    f"row {row}: column {name!r} has no label {text!r}{nearest(text, levels)}"
                )
            codes.append(place[text])
        # The number of a missing cell is -1, which is the last of these.
        return pd.Categorical.from_codes(np.array([*codes, -1])[numbers], dtype=dtype)


def open_learned(argument: str) -> Opened:
    """Open what an argument of the command line names.

    Raises
    ------
    ValueError
        If there is no network in it.
    """
    path = Path(argument)
    if path.is_dir():
        return _open_folder(path)
    if path.suffix == ".bnsieve":
        return _of_learner(load(path))
    network = load_tables(argument)
    return Opened(network, network.graph)


def _open_folder(folder: Path) -> Opened:
    if (folder / MODEL).is_file():
        return _of_learner(load(folder / MODEL))
    if not (folder / NETWORK).is_file():
        raise ValueError(
            f"the folder {folder} has no {NETWORK}: name a folder that `bnsieve learn` wrote"
        )
    network = read(folder / NETWORK)
    graph = read(folder / GRAPH) if (folder / GRAPH).is_file() else network
    if not isinstance(network, BayesianNetwork):
        raise ValueError(f"{folder / NETWORK} holds a graph without probability tables")
    if not isinstance(graph, Graph) or set(graph.nodes) != set(network.graph.nodes):
        graph = network.graph
    return Opened(network, graph)


def _of_learner(learner: StructureLearner) -> Opened:
    return Opened(learner.network_.binned, learner.graph_, learner)


def read_frame(path: Path, opened: Opened) -> pd.DataFrame:
    """Read rows to be predicted or filled; they must fit in memory.

    A text that stood for a missing cell when the network was learned does so here.
    """
    plan = None if opened.learner is None else opened.learner.preparation_
    frame = read_rows(path, () if plan is None else plan.missing_texts).frame
    if frame is None:
        raise ValueError(f"{path} has too many rows for memory: give it in pieces")
    return frame
