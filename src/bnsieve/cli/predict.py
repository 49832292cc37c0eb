"""``bnsieve predict`` and ``bnsieve impute``: a column of every row, and the gaps of every row."""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from bnsieve.cli.app import AsJson, examples, print_json, say
from bnsieve.cli.learned import Folder, open_learned, read_frame
from bnsieve.learners import StructureLearner
from bnsieve.rows import write_frame
from bnsieve.text import counted

Rows = Annotated[Path, typer.Argument(help="A CSV or Parquet file; cells may be missing.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="The .csv file to write.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    app.command(
        epilog=examples(
            "bnsieve predict learned rows.csv -o predicted.csv --target dysp",
            "bnsieve predict asia rows.csv -o predicted.csv --target dysp --json",
        )
    )(predict)
    app.command(
        epilog=examples(
            "bnsieve impute learned rows.csv -o filled.csv",
            "bnsieve impute learned rows.csv -o filled.csv --drawn --seed 1",
        )
    )(impute)


def predict(
    folder: Folder,
    rows: Rows,
    output: Output,
    target: Annotated[str, typer.Option("--target", "-t", help="The column to predict.")],
    as_json: AsJson = False,
) -> None:
    """Predict one column of every row from what is known of the others.

    Writes a line per row: the most probable label, its probability, and that of every label. A
    column that is not there, and a cell that is missing, is summed over. If the rows have the
    target, it is not looked at, and the share of right predictions is printed. Of a column that
    was learned from as numbers, the expected number is written, and its mean error printed.
    """
    opened = open_learned(folder)
    frame = read_frame(rows, opened)
    if opened.learner is not None and target in opened.learner.numeric_features_:
        _predict_numbers(opened.learner, frame, target, output, as_json)
        return
    if target not in opened.network.levels:
        opened.network.query(target)  # refuses it, with the nearest name
    cells = opened.labelled(frame)
    proba = opened.network.predict_proba(cells.drop(columns=target, errors="ignore"), target)
    values = proba.to_numpy()
    possible = ~np.isnan(values[:, 0])
    labels = np.array([str(label) for label in opened.network.levels[target]], dtype=object)
    best = np.where(possible, values.argmax(axis=1), 0)
    written = pd.DataFrame(
        {
            target: pd.Series(labels[best]).where(possible),
            "probability": values.max(axis=1),
            **{f"P({label})": values[:, i] for i, label in enumerate(labels)},
        }
    )
    write_frame(written, output)
    found = {"rows": len(frame), "impossible": int((~possible).sum()), "written": str(output)}
    if target in cells:
        known = cells[target].notna().to_numpy() & possible
        right = labels[best][known] == cells[target].astype(str).to_numpy()[known]
        found |= {"checked": int(known.sum()), "right": float(right.mean()) if known.any() else 0.0}
    if as_json:
        print_json(found)
        return
    say(f"{counted(len(frame), 'row')} predicted, written to {output}")
    if found["impossible"]:
        say(f"{found['impossible']:,} rows are impossible for the network, and left empty")
    if "checked" in found:
        say(f"{found['right']:.1%} of the {found['checked']:,} known labels are right")


def _predict_numbers(
    learner: StructureLearner, frame: pd.DataFrame, target: str, output: Path, as_json: bool
) -> None:
    """Write the expected number of each row."""
    found = learner.predict(frame, target)
    write_frame(found.to_frame(), output)
    told = {"rows": len(frame), "written": str(output)}
    if target in frame and pd.api.types.is_numeric_dtype(frame[target]):
        off = (found - frame[target]).abs().dropna()
        told |= {"checked": len(off), "mean_error": float(off.mean()) if len(off) else 0.0}
    if as_json:
        print_json(told)
        return
    typer.echo(f"{counted(len(frame), 'row')} predicted, written to {output}")
    if "checked" in told:
        typer.echo(f"off by {told['mean_error']:.4g} on average, of {told['checked']:,} known")


def impute(
    folder: Folder,
    rows: Rows,
    output: Output,
    drawn: Annotated[
        bool,
        typer.Option(
            "--drawn", help="Draw labels, which keeps frequencies, instead of the most probable."
        ),
    ] = False,
    seed: Annotated[int, typer.Option("--seed", "-s", min=0, help="Of what is drawn.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Fill the missing cells of every row with labels, given what is known of the row.

    Cells that are there stay as they are. In a column whose numbers were cut, a gap is filled with
    the median of the numbers of its bin. Columns that the network does not have keep their gaps.
    """
    opened = open_learned(folder)
    frame = read_frame(rows, opened)
    cells = opened.labelled(frame)
    filled = opened.network.impute(cells, "drawn" if drawn else "most probable", seed)
    written = frame.rename(columns=str).astype(object)
    counts: dict[str, int] = {}
    for name in cells.columns:
        if name not in written:  # made from another column, such as the month of a date
            continue
        gaps = written[name].isna().to_numpy() & filled[name].notna().to_numpy()
        counts[name] = int(gaps.sum())
        column = written[name].to_numpy(copy=True)
        column[gaps] = _as_cells(frame[name], filled[name].astype(str))[gaps]
        written[name] = column
    write_frame(written, output)
    n_left = int(written.isna().to_numpy().sum())
    some = {name: n for name, n in counts.items() if n}
    if as_json:
        print_json({"rows": len(frame), "filled": some, "left": n_left, "written": str(output)})
        return
    say(
        f"{counted(sum(some.values()), 'cell')} of {counted(len(some), 'column')} filled, "
        f"{n_left:,} left empty; {counted(len(frame), 'row')} written to {output}"
    )


def _as_cells(column: "pd.Series[Any]", labels: "pd.Series[str]") -> NDArray[np.object_]:
    """Return what labels stand for in a column: for the bin of numbers, their median."""
    cells = labels.to_numpy(dtype=object)
    known = column.notna().to_numpy()
    if not pd.api.types.is_numeric_dtype(column) or bool(
        (column.astype(str).to_numpy() == cells)[known].all()
    ):
        return cells
    medians = column[known].groupby(cells[known]).median()
    return labels.map(lambda label: medians.get(label, label)).to_numpy(dtype=object)
