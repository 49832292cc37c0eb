"""One way to open a model: a folder, a file or a name -> the network and what belongs to it.

In: an argument of the command line; ``variable=state`` as typed; a frame. Out: an `OpenedModel`, or
a graph without probabilities; states and frames as the network has them.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.cli.run.files import GRAPH, MODEL, NETWORK, RECORD
from bnsieve.cli.run.record import read_record
from bnsieve.cli.run.run import Reading
from bnsieve.exchange import list_networks, load_network, read
from bnsieve.graph import Graph
from bnsieve.knowledge import Knowledge
from bnsieve.learners import StructureLearner, load
from bnsieve.network import BayesianNetwork, nearest
from bnsieve.rows import DataSource, open_data
from bnsieve.table import parse_lagged_name, read_column
from bnsieve.table.prepare import Numbers, Output, numbers_of, without_missing
from bnsieve.text import listed


@dataclass(frozen=True, eq=False)
class OpenedModel:
    """A network to query.

    Attributes
    ----------
    network : BayesianNetwork
    graph : Graph
        The learned graph; the network's own DAG if nothing else is known.
    learner : StructureLearner or None
        Without one, answers have no intervals.
    record : dict
        The content of ``run.json``; empty if the model is not of a run.
    """

    network: BayesianNetwork
    graph: Graph
    learner: StructureLearner | None = None
    record: dict[str, Any] = field(default_factory=dict)

    def fitted(self, columns: Iterable[str] = ()) -> StructureLearner:
        """Return the learner; refuse a model without one, and columns that it does not have."""
        if self.learner is None:
            raise ValueError(
                "this is a network without its learner: give the folder that `bnsieve learn` wrote"
            )
        names = self.learner.dag_.nodes
        for column in columns:
            if column in names:
                continue
            for change in self.record.get("changes", ()):
                if change["column"] == column and change["what"] == "dropped":
                    raise ValueError(f"the column {column!r} was left out: {change['why']}")
            if column in self.record.get("data", {}).get("columns", ()):
                raise ValueError(
                    f"the column {column!r} was not examined: it is far from the target"
                )
            known = listed(map(repr, names), 10)
            raise ValueError(f"there is no column {column!r}: the columns are {known}")
        return self.learner

    def needed(self) -> tuple[str, ...]:
        """Return the columns of a table that the network can use."""
        plan = None if self.learner is None else self.learner.preparation_
        return tuple(map(str, self.network.states)) if plan is None else plan.needed

    def assignments(self, texts: Iterable[str], option: str) -> dict[str, Hashable]:
        """Read texts such as ``variable=state``; an unknown name is left for the network."""
        found: dict[str, Hashable] = {}
        for text in texts:
            name, equals, label = self._split(text)
            if not equals:
                raise ValueError(f"{option} takes variable=state, got {text!r}")
            if name in found:
                raise ValueError(f"{option} names {name!r} twice")
            found[name] = self.label(name, label)
        return found

    def _split(self, text: str) -> tuple[str, str, str]:
        """Split at the first "=" that follows the name of a variable, else at the first."""
        for at, character in enumerate(text):
            for name in (text[:at], text[:at].strip()):
                if character == "=" and name in self.network.states:
                    return name, "=", text[at + 1 :]
        return text.partition("=")

    def label(self, name: str, text: str) -> Hashable:
        """Return the state that a text means: the state itself, or the bin of a number."""
        if name not in self.network.states:  # further back than the lags that were learned
            name = parse_lagged_name(name).variable
        labels = {str(label): label for label in self.network.states.get(name, ())}
        for one in (text, text.strip()):
            if one in labels:
                return labels[one]
        if self.learner is None:
            return text  # the network refuses it, with the nearest state
        try:
            found: Hashable = self._state(name, float(text))
        except ValueError:
            found = self._state(name, text)
        return found if found in self.network.states.get(name, ()) else text

    def _state(self, name: str, value: Any) -> Any:
        return self.network.parts.in_states({name: value})[name]

    def check_readable(
        self, frame: pd.DataFrame, unread: Counter[str] | None, first_row: int = 1
    ) -> None:
        """Count cells that are no number or date where the network was learned from these.

        Parameters
        ----------
        frame : DataFrame
        unread : Counter or None
            Counts them by column; None refuses them.
        first_row : int
            The number of the first row, for messages.
        """
        plan = None if self.learner is None else self.learner.preparation_
        if plan is None:
            return
        for name, is_unread in plan.among(list(frame.columns)).unread(frame).items():
            if not is_unread.any():
                continue
            if unread is None:
                place = int(is_unread.argmax())
                what = "date" if plan[name].role == "date" else "number"
                raise ValueError(
                    f"row {place + first_row}: column {name!r} holds "
                    f"{str(frame[name].iloc[place])!r}, which cannot be read as a {what}"
                )
            unread[name] += int(is_unread.sum())

    def output(self, name: str) -> Output | None:
        """Return how a column is prepared; None if cells are states as they are."""
        plan = None if self.learner is None else self.learner.preparation_
        outputs = () if plan is None else plan.outputs
        return next((output for output in outputs if output.name == name), None)

    def missing(self, frame: pd.DataFrame) -> dict[str, NDArray[np.bool_]]:
        """Return the missing values of each column that is a variable, as learning reads them."""
        variables = [name for name in frame.columns if name in self.network.states]
        plan = None if self.learner is None else self.learner.preparation_
        if plan is None:
            return {name: frame[name].isna().to_numpy() for name in variables}
        return plan.among(variables).with_outputs(variables).missing(frame)

    def numbers(self, frame: pd.DataFrame, name: str) -> NDArray[np.float64]:
        """Return the numbers that the cells of a column say; NaN where they say none."""
        output = self.output(name)
        assert self.learner is not None and self.learner.preparation_ is not None
        assert output is not None and isinstance(output.reading, Numbers)
        texts = self.learner.preparation_.missing_texts
        return numbers_of(without_missing(read_column(frame[name]), name, texts), output.reading)

    def imputed(self, frame: pd.DataFrame, drawn: bool, seed: int) -> pd.DataFrame:
        """Return the rows with missing values filled in: states, and numbers in units.

        Raises
        ------
        ValueError
            If a cell is not a state of its variable.
        """
        cells = self.labelled(frame)
        network, rows = (
            (self.network, cells) if self.learner is None else (self.learner.network_, frame)
        )
        return network.impute(rows, "drawn" if drawn else "most probable", seed)

    def labelled(
        self, frame: pd.DataFrame, unseen: Counter[str] | None = None, first_row: int = 1
    ) -> pd.DataFrame:
        """Return the columns that the network has, with its states; missing values stay missing.

        Parameters
        ----------
        frame : DataFrame
        unseen : Counter, optional
            Cells that are not a state of their variable are missing, and counted here by column.
        first_row : int
            The number of the first row, for messages.

        Raises
        ------
        ValueError
            If a cell is not a state of its variable, and such cells are not to be counted.
        """
        names = set(map(str, frame.columns))
        reader = replace(self.network.learned.reader, missing_as_state=False)
        if reader.plan is not None:
            table = reader.table(frame, self.network.states)
            index = frame.index
            frame = pd.DataFrame(index=index) if table is None else table.to_frame()
            frame.index = index
        columns = {}
        for name in frame.columns:
            if name in self.network.states:
                columns[name] = self._labels_of(str(name), frame[name], unseen, first_row)
        if not columns and names.isdisjoint(self.needed()):
            raise ValueError("the rows have no column that the network has: check the names")
        return pd.DataFrame(columns, index=frame.index)

    def _labels_of(
        self, name: str, column: "pd.Series[Any]", unseen: Counter[str] | None, first_row: int
    ) -> pd.Categorical:
        states = list(self.network.states[name])
        dtype = pd.CategoricalDtype(pd.Index(states, tupleize_cols=False))
        place = {str(label): i for i, label in enumerate(states)}
        numbers, cells = pd.factorize(column)
        codes = []
        for number, cell in enumerate(cells):
            text = str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
            if text not in place and unseen is not None:
                unseen[name] += int((numbers == number).sum())
            elif text not in place:
                row = int((numbers == number).argmax()) + first_row
                raise ValueError(
                    f"row {row}: column {name!r} has no state {text!r}{nearest(text, states)}"
                )
            codes.append(place.get(text, -1))
        # The number of a missing value is -1, which is the last of these.
        return pd.Categorical.from_codes(np.array([*codes, -1])[numbers], dtype=dtype)


def resolve(argument: str) -> OpenedModel | Graph:
    """Open the model, or the graph without probabilities, that an argument names.

    It is a folder that ``bnsieve learn`` wrote, a saved learner, a file of a network or graph, or
    the name of a network that comes with bnsieve.
    """
    path = Path(argument)
    is_named = argument in {network.name for network in list_networks()}
    if path.is_dir() and not (is_named and not (path / NETWORK).is_file()):
        return _open_folder(path)
    if path.suffix == ".bnsieve":
        return _of_learner(path)
    if path.exists() and not path.is_dir():
        content = read(argument)
        if isinstance(content, Knowledge):
            raise ValueError(f"{argument} holds knowledge, not a network or a graph")
    else:
        try:
            content = load_network(argument)
        except ValueError as error:
            raise ValueError(f"there is no file {argument!r}, and {error}") from error
    return content if isinstance(content, Graph) else OpenedModel(content, content.graph)


def open_model(argument: str) -> OpenedModel:
    """Open the model that an argument names; refuse a file that holds only a graph."""
    model = resolve(argument)
    if isinstance(model, Graph):
        raise ValueError(
            f"{argument} holds a graph without probability tables: give a BIF, XMLBIF "
            "or JSON file of a network"
        )
    return model


def _open_folder(folder: Path) -> OpenedModel:
    if (folder / MODEL).is_file():
        return _of_learner(folder / MODEL)
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
    return OpenedModel(network, graph)


def _of_learner(path: Path) -> OpenedModel:
    learner, record = load(path), path.with_name(RECORD)
    content = read_record(record) if record.is_file() else {}
    return OpenedModel(learner.network_.binned, learner.graph_, learner, content)


def files_of(argument: str) -> tuple[Path, ...]:
    """Return the files that a model may be read from, which no output may replace."""
    path = Path(argument)
    own = (MODEL, RECORD, NETWORK, GRAPH)
    return tuple(path / name for name in own) if path.is_dir() else (path,)


def folder_of(argument: str) -> Path:
    """Return the folder of a run, which a command names itself or by a file in it."""
    path = Path(argument)
    return path if path.is_dir() or not path.exists() else path.parent


@contextmanager
def open_rows(path: Path, model: OpenedModel, reading: Reading) -> Iterator[DataSource]:
    """Open rows to score.

    Texts that meant a missing value when the network was learned do so here.
    """
    plan = None if model.learner is None else model.learner.preparation_
    texts = (*(() if plan is None else plan.missing_texts), *reading.missing_texts)
    with open_data(path, texts, sheet=reading.sheet, header_row=reading.header_row) as rows:
        yield rows


def read_frame(path: Path, model: OpenedModel, reading: Reading) -> pd.DataFrame:
    """Read rows to impute, which must fit in memory."""
    with open_rows(path, model, reading) as rows:
        return rows.to_frame()
