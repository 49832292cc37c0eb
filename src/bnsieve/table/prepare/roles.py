"""Infer the role of a column from the facts about all its cells, and name its dubious cells.

In: `ColumnFacts`, and the role that the user says, if any. Out: an `InferredRole` with its reason;
and odd cells, those of a column of numbers or dates that are neither. Rows are read again only
where there may be odd cells.
"""

import re
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from bnsieve.table import EXACT
from bnsieve.table.prepare.facts import ColumnFacts, Columns, IsOdd
from bnsieve.table.prepare.parsing import (
    FoundForm,
    are_infinite,
    choose_form,
    choose_style,
    epochs_in,
    find_unit,
    limits,
    read_dates,
    read_epochs,
    read_numbered_days,
    read_numbers,
)
from bnsieve.table.prepare.plan import AS_ASKED, OddCell, Role
from bnsieve.table.prepare.reading import numbered_times
from bnsieve.table.prepare.readings import DateForm, Numbers
from bnsieve.table.prepare.units import UnitScale, listed_units
from bnsieve.text import listed

ROLE_OVERRIDES = (*get_args(Role), "blank", "spelling", "date-dmy", "date-mdy")
"""What a user may say that a column is: a role; or "blank", which leaves the role and makes a
category of missing values; or "spelling", which leaves the role and makes one category of those
that differ only in case, spaces or accents; or a date with its order of day and month."""

# Below this many, categories are few whatever the number of rows.
_FEW_CATEGORIES = 20
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
# A column whose name says that it is an identifier is one if it has more categories than these. Not
# by the rows that each has: a longer file of the same kind must have the same roles.
_CATEGORIES_OF_IDENTIFIER = 1000
_IDENTIFIER_NAME = re.compile(r"(?:^|[_\s.-])(?:id|ID|Id|uuid|guid|key|nr|no)$|[a-z](?:Id|ID|Key)$")
_CODE_NAME = re.compile(
    r"(?:^|[_\s.-])(?:zip|zipcode|postcode|postalcode|plz|sku|icd\d*|code)$|[a-z]Code$", re.I
)
# Odd cells that are listed.
_SHOWN = 5


@dataclass(frozen=True)
class InferredRole:
    """The role of a column.

    Attributes
    ----------
    role : Role
    why : str
    use : {"categories", "numbers", "dates", "nothing"}
        What its cells are read as; nothing: it is left out.
    numbers : Numbers
        How numbers are written, and in which unit.
    form : DateForm
        How dates are.
    blank : bool
        Whether missing values are a category.
    folded : bool
        Whether spellings of a category are one.
    warnings : tuple of str
    """

    role: Role
    why: str
    use: Literal["categories", "numbers", "dates", "nothing"] = "nothing"
    numbers: Numbers = field(default_factory=Numbers)
    form: DateForm = "typed"
    blank: bool = False
    folded: bool = False
    warnings: tuple[str, ...] = ()


def infer_role(
    name: str, facts: ColumnFacts, override: str | None, few: int, keep: bool = False
) -> InferredRole:
    """Infer the role of a column.

    Parameters
    ----------
    name : str
    facts : ColumnFacts
    override : str or None
        One of `ROLE_OVERRIDES`.
    few : int
        Whole numbers of no more different values are categories.
    keep : bool
        Whether it is used even if it looks like an identifier.
    """
    if facts.kind == "empty":
        return InferredRole("empty", "all cells are empty")
    if override is not None and override not in ("blank", "spelling"):
        return _as_asked(name, facts, override)
    inferred = _inferred(name, facts, few, keep or override == "blank")
    return replace(inferred, blank=override == "blank", folded=override == "spelling")


def require_known(given: Collection[str], known: Sequence[str], noun: str) -> None:
    """Refuse a name that is not among those known, and name the nearest one."""
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            some = f"there are {listed(map(repr, known), 10)}"
            meant = f"did you mean {near[0]!r}?" if near else some
            raise ValueError(f"there is no {noun} {name!r}: {meant}")


def names_identifier(name: str) -> bool:
    """Tell whether the name of a column says that it holds identifiers, such as ``member_id``."""
    return _IDENTIFIER_NAME.search(name) is not None


def _as_asked(name: str, facts: ColumnFacts, override: str) -> InferredRole:
    if override in ("category", "code"):
        if facts.kind == "other":
            raise ValueError(f"{name!r} cannot be a {override}: its cells are {facts.type_name}")
        return InferredRole("code" if override == "code" else "category", AS_ASKED, "categories")
    if override == "quantity":
        if facts.kind == "number":
            return InferredRole("quantity", AS_ASKED, "numbers")
        numbers = _numbers_in(facts) if facts.kind == "text" else None
        if numbers is None or not numbers.n_cells:
            raise ValueError(f"{name!r} cannot be a quantity: {_example(facts)} is no number")
        if numbers.scale.mixed:
            raise ValueError(
                f"{name!r} cannot be a quantity: its numbers are in "
                f"{listed_units(numbers.scale.mixed)}, which do not convert"
            )
        return InferredRole(
            "quantity", AS_ASKED, "numbers", numbers.reading, warnings=numbers.scale.notes
        )
    if override.startswith("date"):
        found = _dates_in(facts)
        if not found.n_cells:
            raise ValueError(f"{name!r} cannot be a date: {_example(facts)} has no known format")
        form = found.form
        if override != "date" and form in ("dmy", "mdy"):
            form = "dmy" if override == "date-dmy" else "mdy"
        return InferredRole("date", AS_ASKED, "dates", form=form)
    return InferredRole(override, AS_ASKED)  # type: ignore[arg-type]


def _inferred(name: str, facts: ColumnFacts, few: int, keep: bool) -> InferredRole:
    if facts.kind == "other":
        return InferredRole("text", f"its cells are {facts.type_name}, which are no categories")
    if facts.kind == "time":
        return InferredRole("date", "it holds dates", "dates")
    if facts.distinct.n_categories == 1:
        return InferredRole("constant", f"it is always {_example(facts)}", "categories")
    if facts.kind == "boolean":
        return InferredRole("category", "it is true or false", "categories")
    if facts.kind == "number":
        return _of_numbers(name, facts, few, keep)
    if facts.kind == "text":
        inferred = _as_dates(name, facts)
        if inferred is None and facts.distinct.n_categories > few:
            inferred = _as_numbers(name, facts)
        if inferred is not None:
            return inferred
    return _of_categories(name, facts, keep)


def _of_numbers(name: str, facts: ColumnFacts, few: int, keep: bool) -> InferredRole:
    values = facts.distinct.values.astype(np.float64)
    finite = values[np.isfinite(values)]
    whole = bool((finite == np.floor(finite)).all())
    n_categories = facts.distinct.n_categories
    exact = not len(finite) or bool(np.abs(finite).max() < EXACT)
    # Floats beyond have no digits behind the point, whatever they are; few are categories.
    is_float = facts.distinct.values.dtype.kind == "f"
    whole = whole and (exact or n_categories <= few or not is_float)
    if whole and n_categories <= few:
        why = f"{n_categories} different whole numbers"
        return InferredRole("category", why, "numbers" if exact else "categories")
    # Integers that floats cannot tell apart are no quantity.
    if not exact and len(np.unique(values)) < len(values):
        return _of_categories(name, facts, keep)
    is_identifier = _IDENTIFIER_NAME.search(name) is not None
    if whole and not keep:
        if len(finite) >= _SURELY_DATES and not np.isnat(read_numbered_days(finite)).any():
            why = f"numbers such as {finite[0]:.0f} are dates"
            return InferredRole("date", why, "dates", form="compact")
        form = epochs_in(finite) if len(finite) >= _SURELY_DATES and not is_identifier else None
        if form is not None:
            first = read_epochs(finite[:1], form)[0]
            why = f"numbers such as {finite[0]:.0f} are {form} since 1970 ({str(first)[:10]})"
            return InferredRole("date", why, "dates", form=form)
        if _all_different(facts) and (
            is_identifier
            or facts.n_known**2 >= 2 * _SURELY_EQUAL * (float(finite.max() - finite.min()) + 1)
            or np.abs(finite).min() >= _LONG_NUMBER
        ):
            return _unused(
                name, "identifier", f"a different value in each of {facts.n_known:,} rows"
            )
        if is_identifier and n_categories > _CATEGORIES_OF_IDENTIFIER:
            return _unused(name, "identifier", _scattered(facts))
    if whole and (_CODE_NAME.search(name) or is_identifier):
        return InferredRole("code", f"whole numbers that {name!r} calls a code", "categories")
    return InferredRole("quantity", f"{_about(facts)} different numbers", "numbers")


def _unused(name: str, role: Role, why: str) -> InferredRole:
    return InferredRole(role, f"{why} (--keep {quoted(name)} uses it)")


def _all_different(facts: ColumnFacts) -> bool:
    many = facts.distinct.n_categories > _FEW_CATEGORIES
    return many and bool((facts.distinct.counts == 1).all())


def _scattered(facts: ColumnFacts) -> str:
    return f"its name, and {_about(facts)} different cells in {facts.n_known:,} rows"


def _as_dates(name: str, facts: ColumnFacts) -> InferredRole | None:
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
        first, other = ("month", "dmy") if found.form == "mdy" else ("day", "mdy")
        warnings = (
            f"{found.example!r} is read with the {first} first, and no cell shows which it is: "
            f"--role {quoted(name)}=date-{other} reads it the other way",
        )
    elif found.doubt == "century":
        warnings = (f"years of two digits, as in {found.example!r}, are those from 1969 to 2068",)
    why = f"text such as {str(values[~odd][np.argmax(facts.distinct.counts[~odd])])!r}"
    return InferredRole("date", why, "dates", form=found.form, warnings=warnings)


def _dates_in(facts: ColumnFacts) -> FoundForm:
    if facts.kind == "time":
        return FoundForm("typed", facts.n_known)
    if facts.kind == "number":
        numbers = facts.distinct.values.astype(np.float64)
        form = epochs_in(numbers[np.isfinite(numbers)])
        if form is not None:
            return FoundForm(form, facts.n_known)
        read = read_numbered_days(numbers)
        return FoundForm("compact", int(facts.distinct.counts[~np.isnat(read)].sum()))
    if facts.kind != "text":
        return FoundForm("ymd", 0)
    return choose_form(facts.distinct.values, facts.distinct.counts)


class _FoundNumbers(NamedTuple):
    """How the numbers of a column of text are written.

    Attributes
    ----------
    n_cells : int
        Cells that are numbers.
    reading : Numbers
    scale : UnitScale
    doubt : str
        A cell that may be another number.
    """

    n_cells: int
    reading: Numbers
    scale: UnitScale
    doubt: str


def _numbers_in(facts: ColumnFacts) -> _FoundNumbers:
    values, counts = facts.distinct.values, facts.distinct.counts
    style, n_cells, doubt = choose_style(values, counts)
    scale = find_unit(values, counts, style) if n_cells else UnitScale()
    factors = dict(scale.factors) if scale.factors else None
    return _FoundNumbers(n_cells, Numbers(style, scale.unit, factors), scale, doubt)


def _as_numbers(name: str, facts: ColumnFacts) -> InferredRole | None:
    n_cells, reading, scale, doubt = _numbers_in(facts)
    if not n_cells or _CODE_NAME.search(name) or _IDENTIFIER_NAME.search(name):
        return None
    if scale.mixed and _ONE_IN * (int(facts.distinct.counts.sum()) - n_cells) <= n_cells:
        units = listed_units(scale.mixed)
        return InferredRole("text", f"numbers in {units}, which do not convert")
    read = read_numbers(facts.distinct.values, reading.style, reading.factors)
    known = read[~np.isnan(read)]
    # Whole numbers beside frequent words may be the names of something.
    if not _few_odd(facts, np.isnan(read), frequent=bool((known != np.floor(known)).any())):
        return None
    why = f"{_about(facts)} different numbers in text"
    if scale.unit:
        why += f", in {scale.unit}"
    doubts = scale.notes
    if doubt and reading.style == "plain":
        doubts += (f"{doubt!r} is read with a decimal point, not as thousands",)
    elif doubt and reading.style == "thousands-comma":
        doubts += (f"{doubt!r} is read with a point between thousands, not as a fraction",)
    elif doubt:
        doubts += (f"{doubt!r} is read with a comma between thousands, not as a fraction",)
    return InferredRole("quantity", why, "numbers", reading, warnings=doubts)


def _few_odd(facts: ColumnFacts, odd: NDArray[np.bool_], frequent: bool) -> bool:
    """Tell whether odd cells are few enough; if they may be frequent, a few words may be."""
    counts = facts.distinct.counts
    n_odd, total = int(counts[odd].sum()), int(counts.sum())
    few_words = frequent and int(odd.sum()) <= _FEW_WORDS and 2 * n_odd <= total
    return _ONE_IN * n_odd <= total or few_words


def _of_categories(name: str, facts: ColumnFacts, keep: bool) -> InferredRole:
    n_categories, n_known = facts.distinct.n_categories, facts.n_known
    texts = [str(value) for value in facts.distinct.values[:1000]]
    size = f"{_about(facts)} categories in {n_known:,} rows"
    if not keep:
        words = float(np.mean([len(text.split()) for text in texts]))
        role: Role = "text" if words >= _WORDS_OF_TEXT else "identifier"
        if _all_different(facts):
            return _unused(name, role, f"a different value in each of {n_known:,} rows")
        if n_categories > max(_FEW_CATEGORIES, n_known // 2):
            return _unused(name, role, size)
        if role == "text" and n_categories > max(_FEW_CATEGORIES, n_known // 10):
            why = f"{_about(facts)} different texts of {words:.0f} words on average"
            return InferredRole("text", why)
        if _IDENTIFIER_NAME.search(name) and n_categories > _CATEGORIES_OF_IDENTIFIER:
            return _unused(name, "identifier", _scattered(facts))
    are_codes = [any(map(str.isdigit, one)) and not any(map(str.isspace, one)) for one in texts]
    is_code = n_categories > _FEW_CATEGORIES and np.mean(are_codes) > 0.9
    why = f"{_about(facts)} categories"
    return InferredRole("code" if is_code else "category", why, "categories")


def _example(facts: ColumnFacts) -> str:
    return repr(shown(facts.most_frequent(1)[0][0])) if len(facts.distinct.values) else "a cell"


def shown(value: Any) -> str:
    """Return a cell as text, a whole number without a point."""
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    text = str(value).replace("T", " ") if isinstance(value, np.datetime64) else str(value)
    return text.removesuffix(" 00:00:00")


def _about(facts: ColumnFacts) -> str:
    return f"{'about ' if facts.distinct.more else ''}{facts.n_categories:,}"


def quoted(text: str) -> str:
    """Return text as a shell takes it."""
    return text if text.replace("_", "").isalnum() else shlex.quote(text)


class OddCells(NamedTuple):
    """The odd cells of a column.

    Attributes
    ----------
    cells : tuple of OddCell
        Some of them.
    n_cells, n_missing : int
        How many there are, and how many of them are read as missing.
    """

    cells: tuple[OddCell, ...] = ()
    n_cells: int = 0
    n_missing: int = 0


def find_odd(
    columns: Columns, name: str, facts: ColumnFacts, role: InferredRole, missing: Collection[str]
) -> OddCells:
    """Return the odd cells of a column.

    Each is read as missing, or, as ``<1``, as a limit.

    Parameters
    ----------
    columns : Columns
    name : str
    facts : ColumnFacts
    role : InferredRole
    missing : collection of str
        Texts that mean a missing value.
    """
    tests: dict[tuple[str, str], IsOdd] = {
        ("numbers", "number"): lambda values: ~np.isfinite(values.astype(np.float64)),
        ("numbers", "text"): lambda values: (
            np.isnan(read_numbers(values, role.numbers.style, role.numbers.factors))
            | (np.array(limits(values, role.numbers.style), dtype=object) != "")
        ),
        ("dates", "time"): are_infinite,
        ("dates", "number"): lambda values: np.isnat(numbered_times(values, role.form)),
        ("dates", "text"): lambda values: np.isnat(read_dates(values, role.form)),
    }
    is_odd = tests.get((role.use, facts.kind))
    told_apart = facts.kind in ("number", "time") or not facts.distinct.more
    if is_odd is None or (told_apart and not is_odd(facts.distinct.values).any()):
        return OddCells()
    found = columns.odd(name, is_odd, missing)
    values = sorted(found, key=lambda value: found[value])
    words = [""] * len(values)
    if role.use == "numbers" and facts.kind == "text":
        words = limits(np.array(values, dtype=object), role.numbers.style)
    cells = tuple(
        OddCell(found[value][0], value, found[value][1], word or "missing")
        for value, word in zip(values, words, strict=True)
    )
    n_missing = sum(one.n_cells for one in cells if one.read_as == "missing")
    return OddCells(cells[:_SHOWN], sum(one.n_cells for one in cells), n_missing)
