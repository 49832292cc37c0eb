"""Effects in public data sets, beside the published estimates.

    python -m benchmarks effects published CACHE

The data are those of the package causaldata, installed in CACHE, a folder of environments. Each
question has its covariates from the publication. Two answers: with the publication's graph given
(every covariate a cause of treatment and outcome), and with a graph learned under tiers
(covariates, treatment, outcome). Out: ``published.csv`` and ``published.md``.
"""

import io
import subprocess
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.common.environments import python_of
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from bnsieve import Graph, Knowledge, TsetlinSieve
from bnsieve.network import Effect

REQUIREMENTS = ("causaldata==0.1.5",)
_PRINT = "import causaldata, sys; getattr(causaldata, {!r}).load_pandas().data.to_csv(sys.stdout)"


@dataclass(frozen=True)
class Question:
    """A treatment and an outcome with published estimates.

    Attributes
    ----------
    title : str
    data : tuple of str
        Data sets of causaldata; of the second and later ones the untreated are added in place of
        those of the first.
    treatment, outcome : str
    covariates : tuple of str
        None where the treatment was randomised.
    published : str
    source : str
    """

    title: str
    data: tuple[str, ...]
    treatment: str
    outcome: str
    covariates: tuple[str, ...]
    published: str
    source: str


_JOBS = ("age", "educ", "black", "hisp", "marr", "nodegree", "re74", "re75")
_SMOKERS = (
    "sex", "race", "age", "education", "smokeintensity", "smokeyrs", "exercise", "active", "wt71",
)  # fmt: skip
QUESTIONS = (
    Question(
        "job training, randomised", ("nsw_mixtape",), "treat", "re78", (),
        "+1,794 (standard error 633)", "LaLonde 1986; Dehejia and Wahba 1999, table 3",
    ),
    Question(
        "job training, randomised, adjusted", ("nsw_mixtape",), "treat", "re78", _JOBS,
        "+1,672 (standard error 638)", "Dehejia and Wahba 1999, table 3",
    ),
    Question(
        "job training, controls of a survey", ("nsw_mixtape", "cps_mixtape"), "treat", "re78",
        _JOBS, "-8,498 unadjusted; +1,713 by propensity strata, +1,582 by matching (treated)",
        "Dehejia and Wahba 1999, table 3",
    ),
    Question(
        "quitting smoking, weight in kg", ("nhefs_complete",), "qsmk", "wt82_71", _SMOKERS,
        "+3.4 [2.4, 4.5] by weighting, +3.5 [2.6, 4.5] by standardisation (95 %)",
        "Hernán and Robins 2020, chapters 12 and 13",
    ),
    Question(
        "incentive to learn an HIV result", ("thornton_hiv",), "any", "got", (),
        "+43 points by regression with covariates (34 % without an incentive)", "Thornton 2008",
    ),
)  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    """Ask all questions, and write the page."""
    parser = parser_of("effects", __doc__)
    parser.add_argument("cache", type=Path)
    asked = parser.parse_args(arguments)
    python = python_of("causaldata", REQUIREMENTS, asked.cache)
    rows = [line for one in QUESTIONS for line in answers(one, frame_of(one, python))]
    found = pd.DataFrame(rows)
    asked.output.mkdir(parents=True, exist_ok=True)
    found.to_csv(asked.output / "published.csv", index=False, lineterminator="\n")
    lines = head("Effects in public data", "effects published", ["CACHE"])
    titles = ["question", "graph", "estimate, 90 % interval", "population", "published", "source"]
    cells = [[str(row[name]) for name in _COLUMNS] for row in rows]
    start, end = (f"<!-- --8<-- [{word}:published] -->" for word in ("start", "end"))
    write(asked.output / "published.md", [*lines, start, *table(titles, cells, None), end])


_COLUMNS = ("question", "graph", "estimate", "population", "published", "source")


def frame_of(question: Question, python: Path) -> pd.DataFrame:
    """Return the rows with all the columns of a question, those without an outcome left out."""
    frames = [_loaded(name, python) for name in question.data]
    first, *controls = frames
    if controls:
        others = [one[one[question.treatment] == 0] for one in controls]
        first = pd.concat([first[first[question.treatment] == 1], *others])
    names = [*question.covariates, question.treatment, question.outcome]
    return first[names].dropna(subset=names[-2:]).reset_index(drop=True)


def _loaded(name: str, python: Path) -> pd.DataFrame:
    printed = subprocess.run(
        [str(python), "-c", _PRINT.format(name)], check=True, capture_output=True, text=True
    )
    return pd.read_csv(io.StringIO(printed.stdout), index_col=0)


def answers(question: Question, data: pd.DataFrame) -> list[dict[str, object]]:
    """Return a line for each graph."""
    treatment, outcome, covariates = question.treatment, question.outcome, question.covariates
    tiers = Knowledge(tiers=[tier for tier in (covariates, (treatment,), (outcome,)) if tier])
    causes = [(name, end) for name in covariates for end in (treatment, outcome)]
    given = Graph([*covariates, treatment, outcome], [*causes, (treatment, outcome)])
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner = TsetlinSieve(random_state=0, n_jobs=1, knowledge=tiers).fit(data)
        effects = {"given": learner.network_.effect(treatment, outcome, graph=given)}
        if covariates:
            effects["learned, tiers given"] = learner.effect(treatment, outcome)
    return [_line(question, name, effect) for name, effect in effects.items()]


def _line(question: Question, graph: str, effect: Effect) -> dict[str, object]:
    (one,) = (contrast for contrast in effect.cases[0].contrasts)
    assert one.estimate is not None
    parts = (one.difference, one.low, one.high)
    middle, low, high = _shown(parts, one.state is not None)
    names: Sequence[str] = effect.cases[0].adjustment or ()
    about = f"{one.estimate.n_rows:,} rows ({one.share:.0%}), adjusted for {len(names)}"
    return {
        "question": question.title,
        "graph": graph,
        "difference": one.difference,
        "low": one.low,
        "high": one.high,
        "share": one.share,
        "adjustment": " ".join(names),
        "estimate": f"{middle} [{low}, {high}]",
        "population": about,
        "published": question.published,
        "source": question.source,
    }


def _shown(values: Sequence[float], is_risk: bool) -> list[str]:
    if is_risk:
        return [f"{100 * value:+.1f}" for value in values]
    digits = 0 if abs(values[0]) >= 100 else 2
    return [f"{value:+,.{digits}f}" for value in values]


if __name__ == "__main__":
    main()
