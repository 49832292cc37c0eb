"""The one error of every reader: what is wrong, and where in the file."""

from bnsieve.knowledge import shortened


class FormatError(ValueError):
    """A file that is not what its format demands.

    Parameters
    ----------
    message : str
        What is wrong, in one sentence. Of a very long one the middle is left out.
    line, column : int, optional
        Where, counted from 1; the column in characters. None where the message itself says which
        entry is meant.
    path : str, optional
        The file, where it has a name.

    Attributes
    ----------
    message, line, column, path
        As given.
    """

    def __init__(
        self,
        message: str,
        line: int | None = None,
        column: int | None = None,
        path: str | None = None,
    ) -> None:
        message = shortened(message)
        super().__init__(message, line, column, path)
        self.message = message
        self.line = line
        self.column = column
        self.path = path

    def __str__(self) -> str:
        where = [] if self.path is None else [self.path]
        if self.line is not None:
            where.append(f"line {self.line}, column {self.column}")
        return ": ".join([", ".join(where), self.message] if where else [self.message])
