"""Imports run one way, modules stay small, optional packages stay optional."""

import ast
import graphlib
from collections import Counter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "bnsieve"
MAX_LINES = 600
MAX_CLASS_LINES = 400

# The way of the data. A room imports only rooms above it in this list.
ROOMS = [
    "engine",
    "text",
    "table",
    "graph",
    "knowledge",
    "counts",
    "rows",
    "sieve",
    "decide",
    "search",
    "network",
    "explain",
    "check",
    "exchange",
    "synthesize",
    "metrics",
    "report",
    "learners",
    "cli",
]
# Subpackages that other rooms may import from; beside these, only what a room's __init__ exports.
OPEN = {"sieve.machine", "table.prepare"}
# What else may lie at the top level.
LOOSE = {"__init__.py", "__main__.py", "_native.pyi", "py.typed"}

# Packages that a plain installation lacks, and the modules that may import them at the top. All
# others import them inside the function that needs them, so that `import bnsieve` works without.
OPTIONAL: dict[str, set[str]] = {
    "IPython": set(),
    "causallearn": set(),
    "dask": set(),
    "distributed": {"engine.dask"},
    "duckdb": set(),
    "gadjid": set(),
    "jinja2": set(),  # installed always, but only pages need it
    "matplotlib": set(),
    "networkx": set(),
    "pgmpy": set(),
    "polars": set(),
    "pyagrum": set(),
    "pyspark": {"engine.spark"},
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


def room(module: str) -> str:
    """``tsetlin.machine`` -> ``tsetlin``."""
    return module.partition(".")[0]


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


def test_top_level_holds_rooms_only() -> None:
    found = {path for path in SOURCE.iterdir() if path.name != "__pycache__"}
    loose = {path.name for path in found if path.is_file() and path.suffix not in (".so", ".pyd")}
    assert loose <= LOOSE, f"{loose - LOOSE} lie loose in src/bnsieve: give each a room"
    assert {path.name for path in found if path.is_dir()} == set(ROOMS)


@pytest.mark.parametrize("module", [name for name in FILES if room(name) in ROOMS])
def test_rooms_import_only_rooms_above(module: str) -> None:
    above = {"_native", *ROOMS[: ROOMS.index(room(module)) + 1]}
    if room(module) == ROOMS[-1]:
        above |= {"__init__"}  # the command line is one of the package's users
    against = [name for name in sorted(imports(module)) if room(name) not in above]
    assert not against, (
        f"bnsieve.{module} imports {', '.join(against)} against the direction: move what both need "
        f"into the earlier room; the order is ROOMS in {Path(__file__).name}"
    )


@pytest.mark.parametrize("module", [name for name in FILES if room(name) in ROOMS])
def test_rooms_are_entered_by_the_door(module: str) -> None:
    inside = [
        name
        for name in sorted(imports(module))
        if room(name) != room(module) and "." in name and name not in OPEN
    ]
    assert not inside, (
        f"bnsieve.{module} imports {', '.join(inside)}: export what it needs in the room's __init__"
    )


def test_imports_make_no_circle() -> None:
    graphlib.TopologicalSorter({name: imports(name) for name in FILES}).prepare()


@pytest.mark.parametrize("module", FILES)
def test_modules_are_short(module: str) -> None:
    n_lines = len(FILES[module].read_text(encoding="utf-8").splitlines())
    assert n_lines <= MAX_LINES, f"bnsieve.{module} has {n_lines} lines: split it by what it does"


def class_lines() -> dict[str, int]:
    """Lines of each class and of all that it inherits from this package."""
    found = {
        node.name: node
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }

    def with_bases(name: str) -> set[str]:
        bases = {ast.unparse(base).split("[")[0].split(".")[-1] for base in found[name].bases}
        return {name}.union(*(with_bases(base) for base in bases & found.keys() - {name}))

    lines = {name: node.end_lineno - node.lineno + 1 for name, node in found.items()}
    return {name: sum(lines[one] for one in with_bases(name)) for name in found}


@pytest.mark.parametrize(("name", "n_lines"), class_lines().items())
def test_classes_are_short_with_what_they_inherit(name: str, n_lines: int) -> None:
    assert n_lines <= MAX_CLASS_LINES, (
        f"{name} has {n_lines} lines with its bases: let functions or small objects do the work"
    )


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


def test_no_two_files_of_tests_have_one_name() -> None:
    """Tests have no packages, so that pytest would take one file for the other."""
    folder = Path(__file__).parent
    names = Counter(path.name for path in folder.rglob("*.py") if path.name != "conftest.py")
    assert [name for name, n in names.items() if n > 1] == []
