"""Facts about the machine and the installation, for bug reports.

Nothing comes in; out goes `facts()`, plain values that JSON can hold. The command line prints them.
"""

import os
import platform
import re
from importlib import metadata
from typing import TypedDict

from bnsieve import _native


class Instructions(TypedDict):
    """The instruction set that the compiled kernels run with."""

    in_use: str
    available: list[str]
    forced: str | None


class Extra(TypedDict):
    """One optional part of the installation; a package that is not there has no version."""

    packages: dict[str, str | None]
    complete: bool
    install: str


class Facts(TypedDict):
    """The answer of `facts`."""

    bnsieve: str
    python: str
    platform: str
    processors: int
    processors_usable: int
    instructions: Instructions
    dependencies: dict[str, str | None]
    extras: dict[str, Extra]


def facts() -> Facts:
    """Collect versions, processor and extras of this installation.

    Returns
    -------
    dict
        ``bnsieve``, ``python`` and ``platform``: versions, as text. ``processors``: how many the
        machine has; ``processors_usable``: how many this process may use. ``instructions``: the
        instruction set ``in_use``, those ``available`` here, and the one ``forced`` by the
        environment variable BNSIEVE_SIMD, or None. ``dependencies``: version by package, None if
        it is not installed. ``extras``: by name, the ``packages`` with their versions, whether
        they are ``complete``, and the command to ``install`` them.
    """
    required, optional = _requirements()
    return {
        "bnsieve": metadata.version("bnsieve"),
        "python": f"{platform.python_version()} ({platform.python_implementation()})",
        "platform": platform.platform(),
        "processors": os.cpu_count() or 1,
        "processors_usable": _usable_processors(),
        "instructions": {
            "in_use": _native.simd_level(),
            "available": _native.simd_levels(),
            "forced": os.environ.get("BNSIEVE_SIMD") or None,
        },
        "dependencies": {name: _version(name) for name in required},
        "extras": {extra: _extra(extra, names) for extra, names in optional.items()},
    }


def installation_hint(extra: str) -> str:
    """Return the command that installs one of the extras."""
    return f"pip install 'bnsieve[{extra}]'"


def _requirements() -> tuple[list[str], dict[str, list[str]]]:
    """Read from our own metadata the packages we need, and those of each extra."""
    required: list[str] = []
    optional: dict[str, list[str]] = {}
    for requirement in metadata.requires("bnsieve") or []:
        package, _, marker = requirement.partition(";")
        name = re.split(r"[^\w.-]", package.strip(), maxsplit=1)[0]
        extra = re.search(r"""extra\s*==\s*['"]([\w.-]+)['"]""", marker)
        names = optional.setdefault(extra[1], []) if extra else required
        names.append(name)
    return required, optional


def _extra(extra: str, names: list[str]) -> Extra:
    packages = {name: _version(name) for name in names}
    complete = None not in packages.values()
    return {"packages": packages, "complete": complete, "install": installation_hint(extra)}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _usable_processors() -> int:
    if hasattr(os, "sched_getaffinity"):  # Linux only: respects taskset and containers' CPU sets
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
