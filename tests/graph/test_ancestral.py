"""MAGs and PAGs against an oracle: all Markov equivalent ancestral graphs, one by one."""

import pickle
import re
from itertools import chain, combinations, product

import numpy as np
import pytest

from bnsieve import Graph, load_network
from bnsieve.graph import HEAD, AncestralGraph, Mark, ancestral


def mag_of(dag, hidden=()):
    return ancestral.mag_of(dag.nodes, dag._edges, hidden)


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


def unshielded_colliders(marks):
    """Return those that equivalent graphs have in common: a quick way to leave most others out."""
    into = {}
    for (a, b), mark in marks.items():
        if mark is Mark.ARROW:
            into.setdefault(b, []).append(a)
    pairs = ((b, pair) for b, tails in into.items() for pair in combinations(sorted(tails), 2))
    return {(b, pair) for b, pair in pairs if pair not in marks}


def equivalent_marks(mag):
    """Return, for each end, the marks that occur in any Markov equivalent MAG."""
    pairs = [(a, b) for a, _, b in mag.edges]
    wanted, colliders = separations(mag.marks, mag.nodes), unshielded_colliders(mag.marks)
    seen = {end: set() for end in mag.marks}
    kinds = [(Mark.TAIL, Mark.ARROW), (Mark.ARROW, Mark.TAIL), (Mark.ARROW, Mark.ARROW)]
    for chosen in product(kinds, repeat=len(pairs)):
        marks = {}
        for (a, b), (at_a, at_b) in zip(pairs, chosen, strict=True):
            marks[b, a], marks[a, b] = at_a, at_b
        if unshielded_colliders(marks) != colliders or not is_ancestral(marks, mag.nodes):
            continue
        if separations(marks, mag.nodes) == wanted:
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
    check_pag(dag, hidden, mag)
    return True


def check_pag(dag, hidden, mag):
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
    assert dag.to_pag(hidden).marks == expected


def test_pags_are_exact_on_random_latent_projections():
    assert sum(check(seed, most_edges=5) for seed in range(60)) > 30


@pytest.mark.slow
def test_pags_are_exact_on_many_random_latent_projections():
    checked = seed = 0
    while checked < 400:
        checked += check(seed, most_edges=7)
        seed += 1


@pytest.mark.parametrize(
    ("edges", "hidden"),
    [
        # In words of one letter: "ab" is a -> b. Without rule 2, 8 or 10 a circle would be left.
        ("ac af bc bd bf ce cf dc ef", "d"),
        ("xa za ab yb bc ac xc zc", ""),
        ("af bf ca cb cd ce cf ea eb", "d"),
    ],
    ids=["rule 2", "rule 8", "rule 10"],
)
def test_pags_that_take_a_rare_rule_are_exact(edges, hidden):
    pairs = [tuple(edge) for edge in edges.split()]
    dag = Graph(sorted(set("".join(edges.split()))), pairs)
    check_pag(dag, list(hidden), mag_of(dag, hidden))


def test_a_tail_that_not_all_equivalent_graphs_have_is_not_drawn():
    """Tetrad 7.6.8 draws ``e --> b``, but a graph with the same separations has ``e <-> b``."""
    edges = ["ab", "ca", "cg", "dg", "eb", "ec", "ed", "ef", "eg", "fa", "fb", "ha", "hc", "hd"]
    dag = Graph(list("abcdefgh"), map(tuple, edges))
    mag, pag = mag_of(dag, "ad"), dag.to_pag("ad")
    assert pag.marks["b", "e"] is Mark.CIRCLE
    other = dict(mag.marks)
    for a, b in ("cb", "eb", "fb", "ef"):
        other[a, b] = other[b, a] = Mark.ARROW
    assert other != mag.marks
    assert is_ancestral(other, mag.nodes)
    assert separations(other, mag.nodes) == separations(mag.marks, mag.nodes)


# Two instruments point at two effects of one hidden cause.
EDGES = [("i", "x"), ("h", "x"), ("h", "y"), ("j", "y")]
TWO_EFFECTS = Graph(["i", "x", "h", "y", "j"], EDGES)


def test_hidden_causes_make_double_arrows():
    pag = TWO_EFFECTS.to_pag(hidden=["h"])
    assert pag.edges == (("i", "o->", "x"), ("x", "<->", "y"), ("y", "<-o", "j"))
    assert repr(pag) == "<PAG with 4 nodes and 3 edges: i o-> x, x <-> y, y <-o j>"
    assert pag.adjacent("x") == ("i", "y")
    assert mag_of(Graph(["a", "b"], [("a", "b")])).edges == (("a", "-->", "b"),)


@pytest.mark.parametrize("name", ["asia", "child", "alarm", "win95pts"])
def test_the_pag_of_a_dag_claims_no_hidden_cause(name):
    """The DAG itself, without any hidden variable, is one of the graphs that the PAG stands for."""
    graph = load_network(name).graph
    pag = graph.to_pag()
    assert {frozenset((a, b)) for a, _, b in pag.edges} == set(map(frozenset, graph.edges))
    for a, b in graph.edges:
        assert pag.marks[a, b] in (Mark.ARROW, Mark.CIRCLE)
        assert pag.marks[b, a] in (Mark.TAIL, Mark.CIRCLE)


def test_a_hidden_variable_must_be_there():
    with pytest.raises(ValueError, match="'z' is hidden, but not a node"):
        mag_of(Graph(["a"]), hidden=["z"])


def test_a_cpdag_has_the_pag_of_its_dags():
    dag = random_dag(np.random.default_rng(3), 6, 0.5)
    assert dag.to_cpdag().to_pag() == dag.to_pag()


def test_directions_of_knowledge_are_not_kept():
    assert Graph(["a", "b"], [("a", "b")]).to_pag().edges == (("a", "o-o", "b"),)


def test_a_graph_of_no_dag_has_no_pag():
    square = Graph(["a", "b", "c", "d"], [], [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    with pytest.raises(ValueError, match="no consistent extension"):
        square.to_pag()


def test_any_names_will_do():
    """A node without a name is a node like the others."""
    names = {"i": "", "x": "two words", "y": 'say "no"', "j": "<b>"}
    renamed = TWO_EFFECTS.relabel(names).to_pag(hidden=["h"])
    expected = {
        (names[a], names[b]): mark for (a, b), mark in TWO_EFFECTS.to_pag(["h"]).marks.items()
    }
    assert renamed.marks == expected
    assert "<b>" not in renamed.plot().svg


def test_rule_9_passes_a_node_without_a_name():
    """``a o-> c`` becomes ``a --> c`` by the uncovered path a, b, "", c."""
    dag = Graph(
        ["a", "b", "", "c", "d"], [("a", "b"), ("b", ""), ("", "c"), ("a", "c"), ("d", "c")]
    )
    assert dag.to_pag().marks["c", "a"] is Mark.TAIL


def test_pags_are_values():
    pag = TWO_EFFECTS.to_pag(hidden=["h"])
    again = TWO_EFFECTS.reorder(["j", "h", "y", "x", "i"]).to_pag(hidden=["h"])
    assert pag == again
    assert hash(pag) == hash(again)
    assert pickle.loads(pickle.dumps(pag)) == pag
    assert pag != TWO_EFFECTS
    assert pag != TWO_EFFECTS.to_pag()


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ({("a", "b"): Mark.ARROW}, "two marks"),
        ({("a", "z"): Mark.ARROW, ("z", "a"): Mark.TAIL}, "two nodes"),
        ({("a", "b"): Mark.TAIL, ("b", "a"): Mark.TAIL}, "a --- b stands for selected rows"),
        ({("a", "b"): Mark.CIRCLE, ("b", "a"): Mark.TAIL}, "a --o b stands for selected rows"),
    ],
)
def test_marks_that_no_pag_has_are_refused(marks, message):
    with pytest.raises(ValueError, match=message):
        AncestralGraph(("a", "b"), marks)


def test_the_picture_has_a_mark_at_each_end_and_a_legend():
    svg = TWO_EFFECTS.to_pag(hidden=["h"]).plot(title="Two effects").svg
    # Two circles and four arrowheads, and those of the legend: two entries.
    assert svg.count("<circle") == 2 + 1
    assert svg.count("<polygon") == 4 + 3
    assert "a hidden common cause<" in svg
    assert "a cause, a hidden common cause, or both<" in svg
    assert "undetermined" not in svg


@pytest.mark.parametrize("flow", ["down", "right"])
def test_marks_lie_outside_of_the_boxes(flow):
    """A double arrow touches both boxes with its tips, and neither with its line."""
    marks = {("a", "b"): Mark.ARROW, ("b", "a"): Mark.ARROW}
    svg = AncestralGraph(("a", "b"), marks).plot(flow=flow).svg
    drawn = svg[svg.index("translate") : svg.index("</g>\n<path")]
    axis = 1 if flow == "down" else 0
    start = "y" if flow == "down" else "x"
    length = "height" if flow == "down" else "width"
    boxes = [
        (float(box[1]), float(box[2]))
        for box in re.finditer(rf'<rect .*?{start}="([\d.]+)".*?{length}="([\d.]+)"', drawn)
    ]
    tips = [
        float(head[1].split()[0].split(",")[axis])
        for head in re.finditer(r'<polygon points="([^"]+)"', drawn)
    ]
    line = re.search(r'<path d="M([\d.]+) ([\d.]+).* ([\d.]+) ([\d.]+)"', drawn)
    ends = [float(line[1 + axis]), float(line[3 + axis])]
    assert tips == pytest.approx([boxes[0][0] + boxes[0][1], boxes[1][0]], abs=0.2)
    assert ends == pytest.approx([tips[0] + HEAD, tips[1] - HEAD], abs=0.2)


def test_notebooks_show_the_picture_and_the_edges():
    shown = TWO_EFFECTS.to_pag(hidden=["h"])._repr_html_()
    assert "<svg" in shown
    assert "&lt;-&gt;" in shown
