"""The command line: ``bnsieve``, or ``python -m bnsieve``.

`app` holds what all commands share, `commands` says which module holds which of them.
"""

import os
import signal
import sys

from bnsieve.cli.app import INTERRUPTED_CODE, app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line, as the installed ``bnsieve`` script does.

    Ctrl-C, and SIGTERM like it, end what runs as an exception does: temporary files are removed.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        app(prog_name="bnsieve")
    except SystemExit as ending:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to interrupt
        if ending.code == INTERRUPTED_CODE:
            # All is put away; to take libraries and tables apart would only take time.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(INTERRUPTED_CODE)
        raise
