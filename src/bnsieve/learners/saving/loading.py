"""A saved learner, loaded again."""

from os import PathLike

from bnsieve.exchange import FormatError
from bnsieve.learners.base import StructureLearner
from bnsieve.learners.baselines import FSMBPC, PC, HitonPC
from bnsieve.learners.saving.archive import MAX_BYTES, read_archive
from bnsieve.learners.tsetlin_pc import TsetlinPC
from bnsieve.learners.tsetlin_sieve import TsetlinSieve

LEARNERS: dict[str, type[StructureLearner]] = {
    learner.__name__: learner for learner in (FSMBPC, HitonPC, PC, TsetlinPC, TsetlinSieve)
}


def load(path: str | PathLike[str], *, max_bytes: int = MAX_BYTES) -> StructureLearner:
    """Load a learner that its method `save` wrote.

    Safe for files of strangers: a file cannot name code nor say where work runs, and all that it
    holds is checked. `engine`, `n_jobs` and `verbose` are as in a new learner: set them with
    `set_params`.

    Parameters
    ----------
    path : str or path
    max_bytes : int, default 2 GB
        Most bytes that the file may unpack to, and about what loading it may take.

    Returns
    -------
    StructureLearner
        Of the class that was saved, with its parameters and fitted attributes.

    Raises
    ------
    FormatError
        If the file is not a learner that this version of bnsieve can read, or is damaged.
    OSError
        If the file cannot be opened.
    """
    learner, parameters, result = read_archive(path, LEARNERS, max_bytes)
    unknown = sorted(set(parameters) - set(learner._get_param_names()))
    if unknown:
        raise FormatError(
            f"parameters: a {learner.__name__} has no parameter {unknown[0]!r}", path=str(path)
        )
    made: StructureLearner = learner(**parameters)
    made.fit_result_ = result
    return made
