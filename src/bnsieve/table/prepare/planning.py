"""From the columns of a table to a `Preparation`.

Facts of all rows give the role of each column. Some rows, drawn where there are many, decide the
bins of numbers, the groups of categories, and the parts of dates.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from bnsieve.table import Discretizer, bin_labels
from bnsieve.table.prepare.drafts import (
    Draft,
    bin_drafts,
    draft_outputs,
    far_dates,
    fold_spellings,
    group_drafts,
)
from bnsieve.table.prepare.facts import ColumnFacts, Columns
from bnsieve.table.prepare.grouping import MAX_UNGROUPED
from bnsieve.table.prepare.near_copies import NearCopy, find_near_copies, with_copies
from bnsieve.table.prepare.plan import AS_ASKED, ColumnPlan, OddCell, Output
from bnsieve.table.prepare.preparation import Preparation
from bnsieve.table.prepare.readings import DatePart, Elapsed, Labels
from bnsieve.table.prepare.roles import (
    ROLE_OVERRIDES,
    InferredRole,
    OddCells,
    find_odd,
    infer_role,
    quoted,
    require_known,
    shown,
)
from bnsieve.table.prepare.suspects import (
    are_codes,
    evident_codes,
    evident_folds,
    find_placeholders,
    find_thousands,
    find_variants,
    folds_of,
)
from bnsieve.text import listed

# The rows that decide bins do not depend on a learner's seed: the same data is prepared alike.
PREPARATION_SEED = 0
BLANK = "(blank)"
_EXAMPLES = 3
# Missing in fewer rows, it may be forgetfulness.
_FREQUENT = 0.05
# Chance of so much association with missing values, over all columns that are compared.
_CHANCE = 1e-6
# Least Cramer's V: less is certain in many rows, but of no use.
_STRENGTH = 0.1
# Rows and columns in which it is sought: enough to see what is of use. More of both for columns of
# ticks, one category or missing, which are rarer and lost if nothing is found.
_ROWS_AND_COLUMNS = 5_000, 50
_ROWS_AND_COLUMNS_OF_TICKS = 20_000, 200
_COLUMNS_WITH_MISSING = 200


@dataclass(frozen=True)
class ColumnOverrides:
    """What a user says about the columns.

    Attributes
    ----------
    roles : mapping of str to str
        The role of a column; see `bnsieve.table.prepare.roles.ROLE_OVERRIDES`.
    bin_edges : mapping of str to sequence of float
        Where a numeric column is to be binned.
    missing_texts : tuple of str
        Texts that mean a missing value.
    drop, keep : tuple of str
        Columns to leave out, and columns that are no identifiers.
    constants : bool
        Whether columns of one category are kept.
    discretizer : Discretizer
        How numbers are binned; not fitted.
    """

    roles: Mapping[str, str] = field(default_factory=dict)
    bin_edges: Mapping[str, Sequence[float]] = field(default_factory=dict)
    missing_texts: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    constants: bool = False
    discretizer: Discretizer = field(default_factory=Discretizer)

    def resolved(self, names: Sequence[str]) -> "ColumnOverrides":
        """Return the same with every column named by itself: "a,b" are two of them.

        Raises
        ------
        ValueError
            If there is no such column or role, or bin edges do not ascend.
        """

        def split(given: Iterable[str]) -> Iterator[str]:
            for name in given:
                parts = map(str.strip, name.split(","))
                yield from [name] if name in names else filter(None, parts)

        roles = {name: role for some, role in self.roles.items() for name in split([some])}
        bin_edges = {name: own for some, own in self.bin_edges.items() for name in split([some])}
        drop, keep = tuple(split(self.drop)), tuple(split(self.keep))
        require_known([*drop, *keep, *roles, *bin_edges], names, "column")
        require_known(list(roles.values()), ROLE_OVERRIDES, "role")
        for name, edges in bin_edges.items():
            if not len(edges) or not (np.diff(np.asarray(edges, dtype=np.float64)) > 0).all():
                raise ValueError(f"the bin edges of {name!r} must ascend; got {edges!r}")
        return replace(self, roles=roles, bin_edges=bin_edges, drop=drop, keep=keep)

    def role_of(self, name: str, facts: ColumnFacts) -> InferredRole:
        """Return the role of a column."""
        override = "quantity" if name in self.bin_edges else self.roles.get(name)
        few = self.discretizer.max_categories
        role = infer_role(name, facts, override, few, name in self.keep)
        if role.role == "constant" and not facts.n_missing and not self.constants:
            return replace(role, use="nothing")
        return role


def plan_columns(columns: Columns, overrides: ColumnOverrides) -> Preparation:
    """Decide how each column is prepared."""
    overrides = overrides.resolved(columns.names)
    missing = overrides.missing_texts
    names = [name for name in columns.names if name not in overrides.drop]
    facts = columns.facts(names, missing)
    if len(facts) < len(names):
        lost = next(name for name in names if name not in facts)
        raise ValueError(f"column {lost!r} cannot be read: the file may be damaged")
    roles = {name: overrides.role_of(name, facts[name]) for name in names}
    said = {*overrides.roles, *overrides.keep, *overrides.bin_edges}
    coded = _coded_columns(columns, facts, roles, said, missing)
    for name, own in coded.items():
        missing = (*missing, f"{name}={','.join(map(shown, own.codes))}")
        facts[name] = own.facts
        roles[name] = own.told(overrides.role_of(name, own.facts))
    odd = {name: find_odd(columns, name, facts[name], roles[name], missing) for name in names}
    odd |= {name: own.with_odd(odd[name]) for name, own in coded.items()}
    used = {name: role for name, role in roles.items() if role.use != "nothing"}
    folds = {
        name: folds_of(facts[name]) if role.folded else evident_folds(facts[name])
        for name, role in used.items()
        if role.folded or _may_fold(name, facts[name], role, overrides)
    }
    folds = {name: own for name, own in folds.items() if own}
    informative: dict[str, str] = {}
    copies: dict[str, NearCopy] = {}
    if folds or any(_needs_rows(facts[name], role) for name, role in used.items()):
        cells = columns.sample(list(used), missing)
        few = overrides.discretizer.max_categories
        drafts = draft_outputs(used, cells, overrides.bin_edges, few)
        drafts = fold_spellings(drafts, folds, cells)
        for name, told in far_dates(used, cells).items():
            roles[name] = replace(roles[name], warnings=(*roles[name].warnings, told))
        drafts, left_out = group_drafts(drafts, facts, cells, {*overrides.roles, *overrides.keep})
        roles |= {name: InferredRole("identifier", why) for name, why in left_out.items()}
        copies = find_near_copies(drafts, said)
        drafts = [draft for draft in drafts if draft.output.name not in copies]
        drafts = bin_drafts(drafts, overrides.discretizer)
        informative = _informative_missing(drafts, facts)
    else:
        drafts = [Draft(name, Output(name, Labels(facts[name].as_text))) for name in used]
    plans = tuple(
        with_copies(
            _plan(
                name, facts[name], roles[name], odd[name], drafts, informative.get(name), overrides
            ),
            copies,
        )
        if name in facts
        else ColumnPlan(name, "dropped", AS_ASKED, "left out", 0, 0, 0)
        for name in columns.names
    )
    return Preparation(plans, columns.n_rows, missing)


@dataclass(frozen=True, eq=False)
class _CodedColumn:
    """A column with numbers that evidently stand for a missing value.

    Attributes
    ----------
    name : str
    codes : list of float
    facts : ColumnFacts
        Those of the other cells.
    cells : tuple of OddCell
        The first cell of each spelling of a code.
    """

    name: str
    codes: list[float]
    facts: ColumnFacts
    cells: tuple[OddCell, ...]

    def told(self, role: InferredRole) -> InferredRole:
        """Return the role of the other cells, with a warning."""
        codes = listed([shown(code) for code in self.codes], _EXAMPLES)
        are = "is" if len(self.codes) == 1 else "are"
        told = (
            f"{codes} {are} far from all other numbers, and read as missing: "
            f"--role {quoted(self.name)}=quantity uses the numbers as they are"
        )
        return replace(role, warnings=(*role.warnings, told))

    def with_odd(self, odd: OddCells) -> OddCells:
        """Return the odd cells with the codes, which come first; `facts` has these as missing."""
        n_cells = odd.n_cells + sum(one.n_cells for one in self.cells)
        return odd._replace(cells=(*self.cells, *odd.cells), n_cells=n_cells)


def _coded_columns(
    columns: Columns,
    facts: Mapping[str, ColumnFacts],
    roles: Mapping[str, InferredRole],
    said: Collection[str],
    missing: Collection[str],
) -> dict[str, _CodedColumn]:
    """Return the columns with evident codes of missing values about which the user said nothing."""
    found = {}
    for name, role in roles.items():
        if role.use != "numbers" or role.blank or name in said:
            continue
        reading = role.numbers
        codes = evident_codes(facts[name], reading)
        if codes:
            cells = columns.odd(name, partial(are_codes, reading=reading, codes=codes), missing)
            odd = tuple(OddCell(row, value, n, "missing") for value, (row, n) in cells.items())
            left = facts[name].without(are_codes(facts[name].distinct.values, reading, codes))
            found[name] = _CodedColumn(name, codes, left, odd)
    return found


def _may_fold(
    name: str, facts: ColumnFacts, role: InferredRole, overrides: ColumnOverrides
) -> bool:
    """Tell whether spellings of a category may be made one without being asked to."""
    is_text = facts.kind == "text" and role.use == "categories"
    few = facts.distinct.n_categories <= MAX_UNGROUPED
    return is_text and few and name not in overrides.roles


def _needs_rows(facts: ColumnFacts, role: InferredRole) -> bool:
    """Tell whether facts do not suffice to plan a column."""
    if role.use != "categories" or facts.distinct.n_categories > MAX_UNGROUPED:
        return True
    return bool(facts.n_missing) and facts.n_missing >= _FREQUENT * facts.n_rows


def _informative_missing(
    drafts: Sequence[Draft], facts: Mapping[str, ColumnFacts]
) -> dict[str, str]:
    """Return for columns of categories with missing values the column that these depend on."""
    candidates = [
        draft
        for draft in drafts
        if isinstance(draft.output.reading, Labels)
        and facts[draft.column].n_missing >= _FREQUENT * facts[draft.column].n_rows
    ]
    candidates.sort(key=lambda draft: -facts[draft.column].n_missing)
    found: dict[str, str] = {}
    if not candidates:
        return found
    ticks = {draft.column for draft in drafts if facts[draft.column].distinct.n_categories == 1}
    # Of ticks it counts where they are, also for other ticks.
    codes = {
        draft.output.name: (draft.codes >= 0).astype(np.int64)
        if draft.column in ticks
        else draft.codes
        for draft in drafts
    }
    for draft in candidates[:_COLUMNS_WITH_MISSING]:
        is_tick = draft.column in ticks
        n_rows, n_columns = _ROWS_AND_COLUMNS_OF_TICKS if is_tick else _ROWS_AND_COLUMNS
        others = [name for name in list(codes)[:n_columns] if name != draft.output.name]
        some = {name: codes[name][:n_rows] for name in others}
        column = associated_with_missing(draft.codes[:n_rows] < 0, some, is_tick)
        if column is not None:
            found[draft.column] = column
    return found


def associated_with_missing(
    missing: NDArray[np.bool_], others: Mapping[str, NDArray[np.int64]], is_tick: bool = False
) -> str | None:
    """Return the column that is most associated with missing values; None if none is.

    Parameters
    ----------
    missing : ndarray of bool, shape (n_rows,)
    others : mapping of str to ndarray of int64
        The other columns as codes, -1 where missing.
    is_tick : bool
        Whether the column is one category or missing. Then anything that is no chance is enough: a
        tick that is rare can tell no more, and all that the column tells is where it is missing.
    """
    strengths = {
        name: _cramers_v(missing[codes >= 0], codes[codes >= 0], len(others))
        for name, codes in others.items()
    }
    best = max(strengths, key=lambda name: strengths[name], default="")
    least = 0.0 if is_tick else _STRENGTH
    return best if best in strengths and 0 < strengths[best] >= least else None


def _cramers_v(missing: NDArray[np.bool_], codes: NDArray[np.int64], n_tests: int) -> float:
    """Return Cramer's V of a yes or no and a column; zero if chance explains it."""
    if missing.all() or not missing.any():
        return 0.0
    n_codes = int(codes.max()) + 1
    table = np.bincount(codes * 2 + missing, minlength=2 * n_codes).reshape(n_codes, 2)
    table = table[table.sum(axis=1) > 0].astype(np.float64)
    if len(table) < 2:
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / len(codes)
    statistic = float(((table - expected) ** 2 / expected).sum())
    by_chance = chi2.sf(statistic, len(table) - 1) * n_tests > _CHANCE
    return 0.0 if by_chance else float(np.sqrt(statistic / len(codes)))


def _plan(
    name: str,
    facts: ColumnFacts,
    inferred: InferredRole,
    odd: OddCells,
    drafts: Sequence[Draft],
    informs: str | None,
    overrides: ColumnOverrides,
) -> ColumnPlan:
    own = [draft for draft in drafts if draft.column == name]
    outputs = tuple(draft.output for draft in own)
    warnings = list(inferred.warnings)
    role, why, what, blank = inferred.role, inferred.why, "left out", inferred.blank
    if role == "constant":
        if informs is not None:
            role, blank = "category", True
            why = f"it is {shown(facts.distinct.values[0])!r} or blank, depending on {informs}"
        elif not overrides.constants:
            outputs = ()
    elif informs is not None and not blank:
        warnings.append(
            f"blank in {facts.n_missing / facts.n_rows:.0%} of the rows, depending on "
            f"{informs}: --role {quoted(name)}=blank makes a category of it"
        )
    if blank:
        outputs = tuple(replace(output, blank=BLANK) for output in outputs)
    if outputs:
        what = own[0].rule or _what(outputs)
        warnings += find_placeholders(name, facts, outputs[0])
        warnings += find_variants(name, facts, outputs[0])
        if inferred.use == "numbers":
            warnings += find_thousands(facts)
    elif inferred.use == "numbers":
        why = _why_no_bins(facts)
    elif inferred.use == "dates":
        since = [
            draft.output.name
            for draft in drafts
            if isinstance(draft.output.reading, Elapsed) and draft.output.reading.since == name
        ]
        what = f"turned into {', '.join(since)}" if since else what
        why += "" if since else "; no part of it varies"
    return ColumnPlan(
        name,
        role,
        why,
        what,
        facts.n_known - odd.n_missing,
        facts.n_missing + odd.n_missing,
        facts.n_categories,
        not facts.distinct.more,
        tuple(shown(value) for value, _ in facts.most_frequent(_EXAMPLES)),
        odd.cells,
        odd.n_cells,
        tuple(warnings),
        outputs,
    )


def _why_no_bins(facts: ColumnFacts) -> str:
    """Return the reason that numbers have no bin edges: nearly all are equal."""
    values, counts = facts.distinct.values, facts.distinct.counts
    if facts.kind == "number":
        is_finite = np.isfinite(values.astype(np.float64))
        values, counts = values[is_finite], counts[is_finite]
    usual, n_cells = int(np.argmax(counts)), int(counts.sum())
    number = shown(values[usual])
    if len(values) == 1:
        return f"all its finite numbers are {number}"
    n_others = n_cells - int(counts[usual])
    return f"it is {number} in all but {n_others:,} of {n_cells:,} cells: too few differ to bin"


def _what(outputs: tuple[Output, ...]) -> str:
    first = outputs[0]
    blank = ", missing values as a category" if first.blank is not None else ""
    if isinstance(first.reading, DatePart | Elapsed):
        return "turned into " + ", ".join(output.name for output in outputs)
    if first.bin_edges is not None:
        return "bins: " + ", ".join(bin_labels(np.array(first.bin_edges))) + blank
    unchanged = "it is" if isinstance(first.reading, Labels) else "whole numbers"
    return f"used as {unchanged}{blank}"
