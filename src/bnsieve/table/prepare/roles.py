"""Infer the role of a column from the facts about all its cells, with the reason.

In: `ColumnFacts`, and the role that the user says, if any. Out: `Taken`. No rows are looked at.
"""

import re
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bnsieve.table import EXACT
from bnsieve.table.prepare.facts import ColumnFacts
from bnsieve.table.prepare.parsing import (
    FoundForm,
    choose_form,
    choose_style,
    read_dates,
    read_numbered_days,
    read_numbers,
)
from bnsieve.table.prepare.plan import AS_ASKED, Role
from bnsieve.table.prepare.readings import DateForm, NumberStyle
from bnsieve.text import listed

Wish = Literal["blank", "date-dmy", "date-mdy"]
WISHES = (*get_args(Role), *get_args(Wish))
"""What a user may say that a column is: a role; or "blank", which leaves the role and makes a
category of missing cells; or a date with its order of day and month."""

# Below this many, categories are few whatever the number of rows.
FEW_LABELS = 20
# Of a column of numbers or dates, other cells are odd if no more than one in so many is.
_ONE_IN = 20
# ... or if they are only so many different ones, and less than half of the cells.
_FEW_WORDS = 3
# Digits that are dates by chance: not in so many different numbers.
_SURELY_DATES = 10
# Numbers that happen to be all different: not if so many were expected to be equal.
_SURELY_EQUAL = 10
_LONG_NUMBER = 10_000_000
# Free text has so many words to a cell.
_WORDS_OF_TEXT = 4
# A column whose name says that it is an identifier is one if it has more categories than these.
_LABELS_OF_IDENTIFIER = 1000
_IDENTIFIER_NAME = re.compile(r"(?:^|[_\s.-])(?:id|ID|Id|uuid|guid|key|nr|no)$|[a-z](?:Id|ID|Key)$")
_CODE_NAME = re.compile(
    r"(?:^|[_\s.-])(?:zip|zipcode|postcode|postalcode|plz|sku|icd\d*|code)$|[a-z]Code$", re.I
)


@dataclass(frozen=True)
class Taken:
    """What a column is taken for.

    Attributes
    ----------
    role : Role
    why : str
    use : {"labels", "numbers", "dates", "nothing"}
        What its cells are read as; nothing: it is left out.
    style : NumberStyle
        How numbers are written.
    form : DateForm
        How dates are.
    blank : bool
        Whether missing cells are a category.
    warnings : tuple of str
    """

    role: Role
    why: str
    use: Literal["labels", "numbers", "dates", "nothing"]
    style: NumberStyle = "plain"
    form: DateForm = "typed"
    blank: bool = False
    warnings: tuple[str, ...] = ()


def take(name: str, facts: ColumnFacts, wish: str | None, few: int, keep: bool = False) -> Taken:
    """Decide what a column is.

    Parameters
    ----------
    name : str
    facts : ColumnFacts
    wish : str or None
        One of `WISHES`.
    few : int
        Whole numbers of no more different values are categories.
    keep : bool
        Whether it is used even if it looks like an identifier.
    """
    if facts.kind == "empty":
        return Taken("empty", "all cells are empty", "nothing")
    if wish == "blank":
        return replace(_by_itself(name, facts, few, keep=True), blank=True)
    if wish is not None:
        return _as_wished(name, facts, wish)
    return _by_itself(name, facts, few, keep)


def require_known(given: Collection[str], known: Sequence[str], noun: str) -> None:
    """Refuse a name that is not among those known, and say which one is nearest."""
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            meant = (
                f"did you mean {near[0]!r}?"
                if near
                else f"there are {listed(map(repr, known), 10)}"
            )
            raise ValueError(f"there is no {noun} {name!r}: {meant}")


def _as_wished(name: str, facts: ColumnFacts, wish: str) -> Taken:
    said = AS_ASKED
    if wish in ("category", "code"):
        role: Role = "code" if wish == "code" else "category"
        if facts.kind == "other":
            raise ValueError(f"{name!r} cannot be a {wish}: its cells are {facts.type_name}")
        return Taken(role, said, "labels")
    if wish == "quantity":
        if facts.kind == "number":
            return Taken("quantity", said, "numbers")
        style, n_read, _ = choose_style(facts.distinct.values, facts.distinct.counts)
        if facts.kind != "text" or not n_read:
            raise ValueError(f"{name!r} cannot be a quantity: {_example(facts)} is no number")
        return Taken("quantity", said, "numbers", style)
    if wish.startswith("date"):
        found = _dates_in(facts)
        form: DateForm = found.form
        if wish in ("date-dmy", "date-mdy") and form in ("dmy", "mdy"):
            form = "dmy" if wish == "date-dmy" else "mdy"
        if not found.n_cells:
            raise ValueError(f"{name!r} cannot be a date: {_example(facts)} is none that is known")
        return Taken("date", said, "dates", form=form)
    left_out: Role = wish  # type: ignore[assignment]
    return Taken(left_out, said, "nothing")


def _by_itself(name: str, facts: ColumnFacts, few: int, keep: bool) -> Taken:
    if facts.kind == "other":
        why = f"its cells are of type {facts.type_name}, which are no labels"
        return Taken("text", why, "nothing")
    if facts.kind == "time":
        return Taken("date", "it holds dates", "dates")
    if facts.distinct.n_categories == 1:
        return Taken("constant", f"it is always {_example(facts)}", "labels")
    if facts.kind == "boolean":
        return Taken("category", "it is true or false", "labels")
    if facts.kind == "number":
        return _numbers(name, facts, few, keep)
    if facts.kind == "text":
        dates = _as_dates(name, facts)
        if dates is not None:
            return dates
        if facts.distinct.n_categories > few:
            numbers = _as_numbers(name, facts)
            if numbers is not None:
                return numbers
    return _labels(name, facts, keep)


def _numbers(name: str, facts: ColumnFacts, few: int, keep: bool) -> Taken:
    values = facts.distinct.values.astype(np.float64)
    finite = values[np.isfinite(values)]
    whole = bool((finite == np.floor(finite)).all())
    n_categories = facts.distinct.n_categories
    exact = not len(finite) or bool(np.abs(finite).max() < EXACT)
    if whole and n_categories <= few:
        said = f"{n_categories} different whole numbers"
        return Taken("category", said, "numbers" if exact else "labels")
    # Integers that floats cannot tell apart are no quantity to cut.
    if not exact and len(np.unique(values)) < len(values):
        return _labels(name, facts, keep)
    if whole and not keep:
        if _are_dates(finite):
            example = f"numbers such as {finite[0]:.0f} are dates"
            return Taken("date", example, "dates", form="compact")
        why = _why_identifier(name, facts, finite)
        if why:
            return Taken("identifier", why, "nothing")
    if whole and (_CODE_NAME.search(name) or _IDENTIFIER_NAME.search(name)):
        return Taken("code", f"whole numbers that {name!r} calls a code", "labels")
    return Taken("quantity", f"{_about(facts)} different numbers", "numbers")


def _are_dates(values: NDArray[np.float64]) -> bool:
    if len(values) < _SURELY_DATES:
        return False
    return not np.isnat(read_numbered_days(values)).any()


def _why_identifier(name: str, facts: ColumnFacts, values: NDArray[np.float64]) -> str:
    """Say why whole numbers are no quantity, or nothing."""
    called = _IDENTIFIER_NAME.search(name) is not None
    if _all_different(facts):
        span = float(values.max() - values.min()) + 1
        equal = facts.n_known**2 / (2 * span)
        if equal >= _SURELY_EQUAL or called or np.abs(values).min() >= _LONG_NUMBER:
            return (
                f"another value in each of {facts.n_known:,} rows (--keep {quoted(name)} uses it)"
            )
    if called and _is_scattered(facts):
        return _scattered(name, facts)
    return ""


def _all_different(facts: ColumnFacts) -> bool:
    return facts.distinct.n_categories > FEW_LABELS and bool((facts.distinct.counts == 1).all())


def _is_scattered(facts: ColumnFacts) -> bool:
    # Not by the rows that each category has: a longer file of the same kind must be taken alike.
    return facts.distinct.n_categories > _LABELS_OF_IDENTIFIER


def _scattered(name: str, facts: ColumnFacts) -> str:
    return (
        f"its name, and {_about(facts)} different cells in {facts.n_known:,} rows "
        f"(--keep {quoted(name)} uses it)"
    )


def _as_dates(name: str, facts: ColumnFacts) -> Taken | None:
    found = _dates_in(facts)
    if not found.n_cells:
        return None
    values = facts.distinct.values
    odd = np.isnat(read_dates(values, found.form))
    if not _few_odd(facts, odd, frequent=True):
        return None
    if found.form == "compact" and int((~odd).sum()) < _SURELY_DATES:
        return None
    warnings: tuple[str, ...] = ()
    if found.doubt == "order":
        other = "dmy" if found.form == "mdy" else "mdy"
        first = "month" if found.form == "mdy" else "day"
        warnings = (
            f"{found.example!r} is read with the {first} first, and no cell shows which it is: "
            f"--role {quoted(name)}=date-{other} reads it the other way",
        )
    elif found.doubt == "century":
        warnings = (f"years of two digits, as in {found.example!r}, are those from 1969 to 2068",)
    first_read = str(values[~odd][np.argmax(facts.distinct.counts[~odd])])
    return Taken(
        "date", f"text such as {first_read!r}", "dates", form=found.form, warnings=warnings
    )


def _dates_in(facts: ColumnFacts) -> FoundForm:
    if facts.kind == "time":
        return FoundForm("typed", facts.n_known)
    if facts.kind == "number":
        read = read_numbered_days(facts.distinct.values.astype(np.float64))
        return FoundForm("compact", int(facts.distinct.counts[~np.isnat(read)].sum()))
    if facts.kind != "text":
        return FoundForm("ymd", 0)
    return choose_form(facts.distinct.values, facts.distinct.counts)


def _as_numbers(name: str, facts: ColumnFacts) -> Taken | None:
    texts, counts = facts.distinct.values, facts.distinct.counts
    style, n_read, doubt = choose_style(texts, counts)
    if not n_read or _CODE_NAME.search(name) or _IDENTIFIER_NAME.search(name):
        return None
    read = read_numbers(texts, style)
    known = read[~np.isnan(read)]
    # Whole numbers beside frequent words may be the names of something.
    if not _few_odd(facts, np.isnan(read), frequent=bool((known != np.floor(known)).any())):
        return None
    warnings: tuple[str, ...] = ()
    if doubt:
        warnings = (f"{doubt!r} is read with a comma between thousands, not as a fraction",)
    return Taken(
        "quantity",
        f"{_about(facts)} different numbers in text",
        "numbers",
        style,
        warnings=warnings,
    )


def _few_odd(facts: ColumnFacts, odd: NDArray[np.bool_], frequent: bool) -> bool:
    """Tell whether odd cells are few enough; if they may be frequent, a few words may be."""
    counts = facts.distinct.counts
    n_odd, total = int(counts[odd].sum()), int(counts.sum())
    if _ONE_IN * n_odd <= total:
        return True
    return frequent and int(odd.sum()) <= _FEW_WORDS and 2 * n_odd <= total


def _labels(name: str, facts: ColumnFacts, keep: bool) -> Taken:
    n_categories, n_known = facts.distinct.n_categories, facts.n_known
    texts = [str(one) for one in facts.distinct.values[:1000]]
    plain: Role = "category"
    if n_categories > FEW_LABELS and np.mean([_is_code(text) for text in texts]) > 0.9:
        plain = "code"
    if not keep:
        words = float(np.mean([len(text.split()) for text in texts]))
        unused: Role = "text" if words >= _WORDS_OF_TEXT else "identifier"
        if _all_different(facts):
            why = f"another value in each of {n_known:,} rows (--keep {quoted(name)} uses it)"
            return Taken(unused, why, "nothing")
        if n_categories > max(FEW_LABELS, n_known // 2):
            why = f"{_about(facts)} categories in {n_known:,} rows (--keep {quoted(name)} uses it)"
            return Taken(unused, why, "nothing")
        if unused == "text" and n_categories > max(FEW_LABELS, n_known // 10):
            why = f"{_about(facts)} different texts of {words:.0f} words on average"
            return Taken("text", why, "nothing")
        if _IDENTIFIER_NAME.search(name) and _is_scattered(facts):
            return Taken("identifier", _scattered(name, facts), "nothing")
    if facts.distinct.more:
        why = f"{_about(facts)} categories in {n_known:,} rows: group them"
        return Taken("identifier", why, "nothing")
    return Taken(plain, f"{n_categories:,} labels", "labels")


def _is_code(text: str) -> bool:
    return any(map(str.isdigit, text)) and not any(map(str.isspace, text))


def _example(facts: ColumnFacts) -> str:
    return repr(shown(facts.most_frequent(1)[0][0])) if len(facts.distinct.values) else "a cell"


def shown(value: Any) -> str:
    """Return a cell as text, a whole number without a point."""
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return str(value).removesuffix(" 00:00:00")


def _about(facts: ColumnFacts) -> str:
    about = "about " if facts.distinct.more else ""
    return f"{about}{facts.distinct.n_categories:,}"


def quoted(text: str) -> str:
    """Return text as a shell takes it."""
    return text if text.replace("_", "").isalnum() else shlex.quote(text)
