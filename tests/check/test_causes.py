"""Tests of the ranking of changes: what explains most comes first."""

from bnsieve.check.causes import causes_of
from bnsieve.check.result import Margin, Mechanism, NewDependence
from bnsieve.check.schema import SchemaChange
from bnsieve.graph import Graph

# A sensor that three others depend on, and a chain apart from it.
GRAPH = Graph(
    ["sensor", "a", "b", "c", "x", "y"],
    [("sensor", "a"), ("sensor", "b"), ("sensor", "c"), ("x", "y")],
)


def mechanisms(**p_values: float) -> list[Mechanism]:
    return [
        Mechanism(name, GRAPH.parents(name), p_values.get(name, 1.0), 0.1, None, name in p_values)
        for name in GRAPH.nodes
    ]


def margin(name: str, *follows_from: str) -> Margin:
    return Margin(name, 0.001, 0.1, None, True, follows_from)


def test_one_column_explains_mechanisms_that_changed_together() -> None:
    found = causes_of((), (), mechanisms(a=1e-5, b=1e-9, y=1e-7), (), GRAPH)
    assert [(one.kind, one.names) for one in found] == [
        ("cells", ("sensor",)),
        ("mechanism", ("y",)),
    ]
    assert found[0].p_value == 1e-9
    assert found[0].text == ("the cells of sensor: the mechanisms of b and a changed together")


def test_only_columns_that_explain_the_same_mechanisms_are_alternatives() -> None:
    apart = Graph(list("stabcd"), [("s", "a"), ("s", "b"), ("t", "c"), ("t", "d")])
    shared = Graph(list("stab"), [("s", "a"), ("s", "b"), ("t", "a"), ("t", "b")])
    for graph, expected in ((apart, [("s",), ("t",)]), (shared, [("s", "t")])):
        changed = [
            Mechanism(name, graph.parents(name), 1e-6, 0.1, None, bool(graph.parents(name)))
            for name in graph.nodes
        ]
        found = causes_of((), (), changed, (), graph)
        assert [one.names for one in found] == expected


def test_a_single_mechanism_is_its_own_cause() -> None:
    found = causes_of((), (), mechanisms(a=1e-5, y=1e-7), (), GRAPH)
    assert [(one.kind, one.names) for one in found] == [
        ("mechanism", ("y",)),
        ("mechanism", ("a",)),
    ]


def test_the_clearest_change_comes_first_and_consequences_are_left_out() -> None:
    copies = SchemaChange("copies", "", "5 rows are copies", 0.03)
    missing = SchemaChange("missing column", "c", "missing")
    pair = NewDependence("a", "x", 1e-3, 0.0, 0.2)
    margins = [margin("x"), margin("a", "sensor")]
    found = causes_of([copies, missing], margins, mechanisms(y=1e-7), [pair], GRAPH)
    assert [(one.kind, one.names) for one in found] == [
        ("schema", ("c",)),
        ("mechanism", ("y",)),
        ("dependence", ("a", "x")),
        ("schema", ()),
    ]
    [alone] = causes_of((), margins, mechanisms(), (), GRAPH)
    assert (alone.kind, alone.names) == ("margin", ("x",))
