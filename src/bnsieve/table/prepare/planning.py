"""From the columns of a table to a `Preparation`.

Facts of all rows say what each column is. Some rows, drawn where there are many, say where to cut
numbers, which categories to group, and which parts of dates vary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bnsieve.table import Discretizer, bin_labels
from bnsieve.table.prepare.blanks import FREQUENT, told_by_blanks
from bnsieve.table.prepare.categories import FEW_LABELS
from bnsieve.table.prepare.drafts import Draft, cut_drafts, draft_outputs, group_drafts
from bnsieve.table.prepare.facts import ColumnFacts
from bnsieve.table.prepare.frame_columns import Columns
from bnsieve.table.prepare.odd import find_odd
from bnsieve.table.prepare.placeholders import perhaps_missing
from bnsieve.table.prepare.plan import AS_ASKED, ColumnPlan, OddCell, Output
from bnsieve.table.prepare.preparation import Preparation
from bnsieve.table.prepare.readings import Elapsed, Labels
from bnsieve.table.prepare.roles import WISHES, Taken, quoted, require_known, shown, take

# Which rows cuts are found in does not depend on a learner's seed: the same data is prepared in the
# same way.
PREPARATION_SEED = 0
BLANK = "(blank)"
_SHOWN = 3
# Rows and columns in which it is sought what blanks tell: enough to see what is of use.
_ROWS_FOR_BLANKS = 5_000
_COLUMNS_FOR_BLANKS = 50
# The same for columns of ticks, one category or blank, which are rarer and lost if nothing is
# found.
_ROWS_FOR_TICKS = 20_000
_COLUMNS_FOR_TICKS = 200
_BLANK_COLUMNS = 200


@dataclass(frozen=True)
class Wishes:
    """What a user says about the columns.

    Attributes
    ----------
    roles : mapping of str to str
        What a column is to be taken for; see `bnsieve.table.prepare.roles.WISHES`.
    cut : mapping of str to sequence of float
        Where a column of numbers is to be cut.
    missing_texts : tuple of str
        Texts that stand for a missing cell.
    drop, keep : tuple of str
        Columns to leave out, and columns not to take for identifiers.
    constants : bool
        Whether columns of one category are kept.
    discretizer : Discretizer
        How numbers are cut; not fitted.
    """

    roles: Mapping[str, str] = field(default_factory=dict)
    cut: Mapping[str, Sequence[float]] = field(default_factory=dict)
    missing_texts: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    constants: bool = False
    discretizer: Discretizer = field(default_factory=Discretizer)

    def resolved(self, names: Sequence[str]) -> "Wishes":
        """Return the same with every column named by itself: "a,b" are two of them."""
        return replace(
            self,
            roles={own: role for name, role in self.roles.items() for own in _split(name, names)},
            cut={own: cuts for name, cuts in self.cut.items() for own in _split(name, names)},
            drop=tuple(own for name in self.drop for own in _split(name, names)),
            keep=tuple(own for name in self.keep for own in _split(name, names)),
        )

    def check(self, names: Sequence[str]) -> None:
        """Refuse columns and roles that there are not, and cuts that do not ascend."""
        for given in (self.drop, self.keep, self.roles, self.cut):
            require_known(list(given), names, "column")
        require_known(list(self.roles.values()), WISHES, "role")
        for name, cuts in self.cut.items():
            if not len(cuts) or not (np.diff(np.asarray(cuts, dtype=np.float64)) > 0).all():
                raise ValueError(f"the cuts of {name!r} must be numbers that ascend; got {cuts!r}")

    def of(self, name: str, facts: ColumnFacts) -> Taken:
        """Return what a column is taken for."""
        wish = "quantity" if name in self.cut else self.roles.get(name)
        taken = take(name, facts, wish, self.discretizer.max_categories, name in self.keep)
        if taken.role == "constant" and not facts.n_missing and not self.constants:
            return replace(taken, use="nothing")
        return taken


def plan_columns(columns: Columns, wishes: Wishes) -> Preparation:
    """Decide what is done to each column."""
    wishes = wishes.resolved(columns.names)
    wishes.check(columns.names)
    looked_at = [name for name in columns.names if name not in wishes.drop]
    facts = columns.facts(looked_at, wishes.missing_texts)
    taken = {name: wishes.of(name, facts[name]) for name in looked_at}
    odd = {
        name: find_odd(columns, name, facts[name], one, wishes.missing_texts)
        for name, one in taken.items()
    }
    used = {name: one for name, one in taken.items() if one.use != "nothing"}
    blanks: dict[str, str] = {}
    if any(_needs_rows(facts[name], one) for name, one in used.items()):
        cells = columns.sample(list(used), wishes.missing_texts)
        drafts = draft_outputs(used, cells, wishes.cut, wishes.discretizer.max_categories)
        drafts, left_out = group_drafts(drafts, facts, cells, {*wishes.roles, *wishes.keep})
        for name, why in left_out.items():
            taken[name] = Taken("identifier", why, "nothing")
        drafts = cut_drafts(drafts, wishes.discretizer)
        blanks = _blanks(drafts, facts)
    else:
        drafts = [Draft(name, Output(name, Labels(facts[name].as_text))) for name in used]
    plans = tuple(
        _plan(name, facts[name], taken[name], odd[name], drafts, blanks.get(name), wishes)
        if name in taken
        else ColumnPlan(name, "dropped", AS_ASKED, "left out", 0, 0, 0)
        for name in columns.names
    )
    return Preparation(plans, columns.n_rows, wishes.missing_texts)


def _split(name: str, names: Sequence[str]) -> list[str]:
    return [name] if name in names else [part.strip() for part in name.split(",") if part.strip()]


def _needs_rows(facts: ColumnFacts, taken: Taken) -> bool:
    """Tell whether facts are not enough to say what is done to a column."""
    if taken.use != "labels" or facts.distinct.n_categories > FEW_LABELS:
        return True
    return bool(facts.n_missing) and facts.n_missing >= FREQUENT * facts.n_rows


def _blanks(drafts: Sequence[Draft], facts: Mapping[str, ColumnFacts]) -> dict[str, str]:
    """Return for columns of categories that are often blank what their blanks tell about."""
    candidates = [
        draft
        for draft in drafts
        if isinstance(draft.output.reading, Labels)
        and facts[draft.column].n_missing >= FREQUENT * facts[draft.column].n_rows
    ]
    if not candidates:
        return {}
    candidates.sort(key=lambda draft: -facts[draft.column].n_missing)
    ticks = {draft.column for draft in drafts if facts[draft.column].distinct.n_categories == 1}
    # Of ticks it counts where they are, also for other ticks.
    codes = {
        draft.output.name: (draft.codes >= 0).astype(np.int64)
        if draft.column in ticks
        else draft.codes
        for draft in drafts
    }
    found = {}
    for draft in candidates[:_BLANK_COLUMNS]:
        ticked = draft.column in ticks
        rows = slice(_ROWS_FOR_TICKS if ticked else _ROWS_FOR_BLANKS)
        others = list(codes)[: _COLUMNS_FOR_TICKS if ticked else _COLUMNS_FOR_BLANKS]
        told = told_by_blanks(
            draft.codes[rows] < 0,
            {name: codes[name][rows] for name in others if name != draft.output.name},
            ticked,
        )
        if told is not None:
            found[draft.column] = told
    return found


def _plan(
    name: str,
    facts: ColumnFacts,
    taken: Taken,
    odd: tuple[tuple[OddCell, ...], int],
    drafts: Sequence[Draft],
    told: str | None,
    wishes: Wishes,
) -> ColumnPlan:
    outputs = tuple(draft.output for draft in drafts if draft.column == name)
    warnings = list(taken.warnings)
    role, why, what = taken.role, taken.why, "left out"
    share = facts.n_missing / max(1, facts.n_rows)
    if role == "constant":
        if told is not None:
            role, taken = "category", replace(taken, blank=True)
            why = f"it is {shown(facts.distinct.values[0])!r} or blank, which tells about {told}"
        elif not wishes.constants:
            outputs = ()
    elif told is not None and not taken.blank:
        warnings.append(
            f"blank in {share:.0%} of the rows, which tells about {told}: "
            f"--role {quoted(name)}=blank makes a category of it"
        )
    if taken.blank:
        outputs = tuple(replace(output, blank=BLANK) for output in outputs)
    if outputs:
        rule = next((draft.rule for draft in drafts if draft.column == name), "")
        what = rule or _what(outputs)
        warnings += perhaps_missing(facts, outputs[0])
    elif taken.use == "numbers":
        why = "no cut of its numbers says anything about other columns"
    elif taken.use == "dates":
        since = [draft.output.name for draft in drafts if _is_since(draft.output, name)]
        what = f"turned into {', '.join(since)}" if since else what
        why += "" if since else "; no part of it varies"
    return ColumnPlan(
        name,
        role,
        why,
        what,
        facts.n_known,
        facts.n_missing,
        facts.distinct.n_categories,
        not facts.distinct.more,
        tuple(shown(value) for value, _ in facts.most_frequent(_SHOWN)),
        *odd,
        tuple(warnings),
        outputs,
    )


def _what(outputs: tuple[Output, ...]) -> str:
    first = outputs[0]
    blank = ", blank cells as a label" if first.blank is not None else ""
    if first.cuts is not None and len(outputs) == 1 and not hasattr(first.reading, "form"):
        return "cut: " + ", ".join(_labels(first.cuts)) + blank
    if isinstance(first.reading, Labels):
        return "used as it is" + blank
    if hasattr(first.reading, "form"):
        return "turned into " + ", ".join(output.name for output in outputs)
    return "used as whole numbers" + blank


def _is_since(output: Output, name: str) -> bool:
    return isinstance(output.reading, Elapsed) and output.reading.since == name


def _labels(cuts: tuple[float, ...]) -> tuple[str, ...]:
    array: NDArray[np.float64] = np.array(cuts, dtype=np.float64)
    return bin_labels(array)
