"""The lines that a reader sees after a run: no more than a screen holds."""

from collections.abc import Sequence
from textwrap import wrap

from bnsieve.cli.run.files import SUGGESTED
from bnsieve.cli.run.run import RunResult
from bnsieve.explain import (
    RELIABILITY,
    WEAK_GAIN,
    WEAK_STRENGTH,
    Edge,
    count_directions,
    score_limit,
    share_text,
)
from bnsieve.knowledge import counted_statements
from bnsieve.report import STRATEGIES
from bnsieve.text import shortened

Line = tuple[str, str]

# So that all fits a screen of 80 by 40, whatever the data.
_SHOWN_CHANGES = 4
_SHOWN_EDGES = 8
_SHOWN_WEAK = 5
_SHOWN_SMALL = 3
_SHOWN_DRIVERS = 6
_WIDTH = 66
_NAME_WIDTH = 30
_QUICK = 0.05


def summary_of(outcome: RunResult) -> list[Line]:
    """Return titles and texts, in the order to show them; a title may have several lines."""
    known = outcome.determinism
    return [
        *_dependence(outcome),
        *_drivers(outcome),
        ("rows", f"{outcome.n_rows:,}"),
        *_clusters(outcome),
        ("columns", _columns(outcome)),
        *((("read", remark)) for remark in outcome.remarks),
        *_time(outcome),
        *_changes(outcome, "dropped"),
        *_changes(outcome, "dates"),
        *_changes(outcome, "odd"),
        *_changes(outcome, "grouped"),
        *_numbers(outcome),
        *_changes(outcome, "binned"),
        *_missing(outcome),
        *_first(
            "deterministic",
            [*map(str, known.linear), *map(str, known.facts), *map(str, known.functions)],
        ),
        *_changes(outcome, "note"),
        *_target(outcome),
        *_knowledge(outcome),
        ("graph", _graph(outcome)),
        *_directions(outcome),
        *_edges(outcome),
        *_suggestion(outcome),
        ("seconds", _seconds(outcome)),
    ]


def _dependence(outcome: RunResult) -> list[Line]:
    """Return what comes before all else: that rows are not independent."""
    found = outcome.learner.fit_result_.dependence
    if found is None:
        return []
    texts = found.problem, found.consequence, found.advice(command_line=True)
    return [("warning", f"{text[0].upper()}{text[1:]}.") for text in texts]


def _clusters(outcome: RunResult) -> list[Line]:
    """Say how rows belong together where they have no order, and how many are effective."""
    timeline, clusters = outcome.learner.fit_result_.timeline, outcome.learner.fit_result_.clusters
    texts = [] if timeline is None or timeline.time is not None else timeline.sentences()
    return [("entities", text) for text in [*texts, *([] if clusters is None else [str(clusters)])]]


def _drivers(outcome: RunResult) -> list[Line]:
    """Return the first drivers of the target, for whose sake the run was made."""
    drivers = outcome.drivers
    if drivers is None:
        return []
    if not drivers.all:
        return [("drivers", f"no variable was found to carry information about {outcome.target}")]
    shown = drivers.all[:_SHOWN_DRIVERS]
    names = [shortened(driver.name, _NAME_WIDTH) + " *" * bool(driver.late) for driver in shown]
    width = max(map(len, names))
    lines = [("drivers", f"of {drivers.title.removeprefix('drivers of ')}:")]
    for name, driver in zip(names, shown, strict=True):
        how = driver.how if driver.direction is None else f"{driver.how} ({driver.direction})"
        compared = f" ({driver.settings})" if driver.settings else ""
        text = f"{name:<{width}}  {drivers.in_words(driver)}{compared}, {how}"
        if driver.bounds is not None:
            text += f"; undetermined directions leave it {drivers.bounds_in_words(driver)}"
        lines.append(("drivers", text))
    if len(drivers) > len(shown):
        lines.append(("drivers", f"... and {len(drivers) - len(shown):,} more in drivers.csv"))
    if any(driver.late for driver in shown):
        lines.append(("drivers", "* may be recorded after the outcome: see drivers.csv"))
    return [*lines, ("drivers", drivers.assumption)]


def _time(outcome: RunResult) -> list[Line]:
    """Say how rows follow each other, if they do."""
    timeline = outcome.learner.fit_result_.timeline
    if timeline is None or timeline.time is None:
        return []
    return [("time", text) for text in timeline.sentences()]


def _columns(outcome: RunResult) -> str:
    n = len(outcome.columns)
    dropped = sum(change.what == "dropped" for change in outcome.changes)
    return f"{n:,}" if not dropped else f"{n - dropped:,} of {n:,}"


def _changes(outcome: RunResult, what: str) -> list[Line]:
    chosen = [change for change in outcome.changes if change.what == what]
    return _first(what, [f"{change.column}: {change.why}" for change in chosen])


def _first(title: str, texts: Sequence[str]) -> list[Line]:
    """Return the first texts, and how many more there are."""
    lines = [(title, text) for text in texts[:_SHOWN_CHANGES]]
    if len(texts) > _SHOWN_CHANGES:
        n_others = len(texts) - _SHOWN_CHANGES
        lines.append((title, f"... and {n_others:,} more, listed in run.json"))
    return lines


def _numbers(outcome: RunResult) -> list[Line]:
    numbers = outcome.learner.numeric_features_
    if numbers:
        limit = score_limit(outcome.n_rows)
        names = f"numeric variables: {shortened(', '.join(numbers), 2 * _WIDTH)}"
        return [("numbers", text) for text in (names, limit) if text]
    if outcome.learner.fit_result_.rebinned:
        return [("numbers", "binned: the data favour bins, which show interactions")]
    return []


def _missing(outcome: RunResult) -> list[Line]:
    cells = outcome.learner.n_missing_
    if not cells:
        return []
    most = max(cells, key=lambda name: cells[name])
    strategy = STRATEGIES[outcome.learner.missing_strategy_]
    share = cells[most] / outcome.n_rows
    n = sum(cells.values())
    where = f"in {len(cells)} columns, most in {most}" if len(cells) > 1 else f"in {most}"
    return [("missing", f"{n:,} values {where} ({share:.1%}): {strategy}")]


def _directions(outcome: RunResult) -> list[Line]:
    if not outcome.edges:
        return []
    words = {"knowledge": "given by your knowledge", "time": "given by time"}
    parts = [
        f"{n:,} {words.get(word, word)}" for word, n in count_directions(outcome.edges).items()
    ]
    return [("directions", ", ".join(parts))]


def _knowledge(outcome: RunResult) -> list[Line]:
    knowledge = outcome.learner.knowledge
    text = "" if knowledge is None else counted_statements(knowledge)
    return [("knowledge", f"{text}, obeyed and not tested")] if text else []


def _suggestion(outcome: RunResult) -> list[Line]:
    if outcome.suggested is None:
        return []
    *others, last = outcome.suggested.tiers[0]
    names, have = (f"{', '.join(others)} and {last}", "have") if others else (last, "has")
    question = f"{shortened(names, 2 * _WIDTH)} {have} no causes among the other columns?"
    return [("suggested", f"{question} --knowledge {SUGGESTED}")]


def _target(outcome: RunResult) -> list[Line]:
    target = outcome.target
    if target is None:
        return []
    blanket = ", ".join(name for name in outcome.graph.nodes if name != target)
    return [
        ("target", f"{target}; {len(outcome.examined):,} columns around it were examined"),
        ("blanket", shortened(blanket or "empty: no column predicts it", 3 * _WIDTH)),
    ]


def _graph(outcome: RunResult) -> str:
    n, n_undirected = outcome.graph.n_edges, len(outcome.graph.undirected_edges)
    if not n:
        return "no edges: these rows show no dependence between columns"
    text = f"{n:,} edge{'' if n == 1 else 's'}"
    n_required = sum(edge.required for edge in outcome.edges)
    required = f", {n_required:,} required by your knowledge" if n_required else ""
    return f"{text}: {n - n_undirected:,} directed, {n_undirected:,} undirected{required}"


def _edges(outcome: RunResult) -> list[Line]:
    bound = [edge for edge in outcome.edges if edge.deterministic]
    free = [edge for edge in outcome.edges if not edge.deterministic]
    weak = [edge for edge in free if edge.is_weak]
    lines = _listed("strongest", [edge for edge in free if not edge.is_weak], _SHOWN_EDGES)
    lines += _listed("weak", weak[::-1], _SHOWN_WEAK)
    if bound:
        n = f"{len(bound):,} edge{'' if len(bound) == 1 else 's'}"
        lines.append(("deterministic", f"{n} between columns that determine each other, see above"))
    if outcome.left_out:
        lines += _listed("left out", outcome.left_out, 3)
    return lines + _effects(outcome) + _small(outcome)


def _effects(outcome: RunResult) -> list[Line]:
    """Say how much the edges explain, where many rows make every one significant."""
    shares = [_share(edge) for edge in outcome.edges if edge.effect is not None]
    if not shares or not outcome.learner.numeric_features_:
        return []
    least, most = share_text(min(shares)), share_text(max(shares))
    text = f"edges explain {least} to {most} each; edges.csv has the intervals"
    return [("effects", text if len(shares) > 1 else f"the edge explains {most}")]


def _small(outcome: RunResult) -> list[Line]:
    """Say which edges were left out because of their size."""
    edges = outcome.small
    if not edges:
        return []
    few = len(edges) == 1
    floor = share_text(outcome.learner.min_effect)
    text = (
        f"{len(edges):,} significant edge{'' if few else 's'} that clearly explain{'s' * few} less "
        f"than {floor}: left out, listed in run.json; --min-effect 0 keeps "
        f"{'it' if few else 'them'}"
    )
    named = [f"{_edge_text(edge)}  {share_text(_share(edge))}" for edge in edges[:_SHOWN_SMALL]]
    return [("small", one) for one in (text, *named)]


def _share(edge: Edge) -> float:
    return 0.0 if edge.effect is None else edge.effect.share


def _listed(title: str, edges: Sequence[Edge], limit: int) -> list[Line]:
    shown = [(_edge_text(edge), _figures(edge)) for edge in edges[:limit]]
    width = max((len(text) for text, _ in shown), default=0)
    lines = [(title, f"{text:<{width}}  {how}") for text, how in shown if how]
    if len(edges) > limit:
        lines.append((title, f"... and {len(edges) - limit:,} more in edges.csv"))
    return lines


def _edge_text(edge: Edge) -> str:
    """Return both names, each cut if it is long: half a pair says nothing."""
    tail, head = (shortened(name, _NAME_WIDTH) for name in (edge.tail, edge.head))
    return f"{tail} {'->' if edge.directed else '-'} {head}"


def _figures(edge: Edge) -> str:
    parts = []
    if edge.strength is not None and not edge.required:
        parts.append(f"{edge.strength:.0%}")
    if edge.score_gain is not None:
        parts.append(f"{edge.net_gain:,.1f} nats")
    if edge.required:
        parts.append("required by your knowledge")
    elif edge.reliability == "knowledge":
        parts.append("direction by your knowledge")
    elif edge.reliability == "tentative":
        parts.append("direction tentative")
    return ", ".join(parts)


def meaning(outcome: RunResult) -> list[str]:
    """Say what the numbers beside the edges are."""
    n_asked = outcome.learner.fit_result_.rows.n_rows
    sample = "" if n_asked == outcome.n_rows else f", in a sample of {n_asked:,} rows"
    nats = "nats: score gain of the edge over the best network without it"
    if all(edge.margin is None for edge in outcome.edges):
        nats = f"nats: score gain of the edge{sample}"
    lines, weak = [nats], f"weak: less than {WEAK_GAIN:g} nats"
    if outcome.strengths is not None:
        lines = [f"%: edge strength, the share of replicates that have the edge{sample}", nats]
        weak = f"weak: in less than {WEAK_STRENGTH:.0%} of the replicates"
    if any(edge.is_weak and not edge.deterministic for edge in outcome.edges):
        lines.append(weak)
    words = [f"{word} ({RELIABILITY[word]})" for word in count_directions(outcome.edges)]
    return [*lines, *wrap(f"direction: {', '.join(words)}", 100)]


def _seconds(outcome: RunResult) -> str:
    stages = [
        f"{name} {seconds:.1f}" for name, seconds in outcome.timings.items() if seconds >= _QUICK
    ]
    return ", ".join([f"{sum(outcome.timings.values()):.1f} in all", *stages])
