"""Synthetic rows with the columns, types and formats of the training table.

In: the network of a fit, and its record of the table. Out: synthetic rows.
"""

from bnsieve.synthesize.disclosure import Disclosure, disclosure_of
from bnsieve.synthesize.drawing import RowDrawer
from bnsieve.synthesize.fidelity import Distance, Fidelity, Prediction, fidelity_of
from bnsieve.synthesize.frames import to_frame
from bnsieve.synthesize.records import Spelling, TableRecord
from bnsieve.synthesize.relations import relations_of
from bnsieve.synthesize.remember import read_names, record_table
from bnsieve.synthesize.spelling import spelling_of
from bnsieve.synthesize.synthesizer import Rare, Synthesizer
from bnsieve.synthesize.writing import check_output, write_csv, write_tables

__all__ = [
    "Disclosure",
    "Distance",
    "Fidelity",
    "Prediction",
    "Rare",
    "RowDrawer",
    "Spelling",
    "Synthesizer",
    "TableRecord",
    "check_output",
    "disclosure_of",
    "fidelity_of",
    "read_names",
    "record_table",
    "relations_of",
    "spelling_of",
    "to_frame",
    "write_csv",
    "write_tables",
]
