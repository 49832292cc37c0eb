"""Imports run one way, modules stay small, optional packages stay optional."""

import ast
import graphlib
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "bnsieve"
MAX_LINES = 400

# The way of the data. A module may import only what stands above it here. A package stands for all
# its modules (which may import each other, but not in a circle) unless they are listed themselves.
# To add a module, put its name below those that it imports and above those that import it.
ORDER = [
    "_native",
    "watch",
    "seeds",
    "strict_json",
    "walks",
    "engine.local",
    "encode",
    "table",
    "cuts",
    "discretize",
    "source",
    "edgelists",
    "equivalence",
    "separation",
    "graphforms",
    "picture",
    "adapters._common",
    "adapters.pgmpy",
    "adapters.pyagrum",
    "adapters.causal_learn",
    "adapters",
    "adapters.graphs",
    "graph",
    "adapters.networks",
    "constraints",
    "knowledge_files",
    "knowledge",
    "tsetlin",
    "sieve",
    "association",
    "memory",
    "candidates",
    "counts",
    "counted",
    "count_source",
    "tally",
    "citests",
    "independence",
    "scores",
    "search",
    "orient",
    "likelihood",
    "network_checks",
    "network",
    "parameters",
    "heldout",
    "formats",
    "catalogue",
    "confidence",
    "evidence",
    "explanation",
    "engine",
    "persist.checks",
    "persist",
    "gaps",
    "learners",
    "metrics",
    "report",
    "__init__",
    "doctor",
    "run",
    "cli",
    "__main__",
]

# Packages that a plain installation lacks, and the modules that may import them at the top. All
# others import them inside the function that needs them, so that `import bnsieve` works without.
OPTIONAL: dict[str, set[str]] = {
    "causallearn": set(),
    "gadjid": set(),
    "jinja2": set(),
    "matplotlib": set(),
    "networkx": set(),
    "pgmpy": set(),
    "polars": set(),
    "pyagrum": set(),
    # Imported only where rows lie in files, by way of learners.whole.
    "pyarrow": {
        f"source.{name}"
        for name in ("followed", "labels", "numbers", "opening", "parquet", "scan", "spill")
    },
    "ray": {"engine.ray"},
    "yaml": set(),
}


def module_name(path: Path) -> str:
    """``tsetlin/machine.py`` -> ``tsetlin.machine``; ``tsetlin/__init__.py`` -> ``tsetlin``."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    if parts[-1] == "__init__" and len(parts) > 1:
        parts = parts[:-1]
    return ".".join(parts)


FILES = {module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in FILES.items()}
MODULES = {*FILES, "_native"}


def place(module: str) -> int | None:
    """Index in ORDER of a module, or of the nearest package around it; None if there is none."""
    while module not in ORDER:
        module, dot, _ = module.rpartition(".")
        if not dot:
            return None
    return ORDER.index(module)


def imports(module: str) -> set[str]:
    """Modules of bnsieve that this one imports, anywhere in its text."""
    package = module if FILES[module].name == "__init__.py" else module.rpartition(".")[0]
    package = "" if package == "__init__" else package
    found = set()
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            origin = node.module or ""
            if node.level:
                parts = package.split(".") if package else []
                base = parts[: len(parts) - node.level + 1]
                origin = ".".join(["bnsieve", *base, *filter(None, [origin])])
            names = [f"{origin}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if name.split(".")[0] != "bnsieve":
                continue
            target = name.removeprefix("bnsieve").removeprefix(".")
            while target and target not in MODULES:
                target = target.rpartition(".")[0]
            found.add(target or "__init__")
    return found - {module}


def top_level_imports(node: ast.AST) -> set[str]:
    """Packages imported when the module is: not inside a function, not for type checkers only."""
    found = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            found |= {alias.name.split(".")[0] for alias in child.names}
        elif isinstance(child, ast.ImportFrom) and child.level == 0 and child.module:
            found.add(child.module.split(".")[0])
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            found |= top_level_imports(child)
    return found


@pytest.mark.parametrize("module", FILES)
def test_imports_run_one_way(module: str) -> None:
    own = place(module)
    assert own is not None, (
        f"bnsieve.{module} has no place yet: add {module!r} to ORDER in {Path(__file__).name}, "
        "below the modules that it imports and above those that import it"
    )
    against = [name for name in sorted(imports(module)) if (place(name) or 0) > own]
    assert not against, (
        f"bnsieve.{module} imports {', '.join(against)} against the direction: move what both need "
        f"further up, or correct ORDER in {Path(__file__).name} if the list itself is wrong"
    )


def test_imports_make_no_circle() -> None:
    graphlib.TopologicalSorter({name: imports(name) for name in FILES}).prepare()


@pytest.mark.parametrize("module", FILES)
def test_modules_are_short(module: str) -> None:
    n_lines = len(FILES[module].read_text(encoding="utf-8").splitlines())
    assert n_lines < MAX_LINES, f"bnsieve.{module} has {n_lines} lines: split it by what it does"


@pytest.mark.parametrize("module", FILES)
def test_optional_packages_are_imported_late(module: str) -> None:
    early = {
        name
        for name in top_level_imports(TREES[module])
        if module not in OPTIONAL.get(name, {module})
    }
    assert not early, (
        f"bnsieve.{module} imports {', '.join(sorted(early))} at the top: import it inside the "
        "function that needs it, so that bnsieve works where it is not installed"
    )
