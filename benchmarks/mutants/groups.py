"""Which modules are mutated, and which tests must notice it."""

from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path("src/bnsieve")
# Tests of all modules, which look at what is outside of functions.
GENERAL = "tests/test_dataclasses.py"


@dataclass(frozen=True)
class Group:
    """Modules of one kind, as patterns in the package, and the tests that belong to them."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


GROUPS = {
    "independence": Group(
        ("decide/independence.py", "decide/ci_tests.py"),
        ("tests/decide/test_independence.py", "tests/decide/test_ci_tests.py"),
    ),
    "counts": Group(
        ("counts/*.py",),
        (
            "tests/counts",
            "tests/decide/test_independence.py",
            "tests/decide/test_covariance_scores.py",
            "tests/search/test_covariance_search.py",
        ),
    ),
    "orientation": Group(
        ("search/orientation.py", "search/directions.py"),
        (
            "tests/search/test_orientation.py",
            "tests/search/test_directions.py",
            "tests/search/test_searches.py",
        ),
    ),
    "graph": Group(
        ("graph/graph.py", "graph/equivalence.py", "graph/forms.py", "graph/separation.py"),
        (
            "tests/graph/test_graph.py",
            "tests/graph/test_equivalence.py",
            "tests/graph/test_walks.py",
            "tests/graph/adapters/test_adapters.py",
            "tests/metrics/test_comparison.py",
        ),
    ),
    "metrics": Group(("metrics/*.py",), ("tests/metrics",)),
    "inference": Group(
        ("network/inference/*.py",),
        ("tests/network/discrete", "tests/network/test_predictions.py"),
    ),
    "prepare": Group(("prepare/*.py",), ("tests/table/prepare",)),
}


def modules_of(group: str) -> list[Path]:
    """Return the modules of a group, relative to the package."""
    found = [path for pattern in GROUPS[group].modules for path in sorted(PACKAGE.glob(pattern))]
    return [path.relative_to(PACKAGE) for path in found if path.name != "__init__.py"]
