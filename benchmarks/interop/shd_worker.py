"""CPDAG SHD of pairs of DAGs, by causal-learn. Runs inside causal-learn's own environment.

Reads ``[{"n_nodes", "learned", "truth"}, ...]`` as JSON from standard input, edges as (tail, head)
numbers, and writes ``{"tool", "version", "cpdag_shd": [...]}`` to standard output.
"""

import json
import sys
from importlib.metadata import version

from causallearn.graph.Dag import Dag
from causallearn.graph.GeneralGraph import GeneralGraph
from causallearn.graph.GraphNode import GraphNode
from causallearn.graph.SHD import SHD
from causallearn.utils.DAG2CPDAG import dag2cpdag


def cpdag(n_nodes: int, edges: list[list[int]]) -> GeneralGraph:
    nodes = [GraphNode(f"X{i}") for i in range(n_nodes)]
    dag = Dag(nodes)
    for tail, head in edges:
        dag.add_directed_edge(nodes[tail], nodes[head])
    return dag2cpdag(dag)


def main() -> None:
    distances = [
        SHD(
            cpdag(pair["n_nodes"], pair["truth"]), cpdag(pair["n_nodes"], pair["learned"])
        ).get_shd()
        for pair in json.load(sys.stdin)
    ]
    result = {"tool": "causal-learn", "version": version("causal-learn"), "cpdag_shd": distances}
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
