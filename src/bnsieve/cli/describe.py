"""``bnsieve describe`` and ``bnsieve doctor``: the columns of a table; the installation."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from bnsieve.cli.app import print_grid, print_json, print_lines, say
from bnsieve.cli.options import (
    AsJson,
    CutAt,
    Drop,
    HeaderRow,
    Jobs,
    Keep,
    MissingText,
    RoleOf,
    SheetName,
    Table,
    bin_edges_of,
    roles_of,
)
from bnsieve.cli.outputs import require_apart
from bnsieve.engine import facts, open_engine
from bnsieve.rows import Sampling, dependent_rows, near_repeats, open_data, without_repeats
from bnsieve.table.prepare import (
    ColumnOverrides,
    ColumnPlan,
    Preparation,
    changes_of,
    missing_texts_of,
    plan_columns,
)
from bnsieve.text import shortened

# Of rows that are too many for memory, so many are drawn to look for copies.
_N_SAMPLE = 10_000
# What a column may take of the screen.
_WIDE, _NARROW = 34, 24


EXAMPLES = {
    "describe": (
        "bnsieve describe data.csv",
        "bnsieve describe rows.parquet --json",
        "bnsieve describe data.csv --role zip=code --cut bmi=18.5,25,30 --save plan.json",
    ),
    "doctor": ("bnsieve doctor", "bnsieve doctor --json", "BNSIEVE_SIMD=baseline bnsieve doctor"),
}


def describe(
    data: Table,
    drop: Drop = None,
    keep: Keep = None,
    na: MissingText = None,
    role: RoleOf = None,
    cut: CutAt = None,
    sheet: SheetName = None,
    header_row: HeaderRow = None,
    save: Annotated[
        Path | None, typer.Option("--save", help="Write the preparation to a JSON file.")
    ] = None,
    jobs: Jobs = -1,
    as_json: AsJson = False,
) -> None:
    """Show the inferred role and the preparation of every column.

    Reads all rows, however many, and learns nothing. `bnsieve learn` prepares columns like this.
    """
    if save is not None:
        require_apart((save,), (data,), "--save")
    overrides = ColumnOverrides(
        roles_of(role),
        bin_edges_of(cut),
        missing_texts_of(na or ()),
        tuple(drop or ()),
        tuple(keep or ()),
    )
    with (
        open_data(data, na or (), sheet=sheet, header_row=header_row) as source,
        open_engine("local", jobs) as engine,
    ):
        plan = plan_columns(source.columns(engine), overrides)
        dependence = None
        if plan.outputs:
            prepared = source.counts(plan, Sampling(_N_SAMPLE), engine)
            prepared, repeats = without_repeats(prepared, source.paths)
            dependence = repeats or dependent_rows(source, plan) or near_repeats(prepared)
    if save is not None:
        plan.save(save)
    if as_json:
        columns = [one.facts() for one in plan.columns]
        found = None if dependence is None else asdict(dependence)
        print_json({"rows": plan.n_rows, "dependence": found, "columns": columns})
        return
    if dependence is not None:
        advice = dependence.advice(command_line=True)
        before = "" if dependence.kind == "repeated" else "with `bnsieve learn`, "
        say(f"warning: {dependence.problem}; {before}{advice}\n")
    say(f"{plan.n_rows:,} rows, {len(plan.columns):,} columns\n")
    headers = ["column", "role", "preparation", "examples", "categories", "missing"]
    lines = [_row(one, plan) for one in plan.columns]
    print_grid(headers, lines, numbers_from=4)
    told = [
        f"{change.column}: {change.why}"
        for change in changes_of(plan)
        if change.what in ("dropped", "odd", "note")
    ]
    if told:
        say("\n".join(["", *told]))


def _row(column: ColumnPlan, plan: Preparation) -> list[str]:
    if column.role == "dropped":
        return [shortened(column.name, _NARROW), "", "left out on request", "", "", ""]
    share = column.n_missing / max(1, plan.n_rows)
    return [
        shortened(column.name, _NARROW),
        column.role,
        shortened(column.what, _WIDE),
        shortened(", ".join(column.examples), _NARROW),
        f"{'' if column.exact else 'about '}{column.n_categories:,}",
        f"{column.n_missing:,} ({share:.1%})" if column.n_missing else "",
    ]


def doctor(as_json: AsJson = False) -> None:
    """Show versions, processor and extras, for a bug report.

    BNSIEVE_SIMD in the environment forces an instruction set. Results never depend on it.
    """
    installation = facts()
    if as_json:
        print_json(installation)
        return
    instructions = installation["instructions"]
    forced = "forced by BNSIEVE_SIMD" if instructions["forced"] else "chosen by processor"
    available = ", ".join(instructions["available"])
    usable, total = installation["processors_usable"], installation["processors"]
    rows = [
        ("bnsieve", installation["bnsieve"]),
        ("python", installation["python"]),
        ("platform", installation["platform"]),
        ("processors", f"{total}" + (f", {usable} usable" if usable != total else "")),
        ("instructions", f"{instructions['in_use']} ({forced}; available: {available})"),
    ]
    rows += [(name, version or "missing") for name, version in installation["dependencies"].items()]
    for name, extra in installation["extras"].items():
        packages = [f"{p} {version or 'missing'}" for p, version in extra["packages"].items()]
        cure = "" if extra["complete"] else f": {extra['install']}"
        rows.append((f"[{name}]", ", ".join(packages) + cure))
    print_lines(rows)
