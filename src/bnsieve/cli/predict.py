"""``bnsieve predict`` and ``bnsieve impute``: one column, or all missing values, of every row."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from bnsieve.cli.app import print_json, say
from bnsieve.cli.models import OpenedModel, files_of, open_model, open_rows, read_frame
from bnsieve.cli.options import AsJson, HeaderRow, MissingText, Model, SheetName, Table
from bnsieve.cli.outputs import require_apart
from bnsieve.cli.run.run import Reading
from bnsieve.network import nearest
from bnsieve.rows import write_frame, write_frames
from bnsieve.text import counted, listed

Output = Annotated[
    Path, typer.Option("--output", "-o", help="The .csv, .parquet or .xlsx file to write.")
]


EXAMPLES = {
    "predict": (
        "bnsieve predict learned rows.csv -o predicted.csv --target dysp",
        "bnsieve predict learned rows.parquet -o predicted.parquet --target churn --id customer",
        "bnsieve predict asia rows.csv -o predicted.csv --target dysp --json",
    ),
    "impute": (
        "bnsieve impute learned rows.csv -o filled.csv",
        "bnsieve impute learned rows.csv -o filled.csv --drawn --seed 1",
    ),
}


def predict(
    folder: Model,
    rows: Table,
    output: Output,
    target: Annotated[str, typer.Option("--target", "-t", help="The column to predict.")],
    identifier: Annotated[
        str | None, typer.Option("--id", help="A column to write beside each prediction.")
    ] = None,
    unseen: Annotated[
        Literal["missing", "error"],
        typer.Option(help="Treat an unseen category as a missing value, or stop."),
    ] = "missing",
    na: MissingText = None,
    sheet: SheetName = None,
    header_row: HeaderRow = None,
    as_json: AsJson = False,
) -> None:
    """Predict one column of every row from the others.

    Writes a line per row: the most probable state, its probability, and that of every state.
    Missing values and missing columns are summed out. For numeric targets, writes the predicted
    mean. If the rows have the target, it is not used for the prediction, and the accuracy or the
    mean absolute error is printed. Rows that do not fit in memory are predicted piece by piece.
    """
    require_apart((output,), (*files_of(folder), rows), "-o")
    model = open_model(folder)
    reading = Reading(tuple(na or ()), sheet, header_row)
    with open_rows(rows, model, reading) as data:
        if identifier is not None and identifier not in data.names:
            raise ValueError(
                f"{rows} has no column {identifier!r}{nearest(identifier, data.names)}: --id "
                "names one of its columns"
            )
        scoring = _Scoring(model, target, identifier, unseen == "missing")
        absent = [name for name in model.needed() if name not in {*data.names, target}]
        n_rows = write_frames(map(scoring.predicted, data.frames()), output)
    told = {**scoring.told(), "absent": absent, "unseen": dict(scoring.unseen)}
    if as_json:
        print_json({"rows": n_rows, "written": str(output)} | told)
        return
    say(f"{counted(n_rows, 'row')} predicted, written to {output}")
    if absent:
        say(f"summed out, because the rows lack them: {listed(absent, 10)}")
    for name, n_cells in scoring.unseen.items():
        say(f"{name}: {counted(n_cells, 'cell')} of unseen categories, treated as missing")
    if told.get("impossible"):
        say(f"{told['impossible']:,} rows are impossible under the network and left empty")
    if "right" in told:
        say(f"{told['right']:.1%} of the {told['checked']:,} known values are predicted correctly")
    if "mean_error" in told:
        say(f"mean absolute error {told['mean_error']:.4g} on {told['checked']:,} known values")


class _Scoring:
    """Predictions of one target, frame by frame, and how good they are."""

    def __init__(
        self, model: OpenedModel, target: str, identifier: str | None, unseen_is_missing: bool
    ) -> None:
        self._model, self._target, self._identifier = model, target, identifier
        learner = model.learner
        self._is_number = learner is not None and target in learner.numeric_features_
        self._unseen_is_missing = unseen_is_missing
        self._n_rows = self._checked = self._impossible = 0
        self._sum = 0.0
        self._is_known = False
        self.unseen: Counter[str] = Counter()

    def predicted(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a line for each row."""
        written = self._numbers(frame) if self._is_number else self._states(frame)
        self._n_rows += len(frame)
        if self._identifier is not None:
            name = self._identifier
            if name in written:
                name = f"{name} (given)"
            written.insert(0, name, frame[self._identifier].to_numpy())
        return written

    def told(self) -> dict[str, Any]:
        """Return how many values were known, and how many of them right."""
        told: dict[str, Any] = {} if self._is_number else {"impossible": self._impossible}
        if self._is_known:
            mean = self._sum / max(1, self._checked)
            told |= {"checked": self._checked, "mean_error" if self._is_number else "right": mean}
        return told

    def _labelled(self, frame: pd.DataFrame) -> pd.DataFrame:
        counts: Counter[str] = Counter()
        labels = self._model.labelled(
            frame, counts if self._unseen_is_missing else None, self._n_rows + 1
        )
        counts.pop(self._target, None)
        self.unseen += counts
        return labels

    def _numbers(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the predicted means of a numeric variable."""
        assert self._model.learner is not None
        labels = self._labelled(frame)
        cells = frame.copy()
        for name in labels:
            if name in self.unseen and name in cells:
                cells[name] = cells[name].where(labels[name].notna())
        numbers = self._model.learner.predict(cells, self._target)
        if self._target in frame and pd.api.types.is_numeric_dtype(frame[self._target]):
            errors = (numbers - frame[self._target]).abs().dropna()
            self._is_known = True
            self._checked += len(errors)
            self._sum += float(errors.sum())
        return numbers.to_frame()

    def _states(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the predictions of a categorical variable."""
        network, target = self._model.network, self._target
        if target not in network.states:
            network.query(target)  # refuses it, with the nearest name
        cells = self._labelled(frame)
        values = network.predict_proba(cells.drop(columns=target, errors="ignore"), target)
        proba = values.to_numpy()
        possible = ~np.isnan(proba[:, 0])
        labels = np.array([str(label) for label in network.states[target]], dtype=object)
        best = labels[np.where(possible, proba.argmax(axis=1), 0)]
        self._impossible += int((~possible).sum())
        if target in cells:
            known = cells[target].notna().to_numpy() & possible
            self._is_known = True
            self._checked += int(known.sum())
            self._sum += int((best[known] == cells[target].astype(str).to_numpy()[known]).sum())
        return pd.DataFrame(
            {
                target: pd.Series(best).where(possible).astype("string"),
                "probability": proba.max(axis=1),
                **{f"P({label})": proba[:, i] for i, label in enumerate(labels)},
            }
        )


def impute(
    folder: Model,
    rows: Table,
    output: Output,
    drawn: Annotated[
        bool,
        typer.Option(
            "--drawn",
            help="Draw states at random, which keeps frequencies; default: the most probable.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option("--seed", "-s", min=0, help="Seed of the random draws.")] = 0,
    na: MissingText = None,
    sheet: SheetName = None,
    header_row: HeaderRow = None,
    as_json: AsJson = False,
) -> None:
    """Fill the missing values of every row, given the rest of the row.

    Known values stay unchanged. A missing number becomes the mean of its bin in the training rows.
    In a column that the fit binned, it becomes the median of the known numbers in its bin. Missing
    values of columns that the network lacks stay missing.
    """
    require_apart((output,), (*files_of(folder), rows), "-o")
    model = open_model(folder)
    frame = read_frame(rows, model, Reading(tuple(na or ()), sheet, header_row))
    cells = model.labelled(frame)
    filled = model.network.impute(cells, "drawn" if drawn else "most probable", seed)
    written = frame.rename(columns=str).astype(object)
    counts: dict[str, int] = {}
    for name in cells.columns:
        if name not in written:  # made from another column, such as the month of a date
            continue
        is_missing = written[name].isna().to_numpy() & filled[name].notna().to_numpy()
        counts[name] = int(is_missing.sum())
        column = written[name].to_numpy(copy=True)
        column[is_missing] = _as_cells(frame[name], filled[name].astype(str))[is_missing]
        written[name] = column
    write_frame(written, output)
    n_left = int(written.isna().to_numpy().sum())
    some = {name: n for name, n in counts.items() if n}
    if as_json:
        print_json({"rows": len(frame), "filled": some, "left": n_left, "written": str(output)})
        return
    say(
        f"{counted(sum(some.values()), 'value')} of {counted(len(some), 'column')} filled, "
        f"{n_left:,} left missing; {counted(len(frame), 'row')} written to {output}"
    )


def _as_cells(column: "pd.Series[Any]", labels: "pd.Series[str]") -> NDArray[np.object_]:
    """Return the cells that states become in a column: for a bin, the median of its numbers."""
    cells = labels.to_numpy(dtype=object)
    known = column.notna().to_numpy()
    if not pd.api.types.is_numeric_dtype(column) or bool(
        (column.astype(str).to_numpy() == cells)[known].all()
    ):
        return cells
    medians = column[known].groupby(cells[known]).median()
    return labels.map(lambda label: medians.get(label, label)).to_numpy(dtype=object)
