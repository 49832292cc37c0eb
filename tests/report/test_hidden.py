"""What the page says of hidden common causes."""

from bnsieve import Graph
from bnsieve.report.hidden import MARKED, OTHERS, hidden_causes
from read_page import ReadPage


def test_edges_of_the_pag_are_counted_by_what_they_say():
    """PAG: asia o-o tub, smoke o-o lung, tub o-> either, lung o-> either, either --> xray."""
    edges = [
        ("asia", "tub"),
        ("smoke", "lung"),
        ("tub", "either"),
        ("lung", "either"),
        ("either", "xray"),
    ]
    nodes = ["asia", "tub", "smoke", "lung", "either", "xray"]
    assert hidden_causes(Graph(nodes, edges))[:4] == (5, 1, 2, 2)
    assert hidden_causes(Graph(["a"]))[:4] == (0, 0, 0, 0)


def test_the_page_has_counts_and_the_base_rate(asia_page, asia_learner):
    text = " ".join(ReadPage(asia_page.read_text(encoding="utf-8")).text.split())
    found = hidden_causes(asia_learner.dag_)
    assert f"Then {found.n_causes} of {found.n_edges} edges still say" in text
    assert f"{MARKED:.0f} % of the edges that theory marks" in text
    assert f"and {OTHERS:.0f} % of the other edges" in text
    assert "It does not show where a hidden cause is." in text
