"""Every figure of the summary, computed again from the file and from what was written."""

import csv
import json
import math
import re
from collections import Counter

import numpy as np
import pytest

from bnsieve.cli.run.files import record_of, write_files
from bnsieve.cli.run.run import RunSettings, learn
from bnsieve.cli.run.summary import summary_of
from real_tables import TABLES

N_ROWS = 1_200
# Names are cut where they are longer; the tests look for what was cut by how it begins.
NAME_WIDTH = 30


class Run:
    """One table: its file, read with the standard library alone, its summary, its folder."""

    def __init__(self, name, folder):
        self.table = TABLES[name]
        path = self.table.write_csv(folder, N_ROWS)
        separator, _, encoding = self.table.file
        with path.open(encoding=encoding, newline="") as file:
            self.lines = list(csv.DictReader(file, delimiter=separator))
        outcome = learn(RunSettings(path), n_jobs=1)
        self.summary = summary_of(outcome)
        self.outcome = outcome
        write_files(outcome, record_of(outcome), folder / "out")
        graph = json.loads((folder / "out" / "graph.json").read_text(encoding="utf-8"))
        self.arrows = {(edge["from"], edge["to"]): edge["directed"] for edge in graph["edges"]}
        with (folder / "out" / "edges.csv").open(encoding="utf-8", newline="") as file:
            self.edges = list(csv.DictReader(file))

    def texts(self, title):
        return [text for own, text in self.summary if own == title]

    def text(self, title):
        (only,) = self.texts(title)
        return only

    def cells(self, column):
        return [line[column] for line in self.lines]


@pytest.fixture(scope="module", params=TABLES)
def run(request, tmp_path_factory):
    return Run(request.param, tmp_path_factory.mktemp(request.param))


def number(text):
    return int(text.replace(",", ""))


def test_rows_and_columns(run):
    assert number(run.text("rows")) == len(run.lines) == N_ROWS
    kept, of = re.fullmatch(r"(\d+) of (\d+)", run.text("columns")).groups()
    assert int(of) == len(run.lines[0])
    plans = run.outcome.learner.preparation_.columns
    since = {getattr(output.reading, "since", None) for one in plans for output in one.outputs}
    assert int(kept) == sum(bool(one.outputs) or one.name in since for one in plans)
    dropped = [text.partition(":")[0] for text in run.texts("dropped")]
    listed = {name for name in dropped if not name.startswith("...")}
    without = {one.name for one in plans if not one.outputs and one.name not in since}
    assert listed <= without
    n_more = sum(number(text.split()[2]) for text in run.texts("dropped") if text.startswith("..."))
    assert len(listed) + n_more == len(without) == int(of) - int(kept)


def test_what_is_said_of_a_column_that_is_left_out(run):
    for text in run.texts("dropped"):
        name, _, why = text.partition(": ")
        if text.startswith("..."):
            continue
        known = [cell for cell in run.cells(name) if cell.strip()]
        if said := re.search(r"a different value in each of ([\d,]+) rows", why):
            assert number(said[1]) == len(known) == len(set(known))
        elif said := re.search(r"([\d,]+) categories in ([\d,]+) rows", why):
            assert (number(said[1]), number(said[2])) == (len(set(known)), len(known))
        elif said := re.search(r"it is always '(.*)'", why):
            assert set(known) == {said[1]}


def test_missing_cells(run):
    plans = {column.name: column for column in run.outcome.learner.preparation_.columns}
    gone = {}
    for name in run.lines[0]:
        # Pay of 0 and degrees of -999 are mistakes, which only who knows the table can be sure of.
        own = np.isin(range(N_ROWS), run.table.gone.get(name, []))
        own &= ~np.isin(run.cells(name), ["0", "-999"])
        for output in plans[name].outputs:
            since = getattr(output.reading, "since", None)
            # A blank that means "none" is missing too where it has no label.
            either = own | np.array([not cell.strip() for cell in run.cells(name)])
            if since is not None:
                either = either | np.array([not cell for cell in run.cells(since)])
            if output.blank is None:
                gone[output.name] = int(either.sum())
    gone = {name: n for name, n in gone.items() if n}
    if not gone:
        assert not run.texts("missing")
        return
    text = run.text("missing")
    cells, most, share = re.match(
        r"([\d,]+) values.*? in (?:\d+ columns, most in )?(.*) \(([\d.]+)%\)", text
    ).groups()
    assert number(cells) == sum(gone.values())
    if len(gone) > 1:
        assert f"in {len(gone)} columns, most in " in text
    assert gone[most] == max(gone.values())
    assert float(share) == pytest.approx(100 * gone[most] / N_ROWS, abs=0.051)


def test_odd_cells_are_in_the_rows_that_are_named(run):
    for text in run.texts("odd"):
        if text.startswith("..."):
            continue
        name, cells = re.fullmatch(r"(.*?): (?=['\"])(.*)", text).groups()
        for _, value, row, more in re.findall(
            r"(['\"])(.*?)\1 in row ([\d,]+)(?: and ([\d,]+) more)?", cells
        ):
            held = [number for number, cell in enumerate(run.cells(name), 1) if cell == value]
            assert held[0] == number(row)
            assert len(held) == 1 + number(more or "0")


def worth_in(line):
    """Return what an edge is worth where others may take its place, if that is known."""
    margin = line["margin"]
    return float(margin if margin and math.isfinite(float(margin)) else line["score_gain"])


def test_directions(run):
    found = Counter(
        line["reliability"]
        for line in run.edges
        # An undirected edge has two lines.
        if line["to"] and (run.arrows.get((line["from"], line["to"])) is not None)
    )
    said = re.fullmatch(
        r"(\d+) confirmed, (\d+) tentative, (\d+) undetermined", run.text("directions")
    )
    kinds = ("confirmed", "tentative", "undetermined")
    assert [int(one) for one in said.groups()] == [found[kind] for kind in kinds]
    assert sum(found.values()) == len(run.arrows)
    assert found["undetermined"] == sum(not directed for directed in run.arrows.values())


def test_functions(run):
    for text in run.texts("deterministic"):
        said = re.match(r"(\w+) is a function of (\w+)(?:,? but for ([\d,]+) rows?)?$", text)
        if said and {said[1], said[2]} <= set(run.lines[0]):
            tables, plan = {}, run.outcome.learner.preparation_
            for one, other in zip(run.cells(said[1]), run.cells(said[2]), strict=True):
                # Rare spellings of a category are read as the frequent one.
                one, other = (
                    plan.category_of(name, cell) if cell else cell
                    for name, cell in ((said[1], one), (said[2], other))
                )
                if one and other:
                    tables.setdefault(other, Counter())[one] += 1
            beside = sum(sum(own.values()) - max(own.values()) for own in tables.values())
            assert beside == number(said[3] or "0"), text


def cut(name):
    return name if len(name) <= NAME_WIDTH else name[: NAME_WIDTH - 1] + "…"


def test_edges(run):
    said = re.fullmatch(r"(\d+) edges: (\d+) directed, (\d+) undirected", run.text("graph"))
    n_directed = sum(run.arrows.values())
    n = len(run.arrows)
    assert tuple(map(int, said.groups())) == (n, n_directed, n - n_directed)
    # Columns without an edge have lines of their own.
    listed = [edge for edge in run.edges if edge["to"]]
    worth = {(cut(edge["from"]), cut(edge["to"])): worth_in(edge) for edge in listed}
    arrows = {(cut(tail), cut(head)): way for (tail, head), way in run.arrows.items()}
    shown = [text for text in run.texts("strongest") if not text.startswith("...")]
    figures = []
    for text in shown:
        tail, way, head, nats = re.match(r"(.*?) (->|-) (.*?) +([\d,.]+) nats", text).groups()
        assert worth[tail, head] == pytest.approx(float(nats.replace(",", "")), abs=0.051)
        assert arrows.get((tail, head), False) == (way == "->")
        figures.append(worth[tail, head])
    assert figures == sorted(figures, reverse=True)
    assert len(figures) > 3


def test_cuts_are_those_of_the_network(run):
    for text in run.texts("binned"):
        if text.startswith("..."):
            continue
        name, _, bins = text.rpartition(": ")
        states = run.outcome.network.states[name]
        assert tuple(re.split(r", (?=[\[>])", bins)) == tuple(states)


def test_copies_say_the_same(run):
    for text in run.texts("copy"):
        name, original = re.match(r"(.*) is (.*) under other labels", text).groups()
        pairs = set(zip(run.cells(name), run.cells(original), strict=True))
        assert len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})
