"""The estimators: each one a chain of stages.

In: data. Out: a fitted learner, which answers questions and can be saved.
"""

from bnsieve.learners.base import StructureLearner
from bnsieve.learners.baselines import FSMBPC, PC, HitonPC
from bnsieve.learners.blanket import Blanket, blanket_of, learn_blanket
from bnsieve.learners.checking import texts_for_numbers
from bnsieve.learners.effects import MIN_EFFECT
from bnsieve.learners.explaining import findings_of
from bnsieve.learners.fit_result import FitResult
from bnsieve.learners.saving.loading import load
from bnsieve.learners.synthesizing import synthesizer_of
from bnsieve.learners.tsetlin_pc import TsetlinPC, paper_epochs
from bnsieve.learners.tsetlin_sieve import TsetlinSieve

__all__ = [
    "FSMBPC",
    "MIN_EFFECT",
    "PC",
    "Blanket",
    "FitResult",
    "HitonPC",
    "StructureLearner",
    "TsetlinPC",
    "TsetlinSieve",
    "blanket_of",
    "findings_of",
    "learn_blanket",
    "load",
    "paper_epochs",
    "synthesizer_of",
    "texts_for_numbers",
]
