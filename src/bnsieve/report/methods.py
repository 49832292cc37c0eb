"""The methods paragraph of the page: how the graph was learned, to paste into a paper.

In: a `Subject` and the versions of the run. Out: plain text, true of this fit and of no other.
"""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from bnsieve.counts import MOST_SCORED_ROWS
from bnsieve.decide import MOST_NUMERIC_PARENTS, MOST_PARENTS, is_family_score
from bnsieve.explain import RELIABILITY, share_text
from bnsieve.report.subject import Subject
from bnsieve.report.writing import plain_name
from bnsieve.text import counted, listed

_CRITERIA = {
    "bd": "a Bayesian Dirichlet score, its prior averaged over equivalent sample sizes and over "
    "even and empirical means",
    "bdeu": "the BDeu score, averaged over equivalent sample sizes",
    "bic": "the Bayesian information criterion",
    "qnml": "quotient normalised maximum likelihood",
}
_NUMERIC_CRITERION = (
    "the Bayesian information criterion of linear models in functions of the numeric variables' "
    "ranks and indicators of the other variables' states"
)
_TESTS = {
    "auto": "a damped form of Pearson's statistic against its exact moments",
    "chi2": "Pearson's chi-squared test",
    "g2": "the G-squared test",
    "mi": "the mutual information test",
    "permutation": "a permutation test",
}
_LEARNERS = {
    "PC": "the PC algorithm",
    "HitonPC": "HITON-PC, for every variable",
    "FSMBPC": "the parents-and-children part of FSMB, for every variable",
    "TsetlinPC": "TsetlinPC, in which weighted Tsetlin machines choose the pairs to test",
}
_MISSING = {
    "em": "were imputed by the network in rounds of structural EM",
    "testwise": "were left out of each score or test that needed them",
    "category": "were treated as a category of their own",
}
_PREPARED = {
    "dropped": "left out",
    "binned": "binned",
    "dates": "split from dates into parts",
    "grouped": "had rare categories grouped",
    "odd": "had odd cells set aside",
}
_PAPER = (
    "K. G. Dumbre, L. Jiao and O.-C. Granmo, Scalable Bayesian Network Structure Learning Using "
    "Tsetlin Machine to Constrain the Search Space, 2025"
)


def methods_paragraph(subject: Subject, title: str, versions: Mapping[str, Any]) -> str:
    """Return the paragraph."""
    learner = subject.learner
    sentences = [
        _data(subject, title, versions),
        _preparation(subject),
        _algorithm(learner),
        _knowledge(learner.knowledge),
        _result(subject),
        _strengths(subject),
        _seed(learner),
        _reference(learner, versions),
    ]
    return " ".join(filter(None, sentences))


def _data(subject: Subject, title: str, versions: Mapping[str, Any]) -> str:
    n_learned = len(subject.learner.dag_.nodes)
    what = f"the structure of a Bayesian network over {counted(n_learned, 'variable')}"
    if subject.target is not None:
        what = (
            f"the Markov blanket of {plain_name(subject.target)}, in a network over the "
            f"{counted(n_learned, 'variable')} found to matter around it,"
        )
    learned = (
        f"We learned {what} from {counted(subject.n_rows, 'row')} of {plain_name(title)} with "
        f"bnsieve {versions['bnsieve']} (Python {versions['python']})."
    )
    clusters = subject.learner.fit_result_.clusters
    if clusters is None:
        return learned
    return (
        f"{learned} Rows of one {plain_name(clusters.by)} belong together: {clusters}. Scores and "
        "tests were charged by the design effect of each pair of variables, and intervals and the "
        "bootstrap take entities, not rows, to be independent."
    )


def _preparation(subject: Subject) -> str:
    learner, parts = subject.learner, []
    for what, words in _PREPARED.items():
        names = [plain_name(one.column) for one in subject.changes if one.what == what]
        if names:
            parts.append(f"{counted(len(names), 'column')} {words} ({listed(names, most=6)})")
    sentences = [f"Preparation of the columns: {'; '.join(parts)}."] if parts else []
    numeric = [plain_name(name) for name in learner.numeric_features_]
    if numeric:
        verb = "was" if len(numeric) == 1 else "were"
        sentences.append(f"{listed(numeric, most=6)} {verb} kept numeric.")
    if learner.n_missing_:
        n = sum(learner.n_missing_.values())
        share = n / max(1, subject.n_rows * len(learner.dag_.nodes))
        how = _MISSING[learner.missing_strategy_]
        sentences.append(f"{counted(n, 'missing value')} ({share:.2g} of all cells) {how}.")
    return " ".join(sentences)


def _algorithm(learner: Any) -> str:
    result, name = learner.fit_result_, type(learner).__name__
    parameters = learner.get_params(deep=False)
    alpha, test = parameters.get("alpha"), parameters.get("ci_test", "")
    test = _TESTS.get(test, "") if isinstance(test, str) else f"our own, {type(test).__name__}"
    tested = f"conditional independence tests ({test}; alpha = {alpha})"
    if name in _LEARNERS or result.sieve is None:
        variant = f", variant {parameters['variant']}" if "variant" in parameters else ""
        return f"We used {_LEARNERS.get(name, name)}{variant}, with {tested}."
    scoring, n_columns = result.sieve.scoring, len(learner.dag_.nodes)
    most = max((len(found) for found in learner.candidates_.values()), default=0)
    default = MOST_NUMERIC_PARENTS if result.numeric_features else MOST_PARENTS
    most_parents = parameters["max_parents"] or default
    own_score = parameters["criterion"] if is_family_score(parameters["criterion"]) else None
    candidates = "All other variables were candidate parents of each variable."
    if parameters["candidates"] is not None:
        candidates = f"Each variable had at most {most} candidate parents, chosen beforehand."
    elif most < n_columns - 1:
        candidates = (
            f"Each variable had at most {most} candidate parents, found by screening associations, "
            "by what adds to the network found so far, and by weighted Tsetlin machines that look "
            "for interactions."
        )
    criterion = _CRITERIA[scoring.kind]
    if own_score is not None:
        criterion = f"a score of our own, {type(own_score).__name__}"
    elif result.numeric_features:
        criterion = _NUMERIC_CRITERION
        if result.n_rows > MOST_SCORED_ROWS:
            criterion += f", as if there were {MOST_SCORED_ROWS:,} rows"
    elif scoring.kind in ("bd", "bdeu"):
        sizes = [f"{size:g}" for size in scoring.equivalent_sample_sizes if math.isfinite(size)]
        endless = len(sizes) < len(scoring.equivalent_sample_sizes)
        criterion += f" ({listed(sizes + ['infinite'] * endless, most=9)})"
    cost = scoring.parent_cost
    prior = f", less {cost:.2f} nats for every parent" if cost else ""
    text = (
        f"{candidates} Parent sets of at most {most_parents} variables were scored by "
        f"{criterion}{prior}, and the graph of highest score was sought over orders of the "
        "variables."
    )
    if result.sieve is not None and result.sieve.small_edges:
        n_small = counted(len(result.sieve.small_edges), "significant edge")
        text += (
            f" {n_small} that clearly explained less than {share_text(parameters['min_effect'])} "
            "of what there was to explain (95 % interval) were left out."
        )
    if parameters["method"] == "tests":
        text += f" Its edges also had to pass {tested}."
    return text


def _knowledge(knowledge: Any) -> str:
    if knowledge is None:
        return "No background knowledge was given."
    parts = [
        text
        for n, text in (
            (len(knowledge.required), counted(len(knowledge.required), "required edge")),
            (len(knowledge.forbidden), counted(len(knowledge.forbidden), "forbidden direction")),
            (len(knowledge.tiers), counted(len(knowledge.tiers), "tier")),
            (
                len(knowledge.parents_of),
                f"the possible parents of {counted(len(knowledge.parents_of), 'variable')}",
            ),
            (len(knowledge.no_parents), f"{len(knowledge.no_parents):,} without parents"),
            (len(knowledge.no_children), f"{len(knowledge.no_children):,} without children"),
        )
        if n
    ]
    if not parts:
        return "No background knowledge was given."
    return (
        f"Background knowledge was given, not learned: {listed(parts, most=9)}. It is an "
        "assumption of the authors."
    )


def _result(subject: Subject) -> str:
    n_edges, n_directed = subject.graph.n_edges, len(subject.graph.directed_edges)
    found = Counter(edge.reliability for edge in subject.edges)
    parts = [
        f"{found[word]:,} {word} ({text})" for word, text in RELIABILITY.items() if found[word]
    ]
    kind = "an equivalence class (CPDAG)"
    if subject.learner.knowledge is not None:
        kind = "an equivalence class restricted by the knowledge (a maximally oriented PDAG)"
    directions = f"; directions: {', '.join(parts)}" if parts else ""
    return (
        f"The result is {kind} with {counted(n_edges, 'edge')}, of which "
        f"{n_directed:,} {'is' if n_directed == 1 else 'are'} directed{directions}. Causal reading "
        "assumes that no common cause is missing from the table."
    )


def _strengths(subject: Subject) -> str:
    if subject.strengths is None:
        return ""
    n = counted(subject.strengths.n_replicates, "bootstrap resample")
    return f"Edge strengths are the shares of {n} of the rows in which an edge was found."


def _seed(learner: Any) -> str:
    parameters = learner.get_params(deep=False)
    if "random_state" not in parameters:
        return "The method draws no random numbers."
    seed = parameters["random_state"]
    if isinstance(seed, int):
        return f"The random seed was {seed}."
    return "No random seed was fixed."


def _reference(learner: Any, versions: Mapping[str, Any]) -> str:
    software = f"Reference: bnsieve {versions['bnsieve']} (software)"
    if type(learner).__name__ == "TsetlinPC":
        return f"{software}; the method is that of {_PAPER}."
    if learner.fit_result_.sieve is not None:
        return f"{software}; its choice of candidates builds on {_PAPER}."
    return f"{software}."
