"""``bnsieve predict`` and ``bnsieve impute``: one column, or all missing values, of every row."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
import typer

from bnsieve.cli.app import print_json, say
from bnsieve.cli.filling import fill
from bnsieve.cli.models import OpenedModel, files_of, open_model, open_rows, read_frame
from bnsieve.cli.options import AsJson, HeaderRow, MissingText, Model, SheetName, Table
from bnsieve.cli.outputs import require_apart
from bnsieve.cli.run.run import Reading
from bnsieve.network import nearest
from bnsieve.rows import cells_as_written, is_csv, rows_files, write_frame, write_frames
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
        typer.Option(
            help="Treat an unseen category, or text in place of a number or date, as a missing "
            "value, or stop."
        ),
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
    told = {
        **scoring.told(), "absent": absent,
        "unseen": dict(scoring.unseen), "unread": dict(scoring.unread),
    }  # fmt: skip
    if as_json:
        print_json({"rows": n_rows, "written": str(output)} | told)
        return
    say(f"{counted(n_rows, 'row')} predicted, written to {output}")
    if absent:
        say(f"summed out, because the rows lack them: {listed(absent, 10)}")
    for name, n_cells in scoring.unseen.items():
        say(f"{name}: {counted(n_cells, 'cell')} of unseen categories, treated as missing")
    for name, n_cells in scoring.unread.items():
        cells = counted(n_cells, "cell")
        say(f"{name}: {cells} that cannot be read as a number or date, treated as missing")
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
        self.unread: Counter[str] = Counter()

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
        unseen: Counter[str] = Counter()
        unread: Counter[str] = Counter()
        is_counted, first_row = self._unseen_is_missing, self._n_rows + 1
        labels = self._model.labelled(frame, unseen if is_counted else None, first_row)
        others = frame.drop(columns=self._target, errors="ignore")
        self._model.check_readable(others, unread if is_counted else None, first_row)
        unseen.pop(self._target, None)
        self.unseen += unseen
        self.unread += unread
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

    A missing number becomes the mean of its most probable bin in the training rows; with --drawn,
    a number of the training rows. If learning used a column only in bins, it becomes the median of
    the known numbers of its bin in these rows, or the middle of the bin. Cells that learning reads
    as missing, such as "unknown" among numbers, are filled too. All other cells stay as written.
    Missing values of columns that the network lacks stay missing.
    """
    require_apart((output,), (*files_of(folder), rows), "-o")
    model = open_model(folder)
    frame = read_frame(rows, model, Reading(tuple(na or ()), sheet, header_row))
    frame = frame.rename(columns=str)
    found = fill(model, frame, _to_write(rows, frame, output), drawn, seed)
    write_frame(found.rows, output)
    counts = found.counts
    if as_json:
        replaced = {name: n for name, (n, _) in found.replaced.items()}
        told = {"filled": counts, "replaced": replaced, "left": found.n_left}
        print_json({"rows": len(frame), **told, "written": str(output)})
        return
    say(
        f"{counted(sum(counts.values()), 'value')} of {counted(len(counts), 'column')} filled, "
        f"{found.n_left:,} left missing; {counted(len(frame), 'row')} written to {output}"
    )
    for name, (n_cells, text) in found.replaced.items():
        held = counted(n_cells, "filled cell")
        say(f"{name}: {held} held text or a code that is read as missing, such as {text!r}")


def _to_write(path: Path, frame: pd.DataFrame, output: Path) -> pd.DataFrame:
    """Return the cells of rows as they are written: from CSV to CSV as text, so none changes."""
    if output.suffix.lower() != ".csv" or not is_csv(rows_files([str(path)])[0]):
        return frame.astype(object)
    written: pd.DataFrame = cells_as_written(path).to_pandas()
    return written
