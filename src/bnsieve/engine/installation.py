"""Facts about the machine and the installation, for bug reports.

In: nothing. Out: `facts()`, plain values for JSON, which the command line prints.
"""

import os
import platform
import re
from importlib import metadata
from typing import Any

from bnsieve import _native


def facts() -> dict[str, Any]:
    """Collect versions, processor and extras of this installation.

    Returns
    -------
    dict
        ``bnsieve``, ``python`` and ``platform``: versions, as text. ``processors``: the number in
        the machine; ``processors_usable``: the number that this process may use. ``instructions``:
        the instruction set ``in_use``, those ``available`` here, and the one ``forced`` by the
        environment variable BNSIEVE_SIMD, or None. ``dependencies``: version by package, None if it
        is not installed. ``extras``: by name, the ``packages`` with their versions, whether they
        are ``complete``, and the command to ``install`` them.
    """
    required, optional = _requirements()
    affinity = getattr(os, "sched_getaffinity", None)  # Linux only: respects taskset and CPU sets
    n_processors = os.cpu_count() or 1
    return {
        "bnsieve": metadata.version("bnsieve"),
        "python": f"{platform.python_version()} ({platform.python_implementation()})",
        "platform": platform.platform(),
        "processors": n_processors,
        "processors_usable": len(affinity(0)) if affinity else n_processors,
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


def _extra(extra: str, names: list[str]) -> dict[str, Any]:
    packages = {name: _version(name) for name in names}
    complete = None not in packages.values()
    return {"packages": packages, "complete": complete, "install": installation_hint(extra)}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
