"""A progress bar for notebooks and terminals.

In: announcements of stages. Out: a line that changes while they run, and a final line.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape
from threading import Lock
from typing import Any, Protocol

from bnsieve.engine.progress import Progress, TimeLeft, Timings, Watcher, watched

# Seconds between two pictures of a bar: more would only cost time.
_PAUSE = 0.1
# Stages that took less are not listed.
_QUICK = 0.05

_showing: ContextVar[bool] = ContextVar("showing", default=False)


@contextmanager
def watch(callback: Watcher | None = None) -> Iterator[None]:
    """Show the progress of `fit`, `bootstrap`, `update`, `prepare` and similar calls inside.

    Parameters
    ----------
    callback : callable, optional
        A function that gets a `Progress` at the start of each stage and at each step. Any thread
        may call it, but only one at a time. An exception in it stops the work. Without a callback,
        a bar is shown: below the cell of a notebook, or on the terminal (stderr).

    Examples
    --------
    >>> import bnsieve as bn
    >>> stages = []
    >>> data = bn.load_network("asia").sample(500, random_state=0)
    >>> with watch(lambda progress: stages.append(progress.stage)):
    ...     learner = bn.TsetlinSieve(random_state=0).fit(data)
    >>> "search" in stages
    True
    """
    if callback is not None:
        with watched(callback):
            yield
        return
    if _showing.get():  # one bar is enough
        yield
        return
    bar = Bar(NotebookLine() if _in_notebook() else TerminalLine())
    token = _showing.set(True)
    try:
        with watched(bar.show):
            yield
    except BaseException:
        bar.end(whole=False)
        raise
    else:
        bar.end(whole=True)
    finally:
        _showing.reset(token)


class Line(Protocol):
    """The place where a bar is shown."""

    def draw(self, progress: Progress, left: str) -> None:
        """Show the progress and the time left."""

    def end(self, text: str) -> None:
        """Show a text in place of the bar."""


class Bar:
    """The display: the running stage with its progress, and at the end the seconds of all stages.

    Parameters
    ----------
    line : Line
    """

    def __init__(self, line: Line) -> None:
        self._line, self._lock = line, Lock()
        self._timings, self._left, self._drawn = Timings(), TimeLeft(), 0.0

    def show(self, progress: Progress) -> None:
        """Record an announcement, and draw it unless the last picture is very recent."""
        with self._lock:
            begins = progress.stage != self._timings.running
            now = self._timings.switch(progress.stage)
            left = self._left.of(progress, now)
            if begins or progress.done == progress.total or now - self._drawn >= _PAUSE:
                self._drawn = now
                self._line.draw(progress, left)

    def end(self, whole: bool) -> None:
        """Show how long it took, or where it stopped."""
        with self._lock:
            stage = self._timings.running
            self._timings.switch("")
            total = f"{sum(self._timings.values()):.1f} s"
            parts = [f"{name} {s:.1f}" for name, s in self._timings.items() if s >= _QUICK]
            done = f"done in {total}" + (f": {', '.join(parts)}" if len(parts) > 1 else "")
            where = f", in {stage}" if stage else ""
            self._line.end(done if whole else f"stopped after {total}{where}")


class NotebookLine:
    """A line below the cell of a notebook.

    It uses display messages only, so it works in every notebook without widgets.
    """

    def __init__(self) -> None:
        from IPython.display import HTML, display

        self._html: Any = HTML
        self._handle = display(HTML(""), display_id=True)

    def draw(self, progress: Progress, left: str) -> None:
        """Show a bar, which moves to and fro where nobody knows how much there is to do."""
        value = ""
        if progress.total:
            value = f' value="{progress.done}" max="{progress.total}"'
        stage, text = escape(progress.stage), escape(_joined(progress.text, left))
        self._show(f'<progress aria-label="{stage}"{value}></progress> {stage} {text}')

    def end(self, text: str) -> None:
        """Show a text in place of the bar."""
        self._show(escape(text))

    def _show(self, line: str) -> None:
        style = "font:13px/1.5 system-ui,sans-serif;opacity:.8"
        self._handle.update(self._html(f'<div style="{style}">{line}</div>'))


class TerminalLine:
    """A line on the terminal, to stderr."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        self._console = Console(stderr=True)
        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[text]}"),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
        )
        self._task = self._bar.add_task("", total=None, text="")
        if self._console.is_terminal:  # in a file, the last line is enough
            self._bar.start()

    def draw(self, progress: Progress, left: str) -> None:
        """Show a bar, which moves to and fro where nobody knows how much there is to do."""
        self._bar.update(
            self._task,
            description=progress.stage,
            completed=progress.done or 0,
            text=_joined(progress.text, left),
        )
        self._bar.tasks[0].total = progress.total  # to `update`, None would say: as before

    def end(self, text: str) -> None:
        """Show a text in place of the bar."""
        if self._console.is_terminal:
            self._bar.stop()
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)


def _joined(*texts: str) -> str:
    return ", ".join(filter(None, texts))


def _in_notebook() -> bool:
    """Tell whether a kernel runs this code, rather than a terminal."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")
