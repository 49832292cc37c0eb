"""Round trips through one other program: run by `adapter_peers` in that program's environment.

python adapter_worker.py {pgmpy-1,pyagrum,causal-learn} [--quick]
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bnsieve import BayesianNetwork, Graph, TsetlinSieve, load_network
from bnsieve.exchange import read, write
from bnsieve.graph import candidates_to_pgmpy, candidates_to_pyagrum

QUICK = ["asia", "alarm", "child"]
ALL = [*QUICK, "insurance", "water", "hailfinder", "hepar2", "win95pts", "munin1", "andes"]
NAMES = [
    "plain", "two words", " padded ", 'say "no"', "{brace}", "a,b", "a;b", "a|b", "a:b", "[0, 1)",
    "<b>", "&amp;", "back\\slash", "été", "😀", "א", "0", "-1.5", "first\nsecond",
]  # fmt: skip


def awkward_network(names: list[str]) -> BayesianNetwork:
    """Return a network of awkward names and labels only, with up to three parents each."""
    random = np.random.default_rng(0)
    arrows = [(a, b) for i, a in enumerate(names) for b in names[i + 1 : i + 4]]
    graph = Graph(names, arrows)
    states = {name: [*random.permutation(names)[: 2 + i % 3]] for i, name in enumerate(names)}
    states = {name: [str(label) for label in labels] for name, labels in states.items()}
    parents = {name: [*map(str, random.permutation(graph.parents(name)))] for name in names}
    tables = {
        name: random.dirichlet(
            np.ones(len(states[name])), [len(states[parent]) for parent in parents[name]]
        )
        for name in names
    }
    return BayesianNetwork(graph, states, tables, parents)


def same(first: BayesianNetwork, second: BayesianNetwork, tolerance: float = 0.0) -> bool:
    """Tell whether two networks are the same, whatever the order of nodes and parents."""
    if first.graph != second.graph or dict(first.states) != dict(second.states):
        return False
    for name, table in first.tables.items():
        axes = [second.parents(name).index(parent) for parent in first.parents(name)]
        other = second.tables[name].transpose([*axes, len(axes)])
        if np.abs(table - other).max() > tolerance:
            return False
    return True


def check_pgmpy(networks: dict[str, BayesianNetwork], report: Callable[[str, bool], None]) -> None:
    from pgmpy.causal_discovery import HillClimbSearch
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import XMLBIFReader, XMLBIFWriter

    for name, network in networks.items():
        theirs = network.to_pgmpy()
        report(f"{name}: network", same(network, BayesianNetwork.from_pgmpy(theirs)))
        report(f"{name}: their check", theirs.check_model())
        for graph in (network.graph, network.graph.to_cpdag()):
            again = Graph.from_pgmpy(graph.to_pgmpy())
            report(f"{name}: {type(graph.to_pgmpy()).__name__}", again == graph)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "network.xml"
            write(network, path)
            again = BayesianNetwork.from_pgmpy(XMLBIFReader(str(path)).get_model())
            report(f"{name}: they read our XMLBIF", same(network, again))
            if name != "awkward" and name != "child":  # pgmpy writes other labels for odd ones
                path.write_text(str(XMLBIFWriter(theirs)), encoding="utf-8")
                report(f"{name}: we read their XMLBIF", same(network, read(path)))
    asia = networks["asia"]
    marginal = VariableElimination(asia.to_pgmpy()).query(["dysp"], show_progress=False).values
    report("asia: inference", marginal_is_right(asia, "dysp", marginal))
    data, candidates = fitted_candidates()
    knowledge = candidates_to_pgmpy(candidates)
    search = HillClimbSearch("bic-d", expert_knowledge=knowledge, show_progress=False)
    arrows = search.fit(data.astype(str)).causal_graph_.edges()
    report("candidates as search space", only_candidates(arrows, candidates))


def check_pyagrum(
    networks: dict[str, BayesianNetwork], report: Callable[[str, bool], None]
) -> None:
    import pyagrum

    for name, network in networks.items():
        theirs = network.to_pyagrum()
        report(f"{name}: network", same(network, BayesianNetwork.from_pyagrum(theirs)))
        if name == "awkward":  # pyAgrum leaves "<" as it is in XML and has signs of its own
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "network.bifxml"
            write(network, path)
            again = BayesianNetwork.from_pyagrum(pyagrum.loadBN(str(path)))
            report(f"{name}: they read our XMLBIF", same(network, again, 1e-7))
            if name != "child":
                theirs.saveBIFXML(str(path))
                report(f"{name}: we read their XMLBIF", same(network, read(path), 1e-5))
    asia = networks["asia"]
    inference = pyagrum.LazyPropagation(asia.to_pyagrum())
    report("asia: inference", marginal_is_right(asia, "dysp", inference.posterior("dysp").tolist()))
    data, candidates = fitted_candidates()
    learner = candidates_to_pyagrum(candidates, pyagrum.BNLearner(data.astype(str)))
    learner.useGreedyHillClimbing()
    learned = learner.learnBN()
    names = {node: learned.variable(node).name() for node in learned.nodes()}
    arrows = [(names[tail], names[head]) for tail, head in learned.arcs()]
    report("candidates as possible edges", only_candidates(arrows, candidates))


def check_causal_learn(
    networks: dict[str, BayesianNetwork], report: Callable[[str, bool], None]
) -> None:
    from causallearn.search.ConstraintBased.PC import pc
    from causallearn.utils.DAG2CPDAG import dag2cpdag

    for name, network in networks.items():
        for graph in (network.graph, network.graph.to_cpdag()):
            again = Graph.from_causal_learn(graph.to_causal_learn())
            report(f"{name}: {'DAG' if graph.is_dag else 'CPDAG'}", again == graph)
        pag = network.graph.to_pag(hidden=network.graph.nodes[::10])
        report(f"{name}: PAG", marks_of(pag.to_causal_learn()) == set(pag.edges))
        if network.graph.n_nodes <= 40:
            theirs = Graph.from_causal_learn(dag2cpdag(network.graph.to_causal_learn()))
            report(f"{name}: their CPDAG of our DAG", theirs == network.graph.to_cpdag())
    asia = networks["asia"]
    codes = asia.sample(2000, random_state=0).apply(lambda column: column.cat.codes).to_numpy()
    found = pc(codes, 0.01, "gsq", node_names=list(asia.graph.nodes), show_progress=False)
    graph = Graph.from_causal_learn(found)
    report("what their PC returns", graph.nodes == asia.graph.nodes and graph.n_edges > 3)


def marks_of(graph: object) -> set[tuple[str, str, str]]:
    """Return the edges of causal-learn's graph with their marks, the earlier node first."""
    left, right = {-1: "-", 1: "<", 2: "o"}, {-1: "-", 1: ">", 2: "o"}
    names, mark = [node.get_name() for node in graph.get_nodes()], graph.graph
    return {
        (names[a], f"{left[mark[a, b]]}-{right[mark[b, a]]}", names[b])
        for a, b in np.argwhere(np.triu(mark != 0)).tolist()
    }


def marginal_is_right(network: BayesianNetwork, name: str, marginal: object) -> bool:
    sample = network.sample(200_000, random_state=0)[name].value_counts(normalize=True)
    expected = sample.loc[list(network.states[name])].to_numpy()
    return bool(np.abs(np.asarray(marginal) - expected).max() < 0.01)


def fitted_candidates() -> tuple[object, dict[str, tuple[str, ...]]]:
    data = load_network("asia").sample(2000, random_state=0)
    return data, TsetlinSieve(n_candidates=2, random_state=0).fit(data).candidates_


def only_candidates(arrows: object, candidates: dict[str, tuple[str, ...]]) -> bool:
    arrows = list(arrows)
    return bool(arrows) and all(
        b in candidates.get(a, ()) or a in candidates.get(b, ()) for a, b in arrows
    )


def main() -> int:
    peer, quick = sys.argv[1], "--quick" in sys.argv
    networks = {"awkward": awkward_network(NAMES)}
    networks |= {name: load_network(name) for name in (QUICK if quick else ALL)}
    failed = []

    def report(what: str, is_right: bool) -> None:
        print(f"  {'ok' if is_right else 'UNEXPECTED':10}  {what}", flush=True)
        if not is_right:
            failed.append(what)

    check = {"pgmpy-1": check_pgmpy, "pyagrum": check_pyagrum, "causal-learn": check_causal_learn}
    check[peer](networks, report)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
