"""Write the table of licences in ``docs/stability.md``: every package that bnsieve can bring along.

    python tools/licences.py          # write the table
    python tools/licences.py --check  # fail if it is not what is installed

Needs the packages of all extras installed (the dependency group ``test`` has them). Versions are
not in the table: it should change when a licence does.
"""

import argparse
import re
import sys
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "stability.md"
START, END = "<!-- made by tools/licences.py -->\n", "<!-- end -->\n"

# Classifiers, and what older packages write by hand, as SPDX has it.
SPDX = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "PSF": "PSF-2.0",
}


def needed(lines: list[str], extras: frozenset[str]) -> list[Requirement]:
    """Return those of some requirements that hold here, with these extras."""
    found = []
    for requirement in map(Requirement, lines):
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": name}) for name in extras or {""}):
            found.append(requirement)
    return found


def closure(lines: list[str]) -> set[str]:
    """Return the names of all packages that come with these requirements."""
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = needed(lines, frozenset())
    while waiting:
        requirement = waiting.pop()
        key = (canonicalize_name(requirement.name), frozenset(requirement.extras))
        if key not in seen:
            seen.add(key)
            waiting += needed(distribution(key[0]).requires or [], key[1])
    return {name for name, _ in seen}


def licence(package: Distribution) -> str:
    """Return a package's licence as SPDX has it, from its metadata."""
    metadata = package.metadata
    if metadata.get("License-Expression"):
        return str(metadata["License-Expression"])
    prefix = "License :: OSI Approved :: "
    classifiers = [c.removeprefix(prefix) for c in metadata.get_all("Classifier", [])]
    named = [SPDX[c] for c in classifiers if c in SPDX]
    written = (metadata.get("License") or "").strip()
    if "\n" not in written and re.fullmatch(r"[\w.+-]+( (AND|OR|WITH) [\w.+-]+)*", written):
        return SPDX.get(written, written)
    if named:
        return " AND ".join(sorted(set(named)))
    if written in SPDX:
        return SPDX[written]
    raise ValueError(f"{metadata['Name']} does not say its licence: read it, and add it to SPDX")


def table() -> str:
    """Return the table, one line for each package, the plain installation first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"always": closure(project["dependencies"])}
    for extra, lines in sorted(project["optional-dependencies"].items()):
        groups[f"`{extra}`"] = closure(lines) - groups["always"]
    rows = {
        name: [group for group, members in groups.items() if name in members]
        for members in groups.values()
        for name in sorted(members)
    }
    lines = ["| package | comes with | licence |", "|---|---|---|"]
    for name, brought_by in rows.items():
        lines.append(f"| {name} | {', '.join(brought_by)} | {licence(distribution(name))} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write or check the table, as the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if it differs")
    check = parser.parse_args().check
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(START)
    old, after = rest.split(END)
    try:
        new = table()
    except PackageNotFoundError as error:
        sys.exit(f"{error.name} is not installed: install the dependency group test")
    if check and old != new:
        changed = sorted({*old.splitlines()} ^ {*new.splitlines()})
        print("docs/stability.md is out of date; run tools/licences.py:", *changed, sep="\n")
        return 1
    if not check:
        PAGE.write_text(f"{before}{START}{new}{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
