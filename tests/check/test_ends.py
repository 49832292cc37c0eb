"""Tests of the end of an undirected edge at which a mechanism changed; p-values are set by hand."""

from collections.abc import Mapping

from bnsieve.check.ends import fewest_changes


def given(*parents: str) -> frozenset[str]:
    return frozenset(parents)


# Of a chain z -> x -> v in its three equivalent DAGs.
FROM_V = {"v": given(), "x": given("v"), "z": given("x")}
EDGES = [("z", "x"), ("x", "v")]


def p_value_of(changed: Mapping[tuple[str, frozenset[str]], float], name: str, own: frozenset[str]):
    return changed.get((name, own), 1.0)


def test_one_change_explains_three() -> None:
    """Another margin of z changes every mechanism of the DAG that starts at v."""
    changed = {
        ("v", given()): 1e-3,
        ("x", given("v")): 1e-4,
        ("z", given("x")): 1e-5,
        ("x", given()): 1e-4,
        ("z", given()): 1e-9,
    }
    found = fewest_changes(FROM_V, EDGES, lambda *pair: p_value_of(changed, *pair), 0.01)
    assert found.parents == {"v": given("x"), "x": given("z"), "z": given()}
    assert found.alternatives == {"z": ()}


def test_a_lost_effect_leaves_both_ends() -> None:
    """Both margins stay, so that each direction needs one change."""
    changed = {("x", given("v")): 1e-6, ("v", given("x")): 1e-6}
    found = fewest_changes(FROM_V, EDGES, lambda *pair: p_value_of(changed, *pair), 0.01)
    assert found.parents == FROM_V
    assert found.alternatives == {"x": ("v",)}


def test_a_directed_edge_is_kept() -> None:
    changed = {("x", given("v")): 1e-6, ("v", given("x")): 1e-6}
    found = fewest_changes(FROM_V, EDGES[:1], lambda *pair: p_value_of(changed, *pair), 0.01)
    assert found.parents == FROM_V
    assert found.alternatives == {"x": ()}


def test_a_reversal_that_hides_a_change_is_refused() -> None:
    """What is left after it is less clear than before."""
    changed = {("v", given()): 1e-9, ("x", given("v")): 1e-6, ("v", given("x")): 1e-3}
    found = fewest_changes(FROM_V, EDGES, lambda *pair: p_value_of(changed, *pair), 0.01)
    assert found.parents == FROM_V
    assert set(found.alternatives) == {"v", "x"}
