"""The code of a section of a page, run in the environment of other programs by `estimators`.

python estimators_worker.py PAGE HEADING

All blocks after the heading count. ``python`` and ``py`` blocks run, and print what the ``text``
block after them shows; ``pycon`` blocks are sessions. A table whose names are awkward goes through
DoWhy as well.
"""

import contextlib
import doctest
import io
import logging
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bnsieve as bn

FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NAMES = [
    "two words", " padded ", 'say "no"', "{brace}", "a,b", "a;b", "a|b", "a:b", "[0, 1)", "<b>",
    "back\\slash", "été", "😀", "0", "first\nsecond", "U", "lambda", "x1 + x2", "%s", "$x$",
]  # fmt: skip
_TOLERANCE = 0.03


def section_faults(page: Path, heading: str) -> list[str]:
    """Run the blocks after a heading of the page; return what differs from what they show."""
    names: dict[str, Any] = {"__name__": "__main__"}
    faults: list[str] = []
    _, found, section = page.read_text(encoding="utf-8").partition(f"\n{heading}\n")
    if not found:
        return [f"{page} has no heading {heading!r}"]
    blocks = FENCE.findall(section)
    for (language, code), after in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if language == "pycon":
            test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), 0)
            doctest.DocTestRunner(optionflags=OPTIONS).run(
                test, out=faults.append, clear_globs=False
            )
            names.update(test.globs)
        elif language in ("python", "py"):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(code, str(page), "exec"), names)
            shown = after[1] if language == "py" and after[0] == "text" else ""
            if not doctest.OutputChecker().check_output(shown, printed.getvalue(), OPTIONS):
                faults.append(f"the page shows\n{shown}but this was printed\n{printed.getvalue()}")
    return faults


def name_faults() -> list[str]:
    """Give the treatment, the outcome and the common cause awkward names, in turn."""
    from dowhy import CausalModel

    rng = np.random.default_rng(0)
    cause = rng.integers(0, 3, 4_000)
    treated = rng.random(4_000) < 0.2 + 0.2 * cause
    outcome = rng.random(4_000) < 0.2 + 0.3 * treated + 0.15 * cause
    faults = []
    for i in range(len(NAMES)):
        w, t, y = (NAMES[(i + k) % len(NAMES)] for k in range(3))
        frame = pd.DataFrame({w: cause, t: treated, y: outcome}).astype(str)
        known = bn.Knowledge(tiers=[[w], [t], [y]])
        learner = bn.TsetlinSieve(knowledge=known, random_state=0).fit(frame)
        model = CausalModel(**learner.to_dowhy(t, y))
        estimand = model.identify_effect(proceed_when_unidentifiable=True)
        estimate = model.estimate_effect(estimand, method_name="backdoor.linear_regression")
        if estimand.get_backdoor_variables() != [w] or abs(estimate.value - 0.3) > _TOLERANCE:
            faults.append(f"{t!r} on {y!r} given {w!r}: {estimate.value}")
    return faults


def main() -> int:
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    failed = False
    page, heading = sys.argv[1:]
    checks = (("the page", section_faults(Path(page), heading)), ("names", name_faults()))
    for what, faults in checks:
        print(f"  {'UNEXPECTED' if faults else 'ok':10}  {what}", flush=True)
        print("\n".join(faults), end="\n" if faults else "")
        failed |= bool(faults)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
