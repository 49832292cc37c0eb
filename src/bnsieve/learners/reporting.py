"""A fitted learner makes its report: one HTML file to open in a browser."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from bnsieve.engine import facts, one_thread_each
from bnsieve.explain import EdgeSupport
from bnsieve.learners.fitted import LearnedModel

_LONGEST = 80


class ReportingModel(LearnedModel):
    """What a fitted learner shows to people who were not there when it learned."""

    def report(self, path: str | PathLike[str], *, title: str = "the data") -> None:
        """Write a report: one HTML file that works offline and asks no other host for anything.

        It has the picture, what was learned and how far to trust it in five sentences, the evidence
        of each edge, the probability tables, what was done to the columns, and answers by itself
        where the network is small enough. Call `bootstrap` before, and it says how sure each edge
        is.

        Parameters
        ----------
        path : str or path
            Where to; a file that is there is replaced.
        title : str, default "the data"
            What to call the data.

        Raises
        ------
        NotFittedError
            If the learner is not fitted.
        """
        from bnsieve.report import Subject, report_page

        check_is_fitted(self, "graph_")
        installed = facts()
        subject = Subject(
            self,
            self._n_rows(),
            title,
            f"import bnsieve as bn\n\n{self._constructor()}.fit(data)",
            {"bnsieve": installed["bnsieve"], "python": installed["python"]}
            | installed["dependencies"],
            self.graph_,
            self.network_,
            has_rows=hasattr(self, "table_"),
        )
        Path(path).write_text(report_page(subject), encoding="utf-8", newline="\n")

    def explain_edges(
        self, edges: Iterable[tuple[str, str]], *, n_machines: int | None = None
    ) -> list[EdgeSupport]:
        """Say why several pairs are joined, as `explain` does, with each machine trained once.

        Parameters
        ----------
        edges : iterable of (str, str)
        n_machines : int, optional
            How many columns' machines to train again to read their rules, in the order of the
            edges; an edge for which one is lacking gets no rules, and no association with all
            columns. All by default.

        Returns
        -------
        list of EdgeSupport
            In the order of the edges.
        """
        trained: set[str] = set()
        found = []
        with one_thread_each():
            findings = self._findings()
            for x, y in edges:
                quick = n_machines is not None and len(trained | {x, y}) > n_machines
                if not quick:
                    trained |= {x, y}
                found.append(findings.explain(x, y, quick=quick))
        return found

    def _constructor(self) -> str:
        """Return the call that makes a learner like this; what is long is only named."""
        usual = type(self)().get_params(deep=False)
        given = []
        for name, value in self.get_params(deep=False).items():
            if name == "n_jobs" or value is usual[name] or repr(value) == repr(usual[name]):
                continue
            text = repr(value)
            given.append(f"{name}={text if len(text) <= _LONGEST else name}")
        return f"bn.{type(self).__name__}({', '.join(given)})"

    def _n_rows(self) -> int:
        """Return how many rows were learned from."""
        counted: Any = getattr(self, "counted_", None)
        if counted is not None:
            return int(counted.found.n_rows)
        if hasattr(self, "table_"):
            return int(self.table_.n_rows)
        return max((table.total for table in self.family_counts_.tables.values()), default=0)
