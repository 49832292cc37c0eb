"""The page of a check: the graph with the changes in colour, and every finding.

In: a `Check` and the graph of its network. Out: the text of an HTML file.
"""

from bnsieve.check import (
    Attribution,
    Check,
    Mechanism,
    one_in,
    shown_cell,
    told_attribution,
    value_text,
)
from bnsieve.graph import MAX_NODES, Graph
from bnsieve.report.picture import Line, Picture, boxes_of, drawn, size_of
from bnsieve.report.writing import named, plain_name, written
from bnsieve.text import counted, listed

_SCRIPTS = ("elements.js", "picture.js", "theme.js", "check.js")


def check_page(check: Check, graph: Graph, title: str) -> str:
    """Return the text of the page.

    Parameters
    ----------
    check : Check
    graph : Graph
        The DAG whose mechanisms were compared.
    title : str
        The name of the new rows.
    """
    kinds = _kinds(check, graph)
    place = {name: i for i, name in enumerate(graph.nodes)}
    return written(
        "check.html",
        _SCRIPTS,
        {
            "names": list(graph.nodes),
            "ends": [[place[a], place[b]] for a, b in graph.directed_edges],
            "told": [_told(check, name) for name in graph.nodes],
        },
        title=plain_name(title),
        facts=f"{counted(check.n_after, 'new row')} · {check.n_before:,} training rows",
        changed=check.changed,
        sentences=_sentences(check),
        picture=_picture(graph, kinds) if 0 < graph.n_nodes <= MAX_NODES else None,
        names=graph.nodes,
        kinds=kinds,
        **_tables(check),
    )


def _kinds(check: Check, graph: Graph) -> list[str]:
    """Return for each node whether it is a cause, follows from some, moved, or is as before."""
    causes = {one.name for one in check.mechanisms if one.changed}
    causes |= {name for one in check.dependence for name in (one.x, one.y)}
    moved = {one.name: one for one in check.margins if one.changed}

    def kind(name: str) -> str:
        if name in causes:
            return "cause"
        if name not in moved:
            return ""
        return "follows" if moved[name].follows_from else "moved"

    return [kind(name) for name in graph.nodes]


def _told(check: Check, name: str) -> str:
    """Return what became of one variable, in words."""
    parts = [_of_mechanism(one) for one in check.mechanisms if one.name == name]
    parts += [
        f"depends on {plain_name(pair.y if name == pair.x else pair.x)} as it did not before"
        for pair in check.dependence
        if name in (pair.x, pair.y)
    ]
    parts += [
        f"{shown_cell(one.cell)}, from {listed(one.follows_from, 3)}"
        for one in check.margins
        if one.name == name and one.follows_from
    ]
    return "; ".join(parts) or "not compared"


def _of_mechanism(one: Mechanism) -> str:
    if not one.changed:
        return "given its parents, no change found" if one.parents else "no change found"
    return f"given its parents, {shown_cell(one.cell)}" if one.parents else shown_cell(one.cell)


def _sentences(check: Check) -> list[str]:
    causes = [
        " or ".join(map(named, (one.name, *one.alternatives)))
        for one in check.mechanisms
        if one.changed
    ]
    follow = [named(one.name) for one in check.margins if one.follows_from]
    if not check.changed:
        sentences = [
            f"No section shows a change, at a level of {check.level:.0%} of false alarms each."
        ]
    else:
        sentences = [f"Changes in {listed(check.changed)}."]
    if causes:
        sentences.append(f"The mechanism of {listed(causes, 5)} changed.")
    if follow:
        sentences.append(f"The margin of {listed(follow, 5)} moved as a consequence.")
    return [*sentences, *check.notes]


def _picture(graph: Graph, kinds: list[str]) -> Picture:
    """Return the picture; edges into a variable whose mechanism changed are coloured too."""
    layout = graph.layout()
    down = layout.flow == "down"
    place = {name: i for i, name in enumerate(graph.nodes)}
    lines = []
    for number, ((_, head), route) in enumerate(
        zip(graph.directed_edges, layout.routes, strict=True)
    ):
        path, corners = drawn(route, down, 1.4, (False, True))
        kind = "cause" if kinds[place[head]] == "cause" else "agreed"
        lines.append(Line(number, kind, path, 1.4, corners))
    degrees = tuple(len(graph.adjacent(name)) for name in graph.nodes)
    return Picture(*size_of(layout), boxes_of(graph.nodes, layout), tuple(lines), degrees)


def _tables(check: Check) -> dict[str, object]:
    """Return the lines of each table, the clearest first."""
    schema = [
        [one.name or "(rows)", one.text, "yes" if one.p_value >= check.level else "no"]
        for one in sorted(check.schema, key=lambda one: one.p_value)
        if one.p_value < check.level or one.kind not in ("missing values", "copies")
    ]
    mechanisms = [
        [
            " or ".join((one.name, *one.alternatives)),
            listed(one.parents, 4),
            shown_cell(one.cell),
            f"{one.p_value:.2g}",
        ]
        for one in sorted(check.mechanisms, key=lambda one: (one.p_value, -one.size))
        if one.changed
    ]
    mechanisms += [
        [one.x, one.y, f"correlation {one.before:+.2f} → {one.after:+.2f}", f"{one.p_value:.2g}"]
        for one in check.dependence
    ]
    margins = [
        [
            one.name,
            shown_cell(one.cell),
            f"{one.size:.3f}",
            f"{one.p_value:.2g}",
            listed(one.follows_from, 4),
        ]
        for one in sorted(check.margins, key=lambda one: (one.p_value, -one.size))
        if one.changed
    ]
    rows = [
        [
            one.place.removeprefix("row "),
            one.name,
            value_text(one.value),
            one.expected,
            ", ".join(f"{name} = {value_text(value)}" for name, value in one.given.items()),
            one_in(one.share),
        ]
        for one in check.rows
    ]
    title, why = ("", []) if check.attribution is None else _why(check.attribution)
    return {
        "schema": schema,
        "mechanisms": mechanisms,
        "margins": margins,
        "rows": rows,
        "why_title": title,
        "why": why,
    }


def _why(attribution: Attribution) -> tuple[str, list[list[str]]]:
    title, parts, rest = told_attribution(attribution)
    return title, [*([*part] for part in parts), ["not explained", rest, ""]]
