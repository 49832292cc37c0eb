"""Files that a command is about to write: none of them may be one that it reads."""

from collections.abc import Iterable
from pathlib import Path

from bnsieve.rows import CSV_ENDS, PARQUET_ENDS


def require_apart(
    outputs: Iterable[Path],
    inputs: Iterable[Path | None],
    option: str,
    reason: str = "this command reads it",
) -> None:
    """Refuse to replace a file that the command was told to use.

    Parameters
    ----------
    outputs : iterable of Path
        The files to write.
    inputs : iterable of Path
        Files and folders that are read; None where there is none.
    option : str
        The option that names the output.
    reason : str
        Why an input must stay.

    Raises
    ------
    ValueError
        If an output is one of the inputs, by whatever name or link.
    """
    used = [path for path in inputs if path is not None and path.exists()]
    for output in outputs:
        for path in used if output.exists() else ():
            if output.samefile(path) or _is_read_from(output, path):
                raise ValueError(
                    f"{output} would be replaced, and {reason}: name another place with {option}"
                )


def _is_read_from(file: Path, folder: Path) -> bool:
    """Tell whether a file is among the data in a folder."""
    ends = (*CSV_ENDS, *PARQUET_ENDS)
    return (
        folder.is_dir()
        and file.name.lower().endswith(ends)
        and file.resolve().is_relative_to(folder.resolve())
    )
