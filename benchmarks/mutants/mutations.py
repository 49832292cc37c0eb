"""Code in, its mutants out: cosmic-ray's operators, one mutant for each place."""

import ast
import difflib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

Place = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True)
class Mutation:
    """One change of a module: the so-manieth place where an operator can act."""

    operator: str
    occurrence: int


@cache
def by_place(code: str) -> dict[Place, list[Mutation]]:
    """Return what can be changed in some code, by the place of the change."""
    nodes = list(ast_nodes(get_ast(code)))
    found: dict[Place, list[Mutation]] = {}
    for name in operator_names():
        kind = get_operator(name)
        if kind.arguments():  # it asks for names of variables
            continue
        operator = kind()
        places = (place for node in nodes for place in operator.mutation_positions(node))
        for occurrence, place in enumerate(places):
            found.setdefault(place, []).append(Mutation(name, occurrence))
    return found


def one_per_place(code: str, chance: random.Random) -> Iterator[tuple[Place, Mutation]]:
    """Yield every place of some code with one of its changes, drawn by chance.

    An operator like ``+`` has ten changes, most of them errors of types that any test notices. A
    sample of all changes would say little but that.
    """
    for place, mutations in sorted(by_place(code).items()):
        yield place, chance.choice(mutations)


def mutated(code: str, mutation: Mutation) -> str | None:
    """Return the changed code; None where the change is none, or only one of types."""
    changed = mutate_code(code, get_operator(mutation.operator)(), mutation.occurrence)
    if changed is None:
        return None
    try:
        same = _without_types(changed) == _without_types(code)
    except SyntaxError:  # a star in front of arguments is no product
        return None
    return None if same else str(changed)


def described(code: str, changed: str) -> str:
    """Return the lines that differ, before and after, as one line."""
    lines = list(difflib.unified_diff(code.splitlines(), changed.splitlines(), n=0, lineterm=""))[
        2:
    ]
    before, after = (
        " ".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+"
    )
    return f"{before} -> {after}"


def _without_types(code: str) -> str:
    return ast.dump(_WithoutTypes().visit(ast.parse(code)))


class _WithoutTypes(ast.NodeTransformer):
    """Takes annotations out of code, protocols, and what only type checkers import."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST | None:
        names = [base.id for base in node.bases if isinstance(base, ast.Name)]
        return None if "Protocol" in names else self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | None:
        names = [one.id for one in ast.walk(node.test) if isinstance(one, ast.Name)]
        return None if names == ["TYPE_CHECKING"] else self.generic_visit(node)
