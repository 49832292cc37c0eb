"""Questions about change and worth: the part of `BayesianNetwork` that answers them.

In: columns and labels by name. Out: networks under intervention, effects, the next column to look
at, and reasons. The work is done in `answers/`.
"""

from collections.abc import Collection, Hashable, Mapping
from typing import Self

from bnsieve.engine import RandomState, seed_of
from bnsieve.graph import Graph, check_same_nodes
from bnsieve.network.answers.effects import Effect, effect_on
from bnsieve.network.answers.interventions import intervened
from bnsieve.network.answers.next_question import NextQuestion, rank_questions
from bnsieve.network.answers.reasons import Reasons, reasons_for
from bnsieve.network.discrete.evidence import Given, code_of, position_of, read_evidence
from bnsieve.network.predictions import Predictions


class WhatIf(Predictions):
    """Answers to what would be, what to look at, and why."""

    __slots__ = ()

    def do(self, labels: Mapping[str, Hashable]) -> Self:
        """Return the network in which some columns are set to a label, whatever their causes.

        Nothing points to these columns any more; all else is as it was. ``query`` of it gives what
        would be if somebody set the columns, as against what is where they happen to be so:
        the latter is ``query(..., given=...)`` of this network.

        Parameters
        ----------
        labels : mapping from str to label
            The label that each column is set to.

        Raises
        ------
        ValueError
            If a column or label is unknown.

        Notes
        -----
        Arrows are taken for causes. Of a learned network some arrows may as well point the other
        way: `effect` of the learner says what that would change.

        Examples
        --------
        >>> import bnsieve
        >>> asia = bnsieve.load_network("asia")
        >>> round(asia.query("smoke", given={"bronc": "yes"})["yes"], 3)
        0.667
        >>> round(asia.do({"bronc": "yes"}).query("smoke")["yes"], 3)
        0.5
        """
        for name, label in labels.items():
            code_of(self._model, position_of(self._model, name), label)
        return intervened(self, labels)

    def effect(
        self,
        of: str | Mapping[str, Hashable],
        on: str,
        given: Given | None = None,
        *,
        graph: Graph | None = None,
        v_structures_known: bool = True,
    ) -> Effect:
        """Return how probable each label of a column is if another is set.

        Parameters
        ----------
        of : str or mapping from str to label
            The column that is set: to each of its labels, or to the one given.
        on : str
            The column to look at.
        given : mapping from str to label or likelihoods, optional
            What is seen beside, under the intervention.
        graph : Graph, optional
            What is certain about the arrows, such as the CPDAG; this network's own DAG if not
            given. Where it leaves open which columns point to `of`, there is an answer for each set
            that is possible. The network's joint distribution serves all of them, because all DAGs
            of a class can have it; where the parents are not those of this network, they are
            adjusted for in that distribution, and no table is fitted again.
        v_structures_known : bool, default True
            Whether lines of `graph` may be directed only so that no new v-structure comes up, as
            in a CPDAG.

        Returns
        -------
        Effect

        Raises
        ------
        ValueError
            If a column or label is unknown, a column is named twice, or what is given is
            impossible under the intervention.

        Examples
        --------
        >>> import bnsieve
        >>> asia = bnsieve.load_network("asia")
        >>> asia.effect("smoke", "dysp").table.round(3)
        dysp     yes     no
        smoke
        yes    0.553  0.447
        no     0.319  0.681
        """
        model, given = self._model, dict(given or {})
        if not isinstance(of, str) and len(of) != 1:
            raise ValueError(
                f"effect sets one column, but {len(of)} are named: do({{...}}) sets several."
            )
        name = of if isinstance(of, str) else next(iter(of))
        variable = position_of(model, name)
        labels = self.levels[name] if isinstance(of, str) else tuple(of.values())
        for label in labels:
            code_of(model, variable, label)
        position_of(model, on)
        read_evidence(model, given)
        if name == on:
            raise ValueError(f"{on!r} is both set and looked at: name two columns.")
        for one, what in ((name, "set"), (on, "looked at")):
            if one in given:
                raise ValueError(f"{one!r} is both {what} and given: leave it out of one of them.")
        if graph is None:
            graph = self.graph
        check_same_nodes(graph.nodes, self.graph.nodes, "the graph", "the network")
        return effect_on(
            self, name, on, given, labels, graph, v_structures_known=v_structures_known
        )

    def next_question(
        self, target: str, given: Given | None = None, *, among: Collection[str] | None = None
    ) -> NextQuestion:
        """Rank the columns by what looking at them would tell about a target.

        That is by how much the target's entropy falls on average: the mutual information of the
        two, given what is known so far.

        Parameters
        ----------
        target : str
        given : mapping from str to label or likelihoods, optional
            What is known so far.
        among : collection of str, optional
            The columns that can be looked at; all others if not given.

        Returns
        -------
        NextQuestion

        Examples
        --------
        >>> import bnsieve
        >>> asia = bnsieve.load_network("asia")
        >>> asia.next_question("lung", given={"dysp": "yes"}, among=["xray", "smoke", "bronc"])
        lung is uncertain by 0.4777 bits; on average, looking at
          xray   takes 0.3017 off (63%)
          smoke  takes 0.0343 off (7%)
          bronc  takes 0.0199 off (4%)
        """
        for name in among or ():
            position_of(self._model, name)
        return rank_questions(self, target, dict(given or {}), among)

    def why(
        self,
        target: str,
        given: Mapping[str, Hashable],
        label: Hashable | None = None,
        *,
        random_state: RandomState = 0,
    ) -> Reasons:
        """Say what each known column does to the probability of one label.

        The change from knowing nothing to knowing everything is shared among the columns by
        Shapley's rule: a column's part is the change that it makes when it becomes known, averaged
        over all orders. Of more than ten columns, orders are drawn.

        Parameters
        ----------
        target : str
        given : mapping from str to label
            What is known.
        label : label, optional
            Of the target; its most probable one if not given.
        random_state : int, RandomState, Generator or None
            Of the orders that are drawn.

        Returns
        -------
        Reasons

        Examples
        --------
        >>> import bnsieve
        >>> asia = bnsieve.load_network("asia")
        >>> asia.why("lung", {"smoke": "yes", "xray": "yes"}, "yes")
        P(lung = yes) is 0.6460; it was 0.0550 before anything was known
          xray = yes   +0.4899
          smoke = yes  +0.1011
        """
        for name, value in given.items():
            if isinstance(value, Mapping):
                raise ValueError(f"why takes a label for {name!r}, not likelihoods.")
        answer = self.query(target, given)
        if label is None:
            label = answer.most_probable
        code_of(self._model, position_of(self._model, target), label)
        return reasons_for(self, target, given, label, self.predict_proba, seed_of(random_state))
