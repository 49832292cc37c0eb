"""Units beside numbers in text: which unit a column is in, and how others convert to it.

In: the units that the cells of a column are written with, and how often. Out: a `UnitScale`, the
unit of the column and what each spelling is multiplied by. Units convert only where cells name both
and both are known to measure the same: mg/dl and mg/l, km and m. Others are never pooled.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

_PREFIXES = {
    "p": 1e-12,
    "n": 1e-9,
    "\u03bc": 1e-6,
    "m": 1e-3,
    "c": 1e-2,
    "d": 1e-1,
    "h": 1e2,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
}
# Units that take prefixes, by what they measure.
_BASES = {
    "g": "mass",
    "m": "length",
    "l": "volume",
    "mol": "amount",
    "s": "time",
    "A": "current",
    "V": "voltage",
    "W": "power",
    "Hz": "frequency",
    "Pa": "pressure",
    "bar": "bar",
    "J": "energy",
    "B": "bytes",
    "U": "activity",
    "IU": "international",
}
_OTHERS: dict[str, tuple[str, float]] = {
    "t": ("mass", 1e6),
    "lb": ("mass", 453.59237),
    "lbs": ("mass", 453.59237),
    "oz": ("mass", 28.349523125),
    "in": ("length", 0.0254),
    "ft": ("length", 0.3048),
    "mi": ("length", 1609.344),
    "sec": ("time", 1.0),
    "min": ("time", 60.0),
    "mins": ("time", 60.0),
    "h": ("time", 3600.0),
    "hr": ("time", 3600.0),
    "hrs": ("time", 3600.0),
    "d": ("time", 86400.0),
    "day": ("time", 86400.0),
    "days": ("time", 86400.0),
    "week": ("time", 604800.0),
    "weeks": ("time", 604800.0),
    "%": ("share", 1.0),
    "\u2030": ("share", 0.1),
    "m2": ("area", 1.0),
    "cm2": ("area", 1e-4),
    "km2": ("area", 1e6),
    "m3": ("cube", 1.0),
}
_ALONE = (
    *("\u00b0C", "\u00b0F", "K", "mmHg", "rpm", "bpm", "ppm", "ppb", "dB", "x", "pts", "px"),
    *("hour", "hours", "minute", "minutes", "second", "seconds", "month", "months", "mo", "year"),
    *("years", "yr", "yrs", "y", "cal", "kcal", "TPM", "FPKM", "bp", "kb", "Mb", "pH"),
)
# Signs and codes of currencies; one has several names.
_CURRENCIES = {
    **dict.fromkeys(("$", "USD", "US$"), "$"),
    **dict.fromkeys(("\u20ac", "EUR", "Euro", "euro"), "\u20ac"),
    **dict.fromkeys(("\u00a3", "GBP"), "\u00a3"),
    **dict.fromkeys(("\u00a5", "JPY", "CNY", "RMB"), "\u00a5"),
    **{
        code: code
        for code in (
            *("CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "CAD", "AUD", "NZD", "INR", "BRL"),
            *("ZAR", "MXN", "RUB", "TRY", "KRW", "SGD", "HKD", "Rs", "kr", "\u20b9", "\u20a9"),
        )
    },
}
PREFIX_UNITS = "|".join(re.escape(one) for one in sorted(_CURRENCIES, key=len, reverse=True))
"""What may stand before a number, as a pattern: currencies."""

# Beside a number without a blank between, an unknown word is part of a code.
_SIGN_START = re.compile(r"[%\u2030\u00b0/\u20ac$\u00a3\u00a5\u20b9]")
_MAX_LENGTH = 16
# Cells with a unit that converts to none of the others are odd if one in so many is.
_ONE_IN = 20


@dataclass(frozen=True)
class UnitScale:
    """The unit of a column.

    Attributes
    ----------
    unit : str
        As most cells write it; nothing if none has one.
    factors : dict of str to float
        For each unit that is read, what its numbers are multiplied by; "" is a cell without one.
    notes : tuple of str
        What the reader must know.
    mixed : tuple of str
        Units that cannot be pooled, each in many cells; nothing if there are none.
    """

    unit: str = ""
    factors: Mapping[str, float] | None = None
    notes: tuple[str, ...] = ()
    mixed: tuple[str, ...] = ()


def unit_named(before: str, after: str) -> str | None:
    """Return the unit that stands around a number, in one spelling; None if it is none.

    Parameters
    ----------
    before : str
        What stands before the number: a currency, or nothing.
    after : str
        What stands behind it, with the blanks between.
    """
    behind = after.strip()
    if before:
        money = _CURRENCIES[before]
        return money if not behind or _CURRENCIES.get(behind) == money else None
    if not behind:
        return ""
    if len(behind) > _MAX_LENGTH:
        return None
    name = _spelled(behind)
    if behind in _CURRENCIES:
        return _CURRENCIES[behind]
    is_apart = after[0].isspace()
    if _SIGN_START.match(behind):
        return name
    if _known(name) is not None or name in _ALONE:
        # 12A is a house, a seat or a flat.
        return name if is_apart or len(name) > 1 or name.islower() else None
    return name if is_apart and not re.search(r"\d", name) else None


@cache
def _spelled(unit: str) -> str:
    """Return one spelling of a unit: mg/L as mg/l, ug as its sign, m^2 as m2."""
    plain = unicodedata.normalize("NFKC", unit).replace("\u00b5", "\u03bc")
    plain = re.sub(r"\s*([/*\u00b7])\s*", r"\1", " ".join(plain.split())).replace("^", "")
    parts = plain.split("/")
    parts = [re.sub(r"^u(?=(?:g|l|L|m|mol|M|s)$)", "\u03bc", part) for part in parts]
    parts = [re.sub(r"^([pn\u03bcmcdh]?)L$", r"\1l", part) for part in parts]
    return "/".join(parts)


@cache
def _known(unit: str) -> tuple[str, float] | None:
    """Return what a unit measures, and its size; None if it is not known."""
    if "/" in unit:
        parts = [_known(part) for part in unit.split("/")]
        if len(parts) != 2 or parts[0] is None or parts[1] is None:
            return None
        return f"{parts[0][0]}/{parts[1][0]}", parts[0][1] / parts[1][1]
    if unit in _OTHERS:
        return _OTHERS[unit]
    if unit in _BASES:
        return _BASES[unit], 1.0
    for base, measure in _BASES.items():
        prefix = unit.removesuffix(base)
        if prefix != unit and prefix in _PREFIXES:
            return measure, _PREFIXES[prefix]
    return None


def factor_between(unit: str, wanted: str) -> float | None:
    """Return what numbers in one unit are multiplied by to be in another; None if nothing is."""
    if unit == wanted:
        return 1.0
    one, other = _known(unit), _known(wanted)
    if one is None or other is None or one[0] != other[0]:
        return None
    return float(f"{one[1] / other[1]:.12g}")


def choose_unit(cells: Mapping[str, int], bare_are_fractions: bool = False) -> UnitScale:
    """Choose the unit of a column.

    Parameters
    ----------
    cells : mapping of str to int
        How many cells have each unit; "" is none.
    bare_are_fractions : bool
        Whether cells without a sign, beside cells in percent, are shares from 0 to 1.
    """
    units = {unit: n for unit, n in cells.items() if unit}
    total = sum(cells.values())
    if _ONE_IN * sum(units.values()) < max(total, 1):
        return UnitScale("", {})  # a unit in very few cells is theirs, not that of the column
    main = max(units, key=lambda unit: (units[unit], unit))
    factors = {unit: factor_between(unit, main) for unit in units}
    alien = {unit: n for unit, n in units.items() if factors[unit] is None}
    if _ONE_IN * sum(alien.values()) > total:
        named = sorted(alien, key=lambda unit: -alien[unit])
        return UnitScale(main, {}, (), (main, *named))
    kept = {unit: factor for unit, factor in factors.items() if factor is not None}
    notes = [
        f"cells in {unit} are converted to {main}, times {factor:g}"
        for unit, factor in kept.items()
        if unit != main
    ]
    kept[""] = 1.0
    n_bare = cells.get("", 0)
    if n_bare and main == "%" and bare_are_fractions:
        kept[""] = 100.0
        notes.append(f"{_share(n_bare, total)} of the cells have no %: they are read as fractions")
    elif n_bare:
        notes.append(f"{_share(n_bare, total)} of the cells have no unit: they are read as {main}")
    return UnitScale(main, kept, tuple(notes))


def _share(n: int, total: int) -> str:
    return f"{n / total:.1%}" if n * 100 < total * 10 else f"{n / total:.0%}"


def listed_units(units: Iterable[str]) -> str:
    """Return units in words."""
    *others, last = units
    return f"{', '.join(others)} and {last}" if others else last
