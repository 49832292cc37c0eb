"""The methods of `BayesianNetwork` that speak to other programs."""

from collections.abc import Hashable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bnsieve.adapters._common import NetworkParts
from bnsieve.adapters.pgmpy import parts_of_pgmpy, pgmpy_network
from bnsieve.adapters.pyagrum import parts_of_pyagrum, pyagrum_network
from bnsieve.graph import Graph


class NetworkExchange:
    """Base of `BayesianNetwork`: to and from pgmpy and pyAgrum, which infer."""

    __slots__ = ()

    levels: Mapping[str, tuple[Hashable, ...]]
    tables: Mapping[str, NDArray[np.float64]]
    parents: Mapping[str, tuple[str, ...]]

    def to_pgmpy(self) -> Any:
        """Return a `pgmpy.models.DiscreteBayesianNetwork`, labels kept as they are."""
        return pgmpy_network(self.levels, self.parents, self.tables)

    @classmethod
    def from_pgmpy(cls, network: Any) -> Self:
        """Build a network from pgmpy's, which must have a table for each variable."""
        return cls._of_parts(parts_of_pgmpy(network))

    def to_pyagrum(self) -> Any:
        """Return a `pyagrum.BayesNet`; labels that are not text become ``str(label)``.

        Raises
        ------
        ValueError
            If two labels of a variable are the same once they are text.
        """
        return pyagrum_network(self.levels, self.parents, self.tables)

    @classmethod
    def from_pyagrum(cls, network: Any) -> Self:
        """Build a network from a `pyagrum.BayesNet`."""
        return cls._of_parts(parts_of_pyagrum(network))

    @classmethod
    def _of_parts(cls, parts: NetworkParts) -> Self:
        arrows = [(parent, name) for name, given in parts.parents.items() for parent in given]
        build: Any = cls  # the constructor is the network's own
        network: Self = build(Graph(parts.nodes, arrows), *parts[1:])
        return network
