"""BIF, the Bayesian interchange format: the one that every program of the field reads and writes.

In: a file or text in the dialect of bnlearn, pgmpy, pyAgrum, JavaBayes and others, or a network.
Out: a network, or a file that all of them read.

Those programs agree on plain words only. Where a name or a state is none, a plain spelling of it is
written, with the original in a property of the variable, from which it is restored on reading.

Probabilities are written with as many digits as it takes to read the same number again, and kept
as they are read: write and read gives the same network to the last bit. Other properties and
comments are skipped; BIF knows states only as text.
"""

import itertools
import re
from collections.abc import Mapping
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from bnsieve.exchange.bif_syntax import (
    Document,
    ProbabilityBlock,
    TableEntry,
    parse_document,
    split_items,
)
from bnsieve.exchange.files import errors_name
from bnsieve.exchange.spelling import (
    Originals,
    Rules,
    plain_name,
    properties_of,
    spell,
    write_names,
)
from bnsieve.graph import Graph
from bnsieve.network import SUM_TOLERANCE, BayesianNetwork
from bnsieve.table import MAX_CATEGORIES

# Names are words of letters, digits and underscores in bnlearn and pyAgrum, states in pyAgrum. It
# takes 1e5 and 5e for numbers, and names of digits too; the reserved words are its keywords.
RULES = Rules(
    name=re.compile(r"(?!\d+(?:[eE]|$))[A-Za-z0-9_]{1,1000}"),
    label=re.compile(r"(?!\d+[eE])[A-Za-z0-9_]{1,1000}"),
    reserved=frozenset(
        ("network", "variable", "probability", "property", "type", "discrete", "table", "default")
    ),
)

# A 'default' line can stand for any number of rows. What all of them in a file may fill together:
# 80 MB, far beyond any file that people write, and small enough to survive a hostile one.
MAX_DEFAULT_CELLS = 10_000_000

# More than any file can hold, and what NumPy's arrays can have of axes.
MAX_CONFIGURATIONS = 1 << 40
MAX_PARENTS = 63


def format_bif(network: BayesianNetwork, *, name: str = "unknown") -> str:
    """Return the text of a BIF file, which bnlearn, pgmpy and pyAgrum read.

    Parameters
    ----------
    network : BayesianNetwork
        States that are not strings are written as ``str(state)``.
    name : str, default "unknown"
        What the file calls the network, in a plain spelling.

    Raises
    ------
    ValueError
        If two states of a variable are the same once they are text.
    """
    spelled = spell(network, RULES, "BIF")
    lines = [f"network {plain_name(name, RULES)} {{", "}"]
    for own in spelled.values():
        lines += [
            f"variable {own.name} {{",
            f"  type discrete [ {len(own.labels)} ] {{ {', '.join(own.labels)} }};",
            *(f"  property {key} = {value};" for key, value in properties_of(own)),
            "}",
        ]
    for node, own in spelled.items():
        parents = [spelled[parent] for parent in network.parents(node)]
        given = f" | {', '.join(parent.name for parent in parents)}" if parents else ""
        lines.append(f"probability ( {own.name}{given} ) {{")
        table = network.tables[node]
        rows = table.reshape(-1, table.shape[-1]).tolist()
        configurations = itertools.product(*(parent.labels for parent in parents))
        for configuration, row in zip(configurations, rows, strict=True):
            head = f"({', '.join(configuration)})" if parents else "table"
            lines.append(f"  {head} {', '.join(map(repr, row))};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def write_names_beside(network: BayesianNetwork, path: str | PathLike[str]) -> None:
    """List names and states that are no plain words in ``network.bif.names.json``.

    People and other programs find them there; bnsieve finds them in the BIF file itself.
    """
    write_names(spell(network, RULES, "BIF"), path)


def parse_bif(text: str, path: str | None = None) -> BayesianNetwork:
    """Read a network from the text of a BIF file.

    Examples
    --------
    >>> parse_bif('''network weather { }
    ... variable rain { type discrete [ 2 ] { no, yes }; }
    ... probability ( rain ) { table 0.8, 0.2; }''')
    BayesianNetwork with 1 node, 0 arcs and 1 parameter
    """
    document = parse_document(text, path)
    network = _Builder(document).network()
    originals = Originals()
    for variable in document.variables:
        for position, text in variable.properties:
            key, _, value = text.partition("=")
            try:
                originals.add(variable.name, key.strip(), value.strip())
            except ValueError as error:
                document.fail(position, str(error))
    with errors_name(path):
        return originals.restore(network)


class _Builder:
    """Fills tables block by block; holds what is known of all variables."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._states: dict[str, list[str]] = {}
        self._codes: dict[str, dict[str, int]] = {}
        self._blocks: dict[str, ProbabilityBlock] = {}
        self._parents: dict[str, tuple[str, ...]] = {}
        self._default_cells_left = MAX_DEFAULT_CELLS

    def network(self) -> BayesianNetwork:
        self._declare_variables()
        for block in self._document.blocks:
            self._declare_family(block)
        for variable in self._document.variables:
            if variable.name not in self._blocks:
                self._document.fail(
                    variable.position, f"variable {variable.name!r} has no probability block"
                )
        self._refuse_cycles()
        tables = {name: self._table(name) for name in self._states}
        arrows = [(parent, name) for name, own in self._parents.items() for parent in own]
        graph = Graph(self._states, arrows)
        return BayesianNetwork(graph, self._states, tables, self._parents)

    def _declare_variables(self) -> None:
        for variable in self._document.variables:
            name, labels, fail = variable.name, variable.labels, self._document.fail
            if name in self._states:
                fail(variable.position, f"variable {name!r} is declared twice")
            if not 1 <= len(labels) <= MAX_CATEGORIES:
                fail(variable.position, f"variable {name!r} needs 1 to {MAX_CATEGORIES:,} labels")
            codes = {label: code for code, label in enumerate(labels)}
            if len(codes) < len(labels):
                twice = next(label for code, label in enumerate(labels) if codes[label] != code)
                fail(variable.position, f"variable {name!r} has the state {twice!r} twice")
            self._states[name] = labels
            self._codes[name] = codes

    def _declare_family(self, block: ProbabilityBlock) -> None:
        """Find the variable of a block and its parents among the declared variables."""
        names = split_items(block.variable, self._are_declared)
        parents = split_items(block.given, self._are_declared)
        if not names:
            self._document.fail(
                block.position, f"{block.variable[:80]!r} names no declared variable"
            )
        if parents is None:
            self._document.fail(
                block.position, f"{block.given[:80]!r} names parents that are not declared"
            )
        # An old dialect has no bar: the first name is the variable, the others are its parents.
        name, own = names[0], tuple(names[1:] + parents)
        if name in self._blocks:
            self._document.fail(block.position, f"{name!r} has a second probability block")
        if len(set(own)) < len(own):
            self._document.fail(block.position, f"{name!r} has a parent that is named twice")
        self._blocks[name] = block
        self._parents[name] = own

    def _are_declared(self, names: list[str]) -> bool:
        return all(name in self._states for name in names)

    def _refuse_cycles(self) -> None:
        """Take away variables whose parents are gone until none is left, or only cycles are."""
        n_waiting = {name: len(own) for name, own in self._parents.items()}
        children: dict[str, list[str]] = {name: [] for name in self._parents}
        for name, own in self._parents.items():
            for parent in own:
                children[parent].append(name)
        ready = [name for name, n in n_waiting.items() if n == 0]
        while ready:
            gone = ready.pop()
            del n_waiting[gone]
            for child in children[gone]:
                n_waiting[child] -= 1
                if n_waiting[child] == 0:
                    ready.append(child)
        if n_waiting:
            # All that is left has parents among what is left: going up from any ends in a cycle.
            walk: dict[str, None] = {}
            name = next(iter(n_waiting))
            while name not in walk:
                walk[name] = None
                name = next(parent for parent in self._parents[name] if parent in n_waiting)
            self._document.fail(
                self._blocks[name].position,
                f"{name!r} is its own ancestor: the arrows form a cycle",
            )

    def _table(self, name: str) -> NDArray[np.float64]:
        """Fill the table of one variable, parents' axes first."""
        block, parents = self._blocks[name], self._parents[name]
        n_states = len(self._states[name])
        shape = tuple(len(self._states[parent]) for parent in parents)
        # Checked factor by factor: the product of many parents has thousands of digits.
        n_configurations = 1
        for n in shape:
            n_configurations *= n
            if n_configurations > MAX_CONFIGURATIONS or len(shape) > MAX_PARENTS:
                self._document.fail(block.position, f"{name!r} has too many parents for a table")
        whole = [entry for entry in block.entries if entry.given == "table" and not entry.is_row]
        default = [
            entry for entry in block.entries if entry.given == "default" and not entry.is_row
        ]
        rows = [entry for entry in block.entries if entry.is_row]
        for repeated in (whole[1:], default[1:], (default + rows) if whole else []):
            if repeated:
                self._document.fail(
                    repeated[0].position, f"the probabilities of {name!r} are given twice"
                )
        if whole:
            filled = self._whole_table(name, whole[0], n_configurations, n_states)
        else:
            filled = self._rows(name, default, rows, n_configurations, n_states)
        return filled.reshape(*shape, n_states)

    def _whole_table(
        self, name: str, entry: TableEntry, n_configurations: int, n_states: int
    ) -> NDArray[np.float64]:
        """Read 'table': the variable's own states change slowest, the last parent's fastest."""
        if len(entry.values) != n_configurations * n_states:
            self._document.fail(
                entry.position,
                f"the table of {name!r} needs {n_configurations * n_states} numbers, "
                f"but has {len(entry.values)}",
            )
        table = np.array(entry.values).reshape(n_states, n_configurations).T.copy()
        wrong = _wrong_rows(table)
        if wrong.size:
            self._refuse_row(name, entry.position, table[wrong[0]])
        return table

    def _rows(
        self,
        name: str,
        default: list[TableEntry],
        rows: list[TableEntry],
        n_configurations: int,
        n_states: int,
    ) -> NDArray[np.float64]:
        """Read lines of the form '(states) numbers;', and a default for all others."""
        codes = [self._codes[parent] for parent in self._parents[name]]
        position_of: dict[int, int] = {}
        for entry in rows:
            configuration = self._configuration(name, entry, codes)
            if configuration in position_of:
                self._document.fail(entry.position, f"this row of {name!r} is given twice")
            position_of[configuration] = entry.position
        for entry in default + rows:
            if len(entry.values) != n_states:
                self._document.fail(
                    entry.position,
                    f"{name!r} has {n_states} states, but {len(entry.values)} numbers stand here",
                )
        values = np.array([entry.values for entry in rows]).reshape(len(rows), n_states)
        for wrong in _wrong_rows(values):
            self._refuse_row(name, rows[wrong].position, values[wrong])
        if len(rows) < n_configurations and not default:
            self._refuse_gap(name, position_of)
        if default:
            if _wrong_rows(np.array([default[0].values])).size:
                self._refuse_row(name, default[0].position, np.array(default[0].values))
            self._default_cells_left -= n_configurations * n_states
            if self._default_cells_left < 0:
                self._document.fail(
                    default[0].position,
                    f"'default' would fill {n_configurations * n_states:,} cells of {name!r}; "
                    f"all defaults of a file may fill {MAX_DEFAULT_CELLS:,}",
                )
        table = np.empty((n_configurations, n_states))
        if default:
            table[:] = default[0].values
        table[list(position_of)] = values
        return table

    def _configuration(self, name: str, entry: TableEntry, codes: list[dict[str, int]]) -> int:
        """Return the number of the row whose states the entry names."""

        def are_labels(items: list[str]) -> bool:
            return len(items) == len(codes) and all(
                item in known for item, known in zip(items, codes, strict=True)
            )

        labels = [label.strip() for label in entry.given.split(",")]
        if not are_labels(labels):
            labels = split_items(entry.given, are_labels) or []
        if len(labels) != len(codes):
            self._document.fail(
                entry.position,
                f"({entry.given[:80]}) is not one state for each of the {len(codes)} parents of "
                f"{name!r}",
            )
        configuration = 0
        for label, known in zip(labels, codes, strict=True):
            configuration = configuration * len(known) + known[label]
        return configuration

    def _refuse_row(self, name: str, position: int, row: NDArray[np.float64]) -> None:
        what = "hold a negative or infinite number" if not np.all(row >= 0) else ""
        what = what or f"sum to {float(row.sum())!r} instead of 1"
        self._document.fail(position, f"the probabilities of {name!r} {what}")

    def _refuse_gap(self, name: str, given: Mapping[int, int]) -> None:
        configuration = next(i for i in range(len(given) + 1) if i not in given)
        labels: list[str] = []
        for parent in reversed(self._parents[name]):
            configuration, code = divmod(configuration, len(self._states[parent]))
            labels.insert(0, self._states[parent][code])
        missing = f" for ({', '.join(labels)})" if labels else ""
        self._document.fail(self._blocks[name].position, f"{name!r} has no probabilities{missing}")


def _wrong_rows(rows: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the indices of rows that are not probabilities summing to 1, within the tolerance."""
    with np.errstate(invalid="ignore"):
        right = np.all(rows >= 0, axis=1) & (np.abs(rows.sum(axis=1) - 1) <= SUM_TOLERANCE)
    return np.flatnonzero(~right)
