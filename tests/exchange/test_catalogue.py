import math
import re

import pandas as pd
import pytest

from bnsieve import list_networks, load_network

# Nodes, arcs and parameters as the Bayesian Network Repository publishes them.
PUBLISHED = {
    "alarm": (37, 46, 509),
    "andes": (223, 338, 1157),
    "asia": (8, 8, 18),
    "barley": (48, 84, 114005),
    "cancer": (5, 4, 10),
    "child": (20, 25, 230),
    "diabetes": (413, 602, 429409),
    "hailfinder": (56, 66, 2656),
    "hepar2": (70, 123, 1453),
    "insurance": (27, 52, 1008),
    "link": (724, 1125, 14211),
    "mildew": (35, 46, 540150),
    "munin": (1041, 1397, 80592),
    "munin1": (186, 273, 15622),
    "pathfinder": (109, 195, 72079),
    "pigs": (441, 592, 5618),
    "sachs": (11, 17, 178),
    "water": (32, 66, 10083),
    "win95pts": (76, 112, 574),
}


def test_every_network_is_listed_with_the_published_figures():
    listed = {s.name: (s.nodes, s.arcs, s.parameters) for s in list_networks()}
    assert listed == PUBLISHED
    assert list(listed) == sorted(listed)


@pytest.mark.parametrize("name", PUBLISHED)
def test_networks_are_what_the_list_says(name):
    network = load_network(name)
    summary = next(summary for summary in list_networks() if summary.name == name)
    assert (summary.nodes, summary.arcs) == (network.graph.n_nodes, network.graph.n_edges)
    degrees = dict.fromkeys(network.graph.nodes, 0)
    n_free = 0
    for node in network.graph.nodes:
        parents = network.parents(node)
        n_free += (len(network.states[node]) - 1) * math.prod(
            len(network.states[parent]) for parent in parents
        )
        for end in (node, *parents):
            degrees[end] += len(parents) if end == node else 1
    assert summary.parameters == network.n_parameters == n_free == PUBLISHED[name][2]
    assert summary.largest_degree == max(degrees.values())


def test_the_list_is_a_frame_to_pandas():
    frame = pd.DataFrame(list_networks())
    assert list(frame.columns) == ["name", "nodes", "arcs", "parameters", "largest_degree"]
    assert len(frame) == 19


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Alarm", "did you mean 'alarm'?"),
        ("munin_1", "did you mean 'munin1' or 'munin'?"),
        ("zzz", "one of alarm, andes, "),
        ("../alarm", "did you mean 'alarm'?"),
    ],
)
def test_unknown_names_are_refused_with_a_suggestion(name, hint):
    with pytest.raises(ValueError, match=re.escape(hint)):
        load_network(name)
