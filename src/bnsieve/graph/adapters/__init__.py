"""Graphs, networks and candidates handed to other programs, and taken back.

`Graph` and `BayesianNetwork` have the methods; here are the functions for candidates, as the
fitted attribute ``candidates_`` has them. The other program is imported when it is asked for.
"""

from bnsieve.graph.adapters.pgmpy import candidates_to_pgmpy
from bnsieve.graph.adapters.pyagrum import candidates_to_pyagrum

__all__ = ["candidates_to_pgmpy", "candidates_to_pyagrum"]
