"""``bnsieve ask`` and ``bnsieve explain``: queries of a network, and the support of its edges."""

from typing import Annotated, Any

import typer

from bnsieve.cli.app import print_json, say
from bnsieve.cli.models import OpenedModel, open_model
from bnsieve.cli.options import AsJson, Model
from bnsieve.network import Distribution, Effect, NextQuestion, Reasons

EXAMPLES = {
    "ask": (
        "bnsieve ask learned dysp --given smoke=yes --given xray=no",
        "bnsieve ask learned dysp --do smoke=no",
        "bnsieve ask learned churn --do discount=yes --within plan=pro",
        "bnsieve ask learned lung --given dysp=yes --next --explain",
        "bnsieve ask asia dysp --json",
    ),
    "explain": (
        "bnsieve explain data-network smoker copd",
        "bnsieve explain data-network smoker copd --json",
    ),
}
# The level of intervals of a fitted learner's answers, unless another is given.
DEFAULT_INTERVAL = 0.9


def ask(
    folder: Model,
    target: Annotated[str, typer.Argument(help="The variable to query.")],
    given: Annotated[
        list[str] | None,
        typer.Option("--given", "-g", help="Evidence, as variable=state; may be repeated."),
    ] = None,
    do: Annotated[
        list[str] | None,
        typer.Option("--do", help="An intervention, as variable=state; may be repeated."),
    ] = None,
    within: Annotated[
        list[str] | None,
        typer.Option(
            "--within",
            help="A subgroup for --do, as variable=state; may be repeated.",
        ),
    ] = None,
    interval: Annotated[
        float | None,
        typer.Option(help="The level of the intervals; 0.9 if the folder has the learner."),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how each piece of evidence changes the answer.")
    ] = False,
    next_: Annotated[
        bool, typer.Option("--next", help="Show which variable to observe next.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Query the probability of each state of a variable.

    For a binned variable, a number means the state of its bin. With --do the variable is set,
    whatever its causes: the answer compares the outcome between two settings, in the rows where
    both occur, adjusted for common causes. If these are undetermined, the answer has a case for
    each possibility, and names the edges that would decide.
    """
    model = open_model(folder)
    known = model.assignments(given or (), "--given")
    changed = model.assignments(do or (), "--do")
    if changed and (explain or next_):
        raise ValueError("--explain and --next are about observations: leave out --do")
    subgroup = model.assignments(within or (), "--within")
    if subgroup and len(changed) != 1:
        raise ValueError("--within takes a subgroup of one --do: give --do variable=state")
    answers: dict[str, Any] = {"answer": _answer(model, target, known, changed, subgroup, interval)}
    source = model.learner or model.network
    if explain:
        answers["explain"] = source.why(target, known)
    if next_:
        answers["next"] = source.next_question(target, known)
    if as_json:
        plain = {name: _plain(answer) for name, answer in answers.items()}
        if isinstance(answers["answer"], Distribution):
            plain["rows"] = _matching(answers["answer"])
        asked = {"given": known, "do": changed, "within": subgroup}
        print_json(
            {"target": target, **{k: _texts(states) for k, states in asked.items()}, **plain}
        )
        return
    say("\n\n".join(map(str, answers.values())))


def _answer(
    model: OpenedModel,
    target: str,
    known: dict[str, Any],
    changed: dict[str, Any],
    subgroup: dict[str, Any],
    interval: float | None,
) -> Distribution | Effect:
    if len(changed) == 1 and model.learner is not None:
        return model.learner.effect(changed, target, known, within=subgroup, interval=interval)
    if subgroup:
        model.fitted()
    if len(changed) == 1 and interval is None:
        return model.network.effect(changed, target, known, graph=model.graph)
    if model.learner is not None and interval is None:
        interval = DEFAULT_INTERVAL
    if changed:
        return model.network.do(changed).query(target, known, interval=interval)
    return (model.learner or model.network).query(target, known, interval=interval)


def _plain(answer: Distribution | Effect | Reasons | NextQuestion) -> Any:
    """Return an answer as values that JSON knows."""
    if isinstance(answer, Effect):
        return answer.to_dict()
    if isinstance(answer, Distribution):
        lines = answer.to_frame().to_dict(orient="index")
        return {str(state): line for state, line in lines.items()}
    if isinstance(answer, NextQuestion):
        frame = answer.frame.reset_index()
        return {"entropy": answer.entropy, "columns": frame.to_dict(orient="records")}
    changes = answer.changes.reset_index()
    changes["state"] = changes["state"].map(str)
    return {
        "state": str(answer.state),
        "probability": answer.probability,
        "before": answer.before,
        "changes": changes.to_dict(orient="records"),
        "rules": [str(rule) for rule in answer.rules],
    }


def _matching(answer: Distribution) -> dict[str, Any] | None:
    """Return what the rows that match the evidence say; None where they were not counted."""
    if answer.matching_rows is None:
        return None
    frequencies = None
    if answer.frequencies is not None:
        shares = zip(answer.states[0], answer.frequencies.tolist(), strict=True)
        frequencies = {str(state): share for state, share in shares}
    return {
        "matching": answer.matching_rows,
        "frequencies": frequencies,
        "misfit": answer.misfit or None,
    }


def _texts(states: dict[str, Any]) -> dict[str, str]:
    return {name: str(state) for name, state in states.items()}


def explain(
    folder: Model,
    x: Annotated[str, typer.Argument(metavar="A", help="A variable.")],
    y: Annotated[str, typer.Argument(metavar="B", help="Another variable.")],
    as_json: AsJson = False,
) -> None:
    """Explain why two variables are adjacent, or why they are not.

    Shows their association, their importance in each other's machine, CI tests, the score gain of
    the edge, its strength if there was a bootstrap, and the rules that have both.
    """
    support = open_model(folder).fitted((x, y)).explain(x, y)
    if as_json:
        print_json(support.to_dict())
    else:
        say(str(support))
