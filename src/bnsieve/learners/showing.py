"""A fitted learner as a notebook shows it, and its report for a browser.

In: a fitted learner. Out: HTML with the graph, what it was learned from, and how reliable its edges
are; or the file of a report.
"""

from os import PathLike
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from bnsieve.graph import Graph, part_to_draw
from bnsieve.learners.explaining import findings_of
from bnsieve.text import MAX_TABLE_ROWS, NotebookTable, listed, notebook_html

# Of a parameter in the call that repeats a fit; longer ones are only named.
_MAX_LENGTH = 80


def learner_html(learner: Any) -> str:
    """Return the HTML of a fitted `StructureLearner`."""
    graph: Graph = learner.graph_
    part, note = part_to_draw(graph)
    # Of a thousand columns it takes a second to find which determine others: too long for a look.
    bound = learner.determinism().pairs if part is graph else ()
    picture = part.plot(
        confirmed=learner.confirmed_edges_, strengths=learner.strengths_, deterministic=bound
    )
    parameters = [(name, repr(value)) for name, value in learner.get_params(deep=False).items()]
    return notebook_html(
        type(learner).__name__,
        note=note.replace("graph.", "graph_."),
        picture=picture.svg if part.n_nodes else "",
        tables=[
            NotebookTable("Summary", (), _summary(learner), folded=False),
            _edges(learner),
            NotebookTable("Parameters", ("parameter", "value"), parameters),
        ],
    )


def _summary(learner: Any) -> list[tuple[str, str]]:
    graph: Graph = learner.graph_
    plan, n_rows = learner.preparation_, learner.fit_result_.n_rows
    lines = [("learned from", f"{n_rows:,} rows, {graph.n_nodes:,} columns")]
    if plan is not None and plan.left_out:
        left_out = [f"{column.name} ({column.role})" for column in plan.left_out]
        lines.append(("left out", listed(left_out)))
    if learner.numeric_features_:
        lines.append(("as numbers", listed(learner.numeric_features_)))
    if learner.n_missing_:
        n_missing = sum(learner.n_missing_.values())
        lines.append(
            (
                "missing",
                f"{n_missing:,} cells in {listed(sorted(learner.n_missing_))}; "
                f"missing={learner.missing_strategy_!r}",
            )
        )
    n_arrows, n_sure = len(graph.directed_edges), len(learner.confirmed_edges_)
    n_lines = graph.n_edges - n_arrows
    lines.append(("edges", f"{graph.n_edges:,}"))
    if graph.n_edges:
        lines.append(
            ("directions", f"{n_sure:,} sure, {n_arrows - n_sure:,} unsure, {n_lines:,} not known")
        )
    alone = [name for name in graph.nodes if not graph.adjacent(name)]
    if alone:
        lines.append(("no edge at", listed(alone)))
    if learner.strengths_ is not None:
        lines.append(("bootstrap", f"{learner.strengths_.n_replicates:,} replicates"))
    lines.append(("seconds", f"{sum(learner.timings_.values()):.1f}"))
    return lines


def _edges(learner: Any) -> NotebookTable:
    """List the edges, those that the data speak for most first."""
    graph, strengths = learner.graph_, learner.strengths_
    margins = getattr(learner, "edge_margins_", {})
    sure = set(learner.confirmed_edges_)

    def worth(a: str, b: str) -> float:
        found: float = margins.get((a, b), margins.get((b, a), 0.0))
        return found

    ends = sorted(graph.edges, key=lambda pair: -worth(*pair))
    arrows = set(graph.directed_edges)
    rows = []
    for a, b in ends[:MAX_TABLE_ROWS]:
        directed = (a, b) in arrows
        row = [a, "→" if directed else "—", b]
        row.append(("sure" if (a, b) in sure else "unsure") if directed else "not known")
        if margins:
            row.append(f"{worth(a, b):,.1f}")
        if strengths is not None:
            row.append(f"{strengths.of(a, b)[0]:.0%}")
        rows.append(row)
    columns = ["from", "", "to", "direction"]
    columns += ["worth, in nats"] * bool(margins) + ["replicates"] * (strengths is not None)
    return NotebookTable(
        "Edges, the strongest first" if margins else "Edges", columns, rows, len(ends)
    )


def report(learner: Any, path: str | PathLike[str], *, title: str = "the data") -> None:
    """Write a report: one HTML file that works offline and asks no other host for anything.

    It has the picture, what was learned and how far to trust it, the support of each edge, the
    probability tables, what was done to the columns, and answers by itself where the network is
    small enough. Call `bootstrap` before, and it has edge strengths.

    Parameters
    ----------
    path : str or path
        Where to; a file that is there is replaced.
    title : str, default "the data"
        What to call the data.

    Raises
    ------
    NotFittedError
        If the learner is not fitted.
    """
    from bnsieve.report import Subject, report_page

    check_is_fitted(learner, "fit_result_")
    result, findings = learner.fit_result_, None
    if result.table is not None:
        findings = findings_of(result, learner.get_params(deep=False))
    subject = Subject(learner, learner.graph_, learner.network_.binned, findings)
    repeat = f"import bnsieve as bn\n\n{_constructor(learner)}.fit(data)"
    Path(path).write_text(report_page(subject, title, repeat), encoding="utf-8", newline="\n")


def _constructor(learner: Any) -> str:
    """Return the call that makes a learner like this."""
    defaults = type(learner)().get_params(deep=False)
    given = []
    for name, value in learner.get_params(deep=False).items():
        if name == "n_jobs" or value is defaults[name] or repr(value) == repr(defaults[name]):
            continue
        text = repr(value)
        given.append(f"{name}={text if len(text) <= _MAX_LENGTH else name}")
    return f"bn.{type(learner).__name__}({', '.join(given)})"
