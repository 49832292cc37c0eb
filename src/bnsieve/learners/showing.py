"""The notebook display of a fitted learner, and its report page.

In: a fitted learner. Out: HTML with the graph, a summary of the data, and the reliability of the
edges; or a report file.
"""

from os import PathLike
from typing import Any

from sklearn.utils.validation import check_is_fitted

from bnsieve.explain import count_directions, rank_edges, score_limit
from bnsieve.graph import Graph, part_to_draw
from bnsieve.knowledge import counted_statements
from bnsieve.learners.explaining import findings_of
from bnsieve.text import MAX_TABLE_ROWS, NotebookTable, listed, notebook_html, write_whole

# Of a parameter in the call that repeats a fit; longer ones are only named.
_MAX_LENGTH = 80


def learner_html(learner: Any) -> str:
    """Return the HTML of a fitted `StructureLearner`."""
    graph: Graph = learner.graph_
    part, note = part_to_draw(graph)
    # Of a thousand columns it takes a second to find which determine others: too long for a look.
    bound = learner.determinism().pairs if part is graph else ()
    picture = part.plot(
        confirmed=learner.confirmed_edges_,
        strengths=learner.strengths_,
        deterministic=bound,
        knowledge=learner.knowledge_edges_,
        required=() if learner.knowledge is None else learner.knowledge.required,
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
    dependence, lines = learner.fit_result_.dependence, []
    if dependence is not None:
        texts = dependence.problem, dependence.consequence, dependence.advice()
        lines.append(("warning", "; ".join(texts)))
    lines.append(("learned from", f"{n_rows:,} rows, {graph.n_nodes:,} columns"))
    timeline = learner.fit_result_.timeline
    has_order = timeline is not None and timeline.time is not None
    if timeline is not None and not has_order:
        lines += [("entities", text) for text in timeline.sentences()]
    if learner.fit_result_.clusters is not None:
        lines.append(("entities", str(learner.fit_result_.clusters)))
    if plan is not None and plan.left_out:
        left_out = [f"{column.name} ({column.role})" for column in plan.left_out]
        lines.append(("left out", listed(left_out)))
    if timeline is not None and has_order:
        lines += [("time", text) for text in timeline.sentences()]
    if learner.numeric_features_:
        lines.append(("numeric", listed(learner.numeric_features_)))
        if limit := score_limit(n_rows):
            lines.append(("score", limit))
    if learner.n_missing_:
        n_missing, where = sum(learner.n_missing_.values()), listed(sorted(learner.n_missing_))
        text = f"{n_missing:,} values in {where}; missing={learner.missing_strategy_!r}"
        lines.append(("missing", text))
    lines.append(("edges", f"{graph.n_edges:,}"))
    if small := getattr(learner, "small_edges_", {}):
        lines.append(
            ("small", f"{len(small):,} edges below min_effect={learner.min_effect:g} left out")
        )
    if graph.n_edges:
        found = count_directions(rank_edges(learner, graph, (), {}))
        words = {"knowledge": "given by knowledge", "time": "given by time"}
        text = ", ".join(f"{n:,} {words.get(word, word)}" for word, n in found.items())
        lines.append(("directions", text))
    if learner.knowledge is not None and (text := counted_statements(learner.knowledge)):
        lines.append(("knowledge", text))
    isolated = [name for name in graph.nodes if not graph.adjacent(name)]
    if isolated:
        lines.append(("isolated", listed(isolated)))
    if learner.strengths_ is not None:
        lines.append(("bootstrap", f"{learner.strengths_.n_replicates:,} replicates"))
    lines.append(("seconds", f"{sum(learner.timings_.values()):.1f}"))
    return lines


def _edges(learner: Any) -> NotebookTable:
    """List the edges, the most reliable first."""
    edges = rank_edges(learner, learner.graph_, (), {})
    has_margins = any(edge.margin is not None for edge in edges)
    columns = ["from", "", "to", "direction"] + ["score gain, in nats"] * has_margins
    columns += ["strength"] * (learner.strengths_ is not None)
    rows = []
    for edge in edges[:MAX_TABLE_ROWS]:
        row = [edge.tail, "→" if edge.directed else "—", edge.head, edge.reliability]
        row += [f"{edge.net_gain:,.1f}"] * has_margins
        rows.append(row if edge.strength is None else [*row, f"{edge.strength:.0%}"])
    return NotebookTable("Edges, the most reliable first", columns, rows, len(edges))


def report(learner: Any, path: str | PathLike[str], *, title: str = "the data") -> None:
    """Write a report: one HTML file that works offline and sends no requests.

    It has the picture, a summary with the reliability of the result, the support of each edge, the
    CPTs, and the preparation of the columns. If the network is small enough, the page also answers
    queries. After `bootstrap`, it has edge strengths.

    Parameters
    ----------
    path : str or path
        The file to write. An existing file is replaced.
    title : str, default "the data"
        The name of the data.

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
    write_whole(report_page(subject, title, repeat), path)


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
