"""Stand-ins for other programs: as much of their faces as the adapters touch.

The programs themselves run in environments of their own (python -m benchmarks interop adapters);
these keep to what was seen there.
"""

import types
from enum import Enum

import networkx
import numpy as np


class DAG(networkx.DiGraph):
    pass


class PDAG(networkx.DiGraph):
    def __init__(self, directed_ebunch=(), undirected_ebunch=()):
        super().__init__(directed_ebunch)
        for a, b in undirected_ebunch:
            self.add_edges_from([(a, b), (b, a)])


class TabularCPD:
    def __init__(self, variable, card, values, evidence=(), evidence_card=(), state_names=None):
        assert np.shape(values) == (card, int(np.prod(evidence_card, dtype=int)))
        self.variables = [variable, *evidence]
        self.values = np.array(values).reshape(card, *evidence_card)
        self.state_names = state_names


class DiscreteBayesianNetwork(networkx.DiGraph):
    def __init__(self):
        super().__init__()
        self.cpds = {}

    def add_cpds(self, cpd):
        assert set(self.predecessors(cpd.variables[0])) == set(cpd.variables[1:])
        self.cpds[cpd.variables[0]] = cpd

    def get_cpds(self, node):
        return self.cpds.get(node)


class LinearGaussianCPD:
    def __init__(self, variable, beta, std, evidence=()):
        assert len(beta) == 1 + len(evidence)
        self.variables = [variable, *evidence]
        self.beta, self.std, self.evidence = np.array(beta), std, list(evidence)


class LinearGaussianBayesianNetwork(DiscreteBayesianNetwork):
    pass


class ExpertKnowledge:
    def __init__(self, search_space=None):
        self.search_space = set(search_space)


class LabelizedVariable:
    def __init__(self, name, description, labels):
        assert all(isinstance(label, str) for label in labels)
        self.name_, self.labels_ = name, labels

    def name(self):
        return self.name_

    def labels(self):
        return tuple(self.labels_)


class Cpt:
    """Its first variable is its own, and changes fastest."""

    def __init__(self, variables):
        self.variables = variables

    @property
    def names(self):
        return tuple(variable.name() for variable in self.variables)

    def fillWith(self, values):  # noqa: N802
        shape = [len(variable.labels()) for variable in self.variables]
        self.values = np.array(values).reshape(shape, order="F")

    def toarray(self):
        return self.values.transpose()


class BayesNet:
    def __init__(self):
        self.cpts = []

    def number(self, which):
        names = [cpt.names[0] for cpt in self.cpts]
        return which if isinstance(which, int) else names.index(which)

    def add(self, variable):
        self.cpts.append(Cpt([variable]))

    def addArc(self, tail, head):  # noqa: N802
        self.cpts[self.number(head)].variables.append(self.variable(self.number(tail)))

    def nodes(self):
        return range(len(self.cpts))

    def variable(self, number):
        return self.cpts[number].variables[0]

    def cpt(self, which):
        return self.cpts[self.number(which)]


class Endpoint(Enum):
    TAIL = -1
    ARROW = 1
    CIRCLE = 2


class GraphNode:
    def __init__(self, name):
        self.name = name

    def get_name(self):
        return self.name


class Edge:
    def __init__(self, first, second, first_end, second_end):
        self.nodes, self.ends = (first, second), (first_end, second_end)


class GeneralGraph:
    def __init__(self, nodes):
        self.nodes = nodes
        self.graph = np.zeros((len(nodes), len(nodes)), dtype=int)

    def get_nodes(self):
        return self.nodes

    def add_edge(self, edge):
        i, j = (self.nodes.index(node) for node in edge.nodes)
        self.graph[i, j], self.graph[j, i] = (end.value for end in edge.ends)


def modules():
    """The modules that hold these classes, by name, as ``sys.modules`` has them."""
    held = {
        "pgmpy": {},
        "pgmpy.base": {"DAG": DAG, "PDAG": PDAG},
        "pgmpy.models": {
            "DiscreteBayesianNetwork": DiscreteBayesianNetwork,
            "LinearGaussianBayesianNetwork": LinearGaussianBayesianNetwork,
        },
        "pgmpy.factors.continuous": {"LinearGaussianCPD": LinearGaussianCPD},
        "pgmpy.factors": {},
        "pgmpy.factors.discrete": {"TabularCPD": TabularCPD},
        "pgmpy.causal_discovery": {"ExpertKnowledge": ExpertKnowledge},
        "pyagrum": {"BayesNet": BayesNet, "LabelizedVariable": LabelizedVariable},
        "causallearn": {},
        "causallearn.graph": {},
        "causallearn.graph.GraphNode": {"GraphNode": GraphNode},
        "causallearn.graph.Edge": {"Edge": Edge},
        "causallearn.graph.Endpoint": {"Endpoint": Endpoint},
        "causallearn.graph.GeneralGraph": {"GeneralGraph": GeneralGraph},
    }
    made = {}
    for name, values in held.items():
        made[name] = types.ModuleType(name)
        vars(made[name]).update(values)
    return made
