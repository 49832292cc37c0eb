"""``bnsieve predict`` and ``bnsieve impute``: one column, or all missing values, of every row."""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from bnsieve.cli.app import print_json, say
from bnsieve.cli.models import OpenedModel, open_model, read_frame
from bnsieve.cli.options import AsJson, Model
from bnsieve.rows import write_frame
from bnsieve.text import counted

Rows = Annotated[Path, typer.Argument(help="A CSV or Parquet file; values may be missing.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="The .csv file to write.")]


EXAMPLES = {
    "predict": (
        "bnsieve predict learned rows.csv -o predicted.csv --target dysp",
        "bnsieve predict asia rows.csv -o predicted.csv --target dysp --json",
    ),
    "impute": (
        "bnsieve impute learned rows.csv -o filled.csv",
        "bnsieve impute learned rows.csv -o filled.csv --drawn --seed 1",
    ),
}


def predict(
    folder: Model,
    rows: Rows,
    output: Output,
    target: Annotated[str, typer.Option("--target", "-t", help="The column to predict.")],
    as_json: AsJson = False,
) -> None:
    """Predict one column of every row from the others.

    Writes a line per row: the most probable state, its probability, and that of every state.
    Missing values, and columns that the rows lack, are summed out. For numeric targets, writes the
    predicted mean. If the rows have the target, it is not used; the accuracy, or the mean absolute
    error, is printed.
    """
    model = open_model(folder)
    frame = read_frame(rows, model)
    if model.learner is not None and target in model.learner.numeric_features_:
        numbers = model.learner.predict(frame, target)
        written, told = numbers.to_frame(), dict[str, Any]()
        if target in frame and pd.api.types.is_numeric_dtype(frame[target]):
            errors = (numbers - frame[target]).abs().dropna()
            told = {"checked": len(errors), "mean_error": float(np.mean([*errors] or [0.0]))}
    else:
        written, told = _predicted_states(model, frame, target)
    write_frame(written, output)
    if as_json:
        print_json({"rows": len(frame), "written": str(output)} | told)
        return
    say(f"{counted(len(frame), 'row')} predicted, written to {output}")
    if told.get("impossible"):
        say(f"{told['impossible']:,} rows are impossible under the network and left empty")
    if "right" in told:
        say(f"{told['right']:.1%} of the {told['checked']:,} known values are predicted correctly")
    if "mean_error" in told:
        say(f"mean absolute error {told['mean_error']:.4g} on {told['checked']:,} known values")


def _predicted_states(
    model: OpenedModel, frame: pd.DataFrame, target: str
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the predictions of a categorical variable, and how many are right."""
    if target not in model.network.states:
        model.network.query(target)  # refuses it, with the nearest name
    cells = model.labelled(frame)
    proba = model.network.predict_proba(cells.drop(columns=target, errors="ignore"), target)
    values = proba.to_numpy()
    possible = ~np.isnan(values[:, 0])
    labels = np.array([str(label) for label in model.network.states[target]], dtype=object)
    best = labels[np.where(possible, values.argmax(axis=1), 0)]
    written = pd.DataFrame(
        {
            target: pd.Series(best).where(possible),
            "probability": values.max(axis=1),
            **{f"P({label})": values[:, i] for i, label in enumerate(labels)},
        }
    )
    told: dict[str, Any] = {"impossible": int((~possible).sum())}
    if target in cells:
        known = cells[target].notna().to_numpy() & possible
        right = best[known] == cells[target].astype(str).to_numpy()[known]
        told |= {"checked": int(known.sum()), "right": float(right.mean()) if known.any() else 0.0}
    return written, told


def impute(
    folder: Model,
    rows: Rows,
    output: Output,
    drawn: Annotated[
        bool,
        typer.Option(
            "--drawn",
            help="Draw states at random, which keeps frequencies; default: the most probable.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option("--seed", "-s", min=0, help="Seed of the random draws.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Fill the missing values of every row, given the rest of the row.

    Known values stay unchanged. In a binned column, a missing value becomes the median of the
    numbers in its bin. Missing values of columns that the network lacks stay missing.
    """
    model = open_model(folder)
    frame = read_frame(rows, model)
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
