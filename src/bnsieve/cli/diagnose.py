"""``bnsieve doctor``: the facts of the installation, for bug reports."""

import typer

from bnsieve.cli.app import AsJson, examples, print_json, say
from bnsieve.engine import Facts, facts


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    app.command(
        epilog=examples(
            "bnsieve doctor", "bnsieve doctor --json", "BNSIEVE_SIMD=baseline bnsieve doctor"
        )
    )(doctor)


def doctor(as_json: AsJson = False) -> None:
    """Show versions, processor and extras: paste it into a bug report.

    BNSIEVE_SIMD in the environment forces an instruction set. Results never depend on it.
    """
    found = facts()
    if as_json:
        print_json(found)
    else:
        say("\n".join(_lines(found)))


def _lines(found: Facts) -> list[str]:
    instructions = found["instructions"]
    forced = "forced by BNSIEVE_SIMD" if instructions["forced"] else "chosen by processor"
    available = ", ".join(instructions["available"])
    usable, total = found["processors_usable"], found["processors"]
    rows = [
        ("bnsieve", found["bnsieve"]),
        ("python", found["python"]),
        ("platform", found["platform"]),
        ("processors", f"{total}" + (f", {usable} usable" if usable != total else "")),
        ("instructions", f"{instructions['in_use']} ({forced}; available: {available})"),
    ]
    rows += [(name, version or "missing") for name, version in found["dependencies"].items()]
    for name, extra in found["extras"].items():
        packages = [f"{p} {version or 'missing'}" for p, version in extra["packages"].items()]
        cure = "" if extra["complete"] else f": {extra['install']}"
        rows.append((f"[{name}]", ", ".join(packages) + cure))
    width = max(len(label) for label, _ in rows)
    return [f"{label:<{width}}  {value}" for label, value in rows]
