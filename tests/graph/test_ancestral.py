"""MAGs and PAGs against an oracle: all Markov equivalent ancestral graphs, one by one."""

from itertools import chain, combinations, product

import numpy as np
import pytest

from bnsieve import Graph
from bnsieve.graph.ancestral import AncestralGraph, Mark, mag_of, pag_of


def random_dag(rng, n, share):
    names = [f"v{i}" for i in range(n)]
    order = rng.permutation(n)
    edges = [
        (names[order[i]], names[order[j]])
        for i in range(n)
        for j in range(i + 1, n)
        if rng.random() < share
    ]
    return Graph(names, edges)


def ancestors(marks, nodes):
    found = {name: {name} for name in nodes}
    for _ in nodes:
        for (a, b), mark in marks.items():
            if mark is Mark.ARROW and marks[b, a] is Mark.TAIL:
                found[b] |= found[a]
    return found


def m_separated(marks, nodes, above, x, y, given):
    """Walk from x: a state is a node and whether the last edge had an arrowhead there."""
    opened = set().union(*(above[name] for name in given)) if given else set()
    waiting = [(b, marks[x, b] is Mark.ARROW) for b in nodes if (x, b) in marks]
    seen = set(waiting)
    while waiting:
        node, into = waiting.pop()
        if node == y:
            return False
        for after in nodes:
            if (node, after) not in marks:
                continue
            collider = into and marks[after, node] is Mark.ARROW
            passes = node in opened if collider else node not in given
            state = (after, marks[node, after] is Mark.ARROW)
            if passes and state not in seen:
                seen.add(state)
                waiting.append(state)
    return True


def separations(marks, nodes):
    above = ancestors(marks, nodes)
    result = set()
    for x, y in combinations(nodes, 2):
        others = [name for name in nodes if name not in (x, y)]
        for given in chain.from_iterable(combinations(others, k) for k in range(len(others) + 1)):
            if m_separated(marks, nodes, above, x, y, set(given)):
                result.add((x, y, given))
    return result


def is_ancestral(marks, nodes):
    above = ancestors(marks, nodes)
    # No arrowhead is at an ancestor.
    return not any(mark is Mark.ARROW and b in above[a] for (a, b), mark in marks.items())


def equivalent_marks(mag):
    """Return, for each end, the marks that occur in any Markov equivalent MAG."""
    pairs = [(a, b) for a, _, b in mag.edges]
    wanted = separations(mag.marks, mag.nodes)
    seen = {end: set() for end in mag.marks}
    kinds = [(Mark.TAIL, Mark.ARROW), (Mark.ARROW, Mark.TAIL), (Mark.ARROW, Mark.ARROW)]
    for chosen in product(kinds, repeat=len(pairs)):
        marks = {}
        for (a, b), (at_a, at_b) in zip(pairs, chosen, strict=True):
            marks[b, a], marks[a, b] = at_a, at_b
        if is_ancestral(marks, mag.nodes) and separations(marks, mag.nodes) == wanted:
            for end, mark in marks.items():
                seen[end].add(mark)
    return seen


def check(seed, most_edges):
    rng = np.random.default_rng(seed)
    n_seen, n_hidden = int(rng.integers(3, 6)), int(rng.integers(0, 3))
    dag = random_dag(rng, n_seen + n_hidden, 0.45)
    hidden = [str(name) for name in rng.choice(dag.nodes, n_hidden, replace=False)]
    mag = mag_of(dag, hidden)
    if len(mag.edges) > most_edges:
        return False
    # The MAG has the separations of the DAG among what is seen.
    for x, y in combinations(mag.nodes, 2):
        others = [name for name in mag.nodes if name not in (x, y)]
        for given in chain.from_iterable(combinations(others, k) for k in range(len(others) + 1)):
            above = ancestors(mag.marks, mag.nodes)
            by_mag = m_separated(mag.marks, mag.nodes, above, x, y, set(given))
            assert by_mag == dag.d_separated(x, y, given)
    expected = {
        end: next(iter(marks)) if len(marks) == 1 else Mark.CIRCLE
        for end, marks in equivalent_marks(mag).items()
    }
    assert pag_of(dag, hidden).marks == expected
    return True


def test_pags_are_exact_on_random_latent_projections():
    assert sum(check(seed, most_edges=5) for seed in range(60)) > 30


@pytest.mark.slow
def test_pags_are_exact_on_many_random_latent_projections():
    checked = seed = 0
    while checked < 400:
        checked += check(seed, most_edges=7)
        seed += 1


def test_hidden_causes_make_double_arrows():
    """Two instruments point at two effects of one hidden cause."""
    edges = [("i", "x"), ("h", "x"), ("h", "y"), ("j", "y")]
    pag = pag_of(Graph(["i", "x", "h", "y", "j"], edges), hidden=["h"])
    assert set(pag.edges) == {("i", "o->", "x"), ("x", "<->", "y"), ("y", "<-o", "j")}
    assert str(mag_of(Graph(["a", "b"], [("a", "b")]))) == "a --> b"


def test_a_pag_in_other_programs_words():
    edges = [("i", "x"), ("h", "x"), ("h", "y"), ("j", "y")]
    pag = Graph(["i", "x", "h", "y", "j"], edges).to_pag(hidden=["h"])
    assert pag.to_tetrad().splitlines() == [
        "Graph Nodes:", "i;x;y;j", "", "Graph Edges:", "1. i o-> x", "2. x <-> y", "3. y <-o j",
    ]  # fmt: skip
    assert '"i" -> "x" [dir=both, arrowtail=odot, arrowhead=normal];' in pag.to_dot()


def test_a_hidden_variable_must_be_there():
    with pytest.raises(ValueError, match="'z' is hidden, but not a node"):
        mag_of(Graph(["a"]), hidden=["z"])


def test_marks_are_read_from_both_ends():
    marks = {("a", "b"): Mark.ARROW, ("b", "a"): Mark.CIRCLE}
    assert AncestralGraph(("a", "b"), marks).edges == (("a", "o->", "b"),)


def test_a_cpdag_has_the_pag_of_its_dags():
    dag = random_dag(np.random.default_rng(3), 6, 0.5)
    assert dag.to_cpdag().to_pag() == dag.to_pag()
