"""The command line: ``bnsieve``, or ``python -m bnsieve``.

`app` holds what all commands share, `commands` says which module holds which of them.
"""

import os
import signal
import sys
from types import FrameType

from bnsieve.cli.app import INTERRUPTED_CODE, Commands, app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line, as the installed ``bnsieve`` script does.

    Ctrl-C, and SIGTERM like it, end what runs as an exception does: temporary files are removed.
    """
    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        app(prog_name="bnsieve")
    except SystemExit as ending:
        # Nothing is left to interrupt.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if ending.code == INTERRUPTED_CODE:
            # All is put away; to take libraries and tables apart would only take time.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(INTERRUPTED_CODE)
        raise


def _interrupt(number: int, frame: FrameType | None) -> None:
    if not Commands.is_done:
        raise KeyboardInterrupt
    # What is left is to print, at most. If nobody reads that, a second signal ends the process.
    signal.signal(number, signal.SIG_DFL)
