"""Advice in the plan of a column, for readers of Python.

In: a plan whose sentences name options of the command line, such as ``--role zip=code``. Out: the
same plan, whose sentences name the parameters of `bnsieve.prepare`.
"""

import re
from dataclasses import replace

from bnsieve.table.prepare.plan import ColumnPlan
from bnsieve.table.prepare.preparation import Preparation
from bnsieve.table.prepare.roles import quoted

_WITH = "bnsieve.prepare with"
_MISSING_TEXT = re.compile(r"--na (?:'(?P<quoted>[^']*)'|(?P<plain>[^\s='\"]+))(?= makes it)")


def with_parameters(plan: Preparation) -> Preparation:
    """Return the plan with advice on parameters of `bnsieve.prepare` instead of options."""
    return replace(plan, columns=tuple(map(_of_column, plan.columns)))


def _of_column(column: ColumnPlan) -> ColumnPlan:
    return replace(
        column,
        why=_in_python(column.name, column.why),
        what=_in_python(column.name, column.what),
        warnings=tuple(_in_python(column.name, text) for text in column.warnings),
    )


def _in_python(name: str, text: str) -> str:
    """Replace the options that concern a column; its name may itself look like an option."""
    own = re.escape(quoted(name))

    def keep(_: re.Match[str]) -> str:
        return f"{_WITH} keep=[{name!r}]"

    def role(found: re.Match[str]) -> str:
        return f"{_WITH} roles={{{name!r}: {found[1]!r}}}"

    def code(found: re.Match[str]) -> str:
        return f"{_WITH} missing_texts={{{name!r}: [{found[1]!r}]}}"

    text = re.sub(rf"--keep {own}(?= uses it)", keep, text)
    text = re.sub(rf"--role {own}=([a-z-]+)", role, text)
    text = re.sub(rf"--na {own}=(\S+)", code, text)
    return _MISSING_TEXT.sub(_missing_text, text)


def _missing_text(found: re.Match[str]) -> str:
    return f"{_WITH} missing_texts=[{found['quoted'] or found['plain']!r}]"
