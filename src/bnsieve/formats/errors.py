"""The one error of every reader: what is wrong, and where in the file."""


class FormatError(ValueError):
    """A file that is not what its format demands.

    Parameters
    ----------
    message : str
        What is wrong, in one sentence.
    line, column : int
        Where, counted from 1; the column in characters.
    path : str, optional
        The file, where it has a name.

    Attributes
    ----------
    message, line, column, path
        As given.
    """

    def __init__(self, message: str, line: int, column: int, path: str | None = None) -> None:
        super().__init__(message, line, column, path)
        self.message = message
        self.line = line
        self.column = column
        self.path = path

    def __str__(self) -> str:
        file = f"{self.path}, " if self.path else ""
        return f"{file}line {self.line}, column {self.column}: {self.message}"
