"""The report page of one learner: first screen, graph, edges, answers, columns, how to repeat.

In: a `Subject`. Out: the text of an HTML file.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from bnsieve.engine import facts
from bnsieve.explain import (
    RELIABILITY,
    WEAK_GAIN,
    WEAK_STRENGTH,
    Edge,
    EdgeSupport,
    count_directions,
    reliability_of,
    share_text,
)
from bnsieve.report.hidden import hidden_causes
from bnsieve.report.methods import methods_paragraph
from bnsieve.report.over_time import views_over_time
from bnsieve.report.picture import picture_of
from bnsieve.report.sentences import (
    assumptions_of,
    edge_words,
    five_sentences,
    knowledge_of,
    signed,
    size_words,
    warning_of,
)
from bnsieve.report.subject import Subject
from bnsieve.report.tables import answering, node_tables, surrounded
from bnsieve.report.target import driver_lines, target_data
from bnsieve.report.writing import markup, plain_name, share, written
from bnsieve.table.prepare import ColumnPlan

_SCRIPTS = (
    "elements.js",
    "inference.js",
    "picture.js",
    "search.js",
    "downloads.js",
    "panels.js",
    "nearby.js",
    "ask.js",
    "target.js",
    "theme.js",
    "report.js",
)
# Edges whose tests travel with the page; and machines that are trained again to read their rules,
# times the columns that each looks at: what takes seconds, and what fits.
_MAX_EXPLAINED = 600
_MAX_MACHINES_BY_COLUMNS = 40_000
_MAX_SEPARATING = 5_000


def versions() -> dict[str, str | None]:
    """Return the versions that a result depends on."""
    installed = facts()
    return {
        "bnsieve": installed["bnsieve"],
        "python": installed["python"],
        **installed["dependencies"],
    }


def report_page(
    subject: Subject, title: str, repeat: str, record: Mapping[str, Any] = MappingProxyType({})
) -> str:
    """Return the text of the page.

    Parameters
    ----------
    subject : Subject
    title : str
        The name of the data.
    repeat : str
        The command, or the lines of Python, that learn this again.
    record : mapping of str to object
        The content of ``run.json``; empty if there is none.
    """
    edges, used = subject.edges, record.get("versions") or versions()
    supports = _supports(subject, edges)
    counts = None if subject.target is not None else subject.learner.fit_result_.family_counts
    nodes = node_tables(subject.network, counts)
    names = list(subject.network.graph.nodes)
    graph = subject.graph.reorder(names)
    answers = _answers(subject, nodes)
    separated = subject.learner.separating_sets_
    position = {name: i for i, name in enumerate(names)}
    data = {
        "nodes": [
            {"name": name, "missing": subject.learner.n_missing_.get(name, 0)} | node
            for name, node in zip(names, nodes, strict=True)
        ],
        "edges": [
            _edge(edge, support, subject, position)
            for edge, support in zip(edges, supports, strict=True)
        ],
        "separated": [
            [*(position[name] for name in sorted(pair)), [position[name] for name in given]]
            for pair, given in separated.items()
            if {*pair, *given} <= position.keys()
        ][:_MAX_SEPARATING],
        "has_strengths": subject.strengths is not None,
        "n_rows": subject.n_rows,
        "answers": answers,
        "open": _open_directions(subject, answers, names),
        "target": target_data(subject, answers),
        "tables": "network.bif" if record else "learner.network_.tables",
        "explain": "bnsieve explain FOLDER A B" if record else "learner.explain(A, B)",
    }
    return written(
        "report.html",
        _SCRIPTS,
        data,
        title=plain_name(title),
        warning=warning_of(subject, command_line=bool(record)),
        sentences=five_sentences(subject, title),
        picture=picture_of(graph, edges),
        nodes=names,
        edges=edges,
        sizes=[
            None if edge.size is None else (signed(edge.size), size_words(edge.size))
            for edge in edges
        ],
        left_out=subject.left_out,
        small=subject.small,
        has_effects=any(edge.effect is not None for edge in edges),
        min_effect=share_text(getattr(subject.learner, "min_effect", 0.0)),
        has_strengths=subject.strengths is not None,
        reliability={word: RELIABILITY[word] for word in count_directions(edges)},
        knowledge=knowledge_of(subject),
        weak_strength=share(WEAK_STRENGTH),
        weak_gain=f"{WEAK_GAIN:g}",
        columns=_columns(subject),
        drivers=subject.drivers,
        driver_lines=driver_lines(subject.drivers),
        tornado=markup("" if subject.drivers is None else subject.drivers.plot(most=30).svg),
        assumptions=assumptions_of(subject),
        over_time=None if subject.target is not None else views_over_time(subject),
        hidden=None if subject.target is not None else hidden_causes(subject.learner.dag_),
        answers=answers,
        n_rows=subject.n_rows,
        repeat=repeat,
        versions=used,
        methods=methods_paragraph(subject, title, used),
        files=record.get("data", {}).get("files", []),
        learner=record.get("learner", {}),
    )


def _answers(subject: Subject, nodes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the page answers with: of a target's blanket, the network around it too."""
    if subject.target is None:
        return answering(subject.network, nodes)
    around, answers = surrounded(subject.learner.network_.binned, subject.network.graph.nodes)
    same = all(
        own["labels"] == one["labels"] for own, one in zip(around[: len(nodes)], nodes, strict=True)
    )
    if "cliques" not in answers or not same:
        return answering(subject.network, nodes)
    return answers | {"nodes": around}


def _open_directions(
    subject: Subject, answers: dict[str, Any], names: list[str]
) -> list[tuple[int, int, str]]:
    """Return the directed edges of the answers' network whose direction is not confirmed.

    What an intervention does depends on the directions at the variable that is set.
    """
    learner = subject.learner
    confirmed, known = set(learner.confirmed_edges_), set(learner.knowledge_edges_)
    by_time = set(learner.fit_result_.time_edges)
    shown = [node["name"] for node in answers["nodes"]] if "nodes" in answers else names
    place = {name: i for i, name in enumerate(shown)}
    found: list[tuple[int, int, str]] = []
    for tail, head in learner.dag_.edges:
        directed = not learner.graph_.has_edge(head, tail)
        word = reliability_of(tail, head, directed, confirmed, known, by_time)
        if word not in ("confirmed", "time") and {tail, head} <= place.keys():
            found.append((place[tail], place[head], word))
    return found


def _supports(subject: Subject, edges: tuple[Edge, ...]) -> list[EdgeSupport | None]:
    """Return the support of each edge; None for those beyond what a page holds."""
    if subject.findings is None:
        return [None] * len(edges)
    asked = [(edge.tail, edge.head) for edge in edges[:_MAX_EXPLAINED]]
    n_machines = _MAX_MACHINES_BY_COLUMNS // max(1, subject.learner.dag_.n_nodes)
    found = subject.findings.explain_edges(asked, n_machines)
    return [*found, *[None] * (len(edges) - len(asked))]


def _edge(
    edge: Edge, support: EdgeSupport | None, subject: Subject, position: dict[str, int]
) -> dict[str, Any]:
    return {
        "tail": position[edge.tail],
        "head": position[edge.head],
        "directed": edge.directed,
        "reliability": edge.reliability,
        "weight": round(edge.net_gain if edge.strength is None else edge.strength, 4),
        "weak": edge.is_weak,
        "size": "" if edge.size is None else signed(edge.size),
        "explained": support is not None and support.association is not None,
    } | edge_words(edge, support, subject.strengths)


def _columns(subject: Subject) -> list[dict[str, Any]]:
    learner, plan = subject.learner, subject.learner.preparation_
    if plan is None:
        return [
            {
                "name": name,
                "role": "category",
                "what": "used unchanged",
                "n": f"{len(subject.network.states[name]):,}",
                "missing": learner.n_missing_.get(name, 0),
            }
            for name in subject.graph.nodes
        ]
    left_out = {column.name for column in plan.left_out}
    odd = {change.column: (change.why,) for change in subject.changes if change.what == "odd"}
    return [
        {
            "name": column.name,
            "role": column.role,
            "why": column.why,
            "what": "left out" if column.name in left_out else _what(column, subject),
            "n": f"{'' if column.exact else 'about '}{column.n_categories:,}",
            "missing": column.n_missing,
            "notes": [*odd.get(column.name, ()), *column.warnings],
            "left_out": column.name in left_out,
        }
        for column in plan.columns
    ]


def _what(column: ColumnPlan, subject: Subject) -> str:
    """Return how a column was prepared: bins of a numeric one are for tables only."""
    if column.name in subject.learner.numeric_features_ and column.what.startswith("bins: "):
        return f"numeric; in tables binned: {column.what.removeprefix('bins: ')}"
    return column.what
