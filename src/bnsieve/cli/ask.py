"""``bnsieve ask``: what the network says, and how sure, what if, what next, and why."""

from typing import Annotated, Any

import typer

from bnsieve.cli.app import AsJson, examples, print_json, say
from bnsieve.cli.learned import Folder, Opened, open_learned
from bnsieve.network import Distribution, Effect, NextQuestion, Reasons

# Of a fitted learner's answers, unless another is asked for.
DEFAULT_INTERVAL = 0.9


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    app.command(
        epilog=examples(
            "bnsieve ask learned dysp --given smoke=yes --given xray=no",
            "bnsieve ask learned dysp --do smoke=no",
            "bnsieve ask learned lung --given dysp=yes --next --explain",
            "bnsieve ask asia dysp --json",
        )
    )(ask)


def ask(
    folder: Folder,
    target: Annotated[str, typer.Argument(help="The column that is asked about.")],
    given: Annotated[
        list[str] | None,
        typer.Option("--given", "-g", help="What is known, as column=label; may be repeated."),
    ] = None,
    do: Annotated[
        list[str] | None,
        typer.Option("--do", help="What if a column were set, as column=label; may be repeated."),
    ] = None,
    interval: Annotated[
        float | None,
        typer.Option(
            help="How often the intervals hold the truth; 0.9 if the folder has the learner."
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what each known column does to the answer.")
    ] = False,
    next_: Annotated[
        bool, typer.Option("--next", help="Say which column to look at next.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Ask how probable each label of a column is.

    For a column whose numbers were cut, a number stands for the label of its bin. With --do the
    column is set, whatever its causes: where the data leave open which these are, the answer has
    bounds, and the edges that would settle it.
    """
    opened = open_learned(folder)
    known = opened.assignments(given or (), "--given")
    changed = opened.assignments(do or (), "--do")
    if changed and (explain or next_):
        raise ValueError("--explain and --next speak of what is seen: leave out --do")
    answers: dict[str, Any] = {"answer": _answer(opened, target, known, changed, interval)}
    asked = opened.learner or opened.network
    if explain:
        answers["explain"] = asked.why(target, known)
    if next_:
        answers["next"] = asked.next_question(target, known)
    if as_json:
        shown = {name: _plain(one) for name, one in answers.items()}
        print_json({"target": target, "given": _texts(known), "do": _texts(changed), **shown})
        return
    say("\n\n".join(str(one) for one in answers.values()))


def _answer(
    opened: Opened,
    target: str,
    known: dict[str, Any],
    changed: dict[str, Any],
    interval: float | None,
) -> Distribution | Effect:
    if len(changed) == 1 and opened.learner is not None:
        return opened.learner.effect(changed, target, known, interval=interval)
    if len(changed) == 1 and interval is None:
        return opened.network.effect(
            changed,
            target,
            known,
            graph=opened.graph,
            v_structures_known=opened.v_structures_known,
        )
    if changed:
        return opened.network.do(changed).query(target, known, interval=interval)
    if opened.learner is None:
        return opened.network.query(target, known, interval=interval)
    level = DEFAULT_INTERVAL if interval is None else interval
    answer = opened.learner.query(target, known, interval=level)
    assert isinstance(answer, Distribution)
    return answer


def _plain(answer: Distribution | Effect | Reasons | NextQuestion) -> Any:
    """Return an answer as values that JSON knows."""
    if isinstance(answer, Effect):
        return answer.to_dict()
    if isinstance(answer, Distribution):
        lines = answer.to_frame().to_dict(orient="index")
        return {str(label): line for label, line in lines.items()}
    if isinstance(answer, NextQuestion):
        frame = answer.frame.reset_index()
        return {"entropy": answer.entropy, "columns": frame.to_dict(orient="records")}
    changes = answer.changes.reset_index()
    changes["label"] = changes["label"].map(str)
    return {
        "label": str(answer.label),
        "probability": answer.probability,
        "before": answer.before,
        "changes": changes.to_dict(orient="records"),
        "rules": [str(rule) for rule in answer.rules],
    }


def _texts(labels: dict[str, Any]) -> dict[str, str]:
    return {name: str(label) for name, label in labels.items()}
