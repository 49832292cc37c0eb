"""The five sentences of the first screen: what was learned, and how far to trust it."""

from collections import Counter

from bnsieve.explain import RELIABILITY, WEAK_GAIN, WEAK_STRENGTH
from bnsieve.report.prose import EITHER_WAY, FORTH, named, share
from bnsieve.report.subject import Subject
from bnsieve.text import counted, listed


def five_sentences(subject: Subject) -> list[str]:
    """Return the sentences, with names between the marks of `prose`."""
    return [
        _what(subject),
        _strongest(subject),
        _directions(subject),
        _trust(subject),
        _done(subject),
    ]


def _what(subject: Subject) -> str:
    n_nodes, n_edges = subject.graph.n_nodes, subject.graph.n_edges
    rows = f"{counted(subject.n_rows, 'row')} of {named(subject.title)}"
    if subject.target is not None:
        return (
            f"{rows} were searched for the columns that predict {named(subject.target)}: "
            f"{counted(n_nodes - 1, 'column')} together say all that the others could add."
        )
    if not n_edges:
        return f"In {rows}, no column was found to depend on another."
    joined = len({name for edge in subject.edges for name in (edge.tail, edge.head)})
    alone = n_nodes - joined
    rest = (
        f"; {counted(alone, 'column')} {'stands' if alone == 1 else 'stand'} alone" if alone else ""
    )
    return (
        f"From {rows}, {counted(n_edges, 'edge')} between {counted(joined, 'column')} "
        f"{'was' if n_edges == 1 else 'were'} learned{rest}: an edge joins two columns that say "
        "something about each other that no other column says."
    )


def _strongest(subject: Subject) -> str:
    free = [edge for edge in subject.edges if not edge.deterministic]
    bound = len(subject.edges) - len(free)
    if not free:
        return "There is no edge that is more than one column determining another."
    names = [
        f"{named(edge.tail)} {FORTH if edge.directed else EITHER_WAY} {named(edge.head)}"
        for edge in free[:3]
    ]
    text = f"The strongest {'is' if len(names) == 1 else 'are'} {listed(names)}"
    if bound:
        text += (
            f"; {counted(bound, 'other edge')} only {'says' if bound == 1 else 'say'} that one "
            "column determines another"
        )
    return f"{text}."


def _directions(subject: Subject) -> str:
    n = Counter(edge.reliability for edge in subject.edges)
    total = len(subject.edges)
    if not total:
        return "So there are no directions to speak of."
    return (
        f"The direction of {counted(total, 'edge')} is "
        f"{listed([f'{word} for {n[word]:,} ({text})' for word, text in RELIABILITY.items()])}. "
        "A directed edge is a cause only if no common cause is missing from the table."
    )


def _trust(subject: Subject) -> str:
    total = len(subject.edges)
    n_weak = sum(edge.is_weak for edge in subject.edges)
    if not total:
        return "With more rows, weaker dependences may show."
    edges = counted(total, "edge")
    if subject.strengths is not None:
        n = counted(subject.strengths.n_replicates, "resample")
        rest = f"; the other {n_weak:,} are weak" if n_weak else ""
        return (
            f"Learned again from {n} of the rows, {total - n_weak:,} of {edges} came back in at "
            f"least {share(WEAK_STRENGTH)} of them{rest}."
        )
    weak = f"{n_weak:,} of {edges} are weak" if n_weak else f"None of {edges} is weak"
    return (
        f"{weak} (a score gain below {WEAK_GAIN:g} nats); how often each would come back from "
        "other rows was not tested (bootstrap does that)."
    )


def _done(subject: Subject) -> str:
    done = Counter(change.what for change in subject.changes)
    parts = []
    if done["dropped"]:
        parts.append(f"{counted(done['dropped'], 'column')} left out")
    if done["cut"]:
        parts.append(f"numbers of {counted(done['cut'], 'column')} cut into ranges")
    if done["dates"]:
        parts.append(f"dates of {counted(done['dates'], 'column')} split into parts")
    if done["grouped"]:
        parts.append(f"rare labels of {counted(done['grouped'], 'column')} grouped")
    if done["odd"]:
        parts.append(f"odd cells of {counted(done['odd'], 'column')} set aside")
    n_missing = sum(subject.learner.n_missing_.values())
    if n_missing:
        parts.append(
            f"{counted(n_missing, 'missing cell')} {_WAYS[subject.learner.missing_strategy_]}"
        )
    numbers = ""
    if subject.learner.numeric_features_:
        n = counted(len(subject.learner.numeric_features_), "column")
        numbers = f" The numbers of {n} were learned from as numbers."
    if not parts:
        return f"Nothing was done to the columns before learning.{numbers}"
    return f"Before learning: {listed(parts, most=9)}; the columns are listed below.{numbers}"


_WAYS = {
    "em": "drawn from the network, in turns",
    "testwise": "left out where they would be needed",
    "level": "taken for a label",
}
