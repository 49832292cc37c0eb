"""Mutation testing: small faults put into the code, and how many of them the tests notice.

``python -m benchmarks mutants --size 40`` draws mutants of each group of modules, one per place in
the code, tries the tests of the group on each and writes ``runs.csv`` and ``report.md``. The same
seed draws the same mutants, and a larger size only adds to them. ``--again`` tries once more those
that the tests did not notice, after new tests. ``explained.csv`` says why a survivor harms nothing.
Run it from the root of a clone; not on Windows.
"""

import compileall
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import monotonic

from benchmarks.common.environments import copy_bnsieve
from benchmarks.common.options import parser_of
from benchmarks.common.runs import perform_left, read_runs, run_of
from benchmarks.mutants.groups import GENERAL, GROUPS, PACKAGE, modules_of
from benchmarks.mutants.mutations import Mutation, by_place, described, mutated, one_per_place
from benchmarks.mutants.noticing import Noticed
from benchmarks.mutants.report import AGAIN, left_of, write_report
from benchmarks.mutants.trial import try_tests

SIZE, QUICK_SIZE, QUICK_GROUP = 40, 2, "independence"


@dataclass(frozen=True)
class Job:
    """One mutant: which change of which module; ``change`` holds the lines before and after."""

    label: str
    group: str
    module: str
    line: int
    operator: str
    occurrence: int
    change: str


def drawn(label: str, group: str, size: int, seed: int) -> list[Job]:
    """Return mutants of a group, drawn by chance; of a larger size the first are the same."""
    chance = random.Random(f"{seed} {group}")
    found = []
    for module in modules_of(group):
        code = (PACKAGE / module).read_text(encoding="utf-8")
        found += [(module, code, *one) for one in one_per_place(code, chance)]
    chance.shuffle(found)
    jobs: list[Job] = []
    for module, code, place, mutation in found:
        if len(jobs) == size:
            break
        changed = mutated(code, mutation)
        if changed is not None:
            about = (mutation.operator, mutation.occurrence, described(code, changed))
            jobs.append(Job(label, group, str(module), place[0][0], *about))
    return jobs


def survivors(path: Path, groups: Sequence[str]) -> Iterator[Job]:
    """Yield what survives so far, to be tried again; where the code moved, the same change of it.

    A change of code that is no longer there is left out.
    """
    runs = left_of(read_runs(path))
    for run in runs[runs["group"].isin(groups)].to_dict("records"):
        code = (PACKAGE / run["module"]).read_text(encoding="utf-8")
        near = sorted(
            (abs(place[0][0] - run["line"]), place[0][0], one.occurrence)
            for place, mutations in by_place(code).items()
            for one in mutations
            if one.operator == run["operator"]
        )
        for _, line, occurrence in near:
            changed = mutated(code, Mutation(run["operator"], occurrence))
            if changed is not None and described(code, changed) == run["change"]:
                about = (line, run["operator"], occurrence, run["change"])
                yield Job(AGAIN, run["group"], run["module"], *about)
                break


def forget_survivors(path: Path) -> None:
    """Take what survived ``--again`` out of the file, so that it is tried once more."""
    runs = read_runs(path)
    runs[(runs["label"] != AGAIN) | (runs["outcome"] != "survived")].to_csv(path, index=False)


def trier(copy: Path, files: Sequence[str] | None) -> Callable[[Job], dict[str, object]]:
    """Return a function that tries one mutant in a copy of bnsieve.

    Parameters
    ----------
    copy : Path
    files : sequence of str or None
        Of tests; None for those of the mutant's group.
    """

    @cache
    def noticed(group: str) -> Noticed:
        return Noticed.of(copy, (*(files or GROUPS[group].tests), GENERAL))

    def perform(job: Job) -> dict[str, object]:
        path = copy / "bnsieve" / job.module
        code = path.read_text(encoding="utf-8")
        known = noticed(job.group)
        tests = known.tests_of(job.module, code, job.line)
        changed = mutated(code, Mutation(job.operator, job.occurrence))
        if changed is None or described(code, changed) != job.change:
            sys.exit("error: the installed bnsieve is not the one of this clone: install it again")
        path.write_text(changed, encoding="utf-8")
        start = monotonic()
        try:
            outcome = try_tests(copy, tests, known.limit(tests))
        finally:
            path.write_text(code, encoding="utf-8")
        seconds = monotonic() - start
        said = {"passed": "survived", "failed": "killed"}.get(outcome, outcome)
        return run_of(job, {"outcome": said, "tests": len(tests), "seconds": seconds})

    return perform


def main(arguments: list[str] | None = None) -> None:
    given = sys.argv[2:] if arguments is None else arguments
    parser = parser_of("mutants", __doc__)
    parser.add_argument("--groups", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--size", type=int, default=SIZE, help="mutants of each group")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--again", action="store_true", help="only what survived before")
    parser.add_argument("--tests", nargs="+", help="only these files, such as those of new tests")
    options = parser.parse_args(given)
    path = options.output / "runs.csv"
    groups, size = ([QUICK_GROUP], QUICK_SIZE) if options.quick else (options.groups, options.size)
    if options.again:
        jobs = list(survivors(path, groups))
        forget_survivors(path)
    else:
        jobs = [job for group in groups for job in drawn(options.label, group, size, options.seed)]
    with tempfile.TemporaryDirectory() as folder:
        copy_bnsieve(Path(folder))
        compileall.compile_dir(folder, quiet=1)  # once, not in every trial
        perform_left(
            jobs,
            path,
            trier(Path(folder), options.tests),
            lambda run: f"{run['module']}:{run['line']} {run['outcome']}",
            minutes=options.minutes,
        )
    write_report(options.output, given)
