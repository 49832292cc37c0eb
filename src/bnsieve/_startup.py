"""What must be settled before the libraries are loaded, which takes a second or so.

On the command line, Ctrl-C or SIGTERM while they load end in one line, without a traceback; and
where only the list of commands is asked for, they are not loaded at all. So this is the first
module that the package imports. In other programs it does nothing.
"""

import os
import signal
import sys
import threading
from pathlib import PurePath
from types import FrameType

INTERRUPTED = "interrupted: nothing was written"


def _is_command_line() -> bool:
    program = PurePath(sys.argv[0]).stem if getattr(sys, "argv", None) else ""
    return program.removesuffix("-script") == "bnsieve" or sys.orig_argv[1:3] == ["-m", "bnsieve"]


def _end(number: int, frame: FrameType | None) -> None:
    os.write(2, f"{INTERRUPTED}\n".encode())
    os._exit(128 + signal.SIGINT)  # as later, for either signal


# `bnsieve --help`, which needs none of the package's names.
HELP_ONLY = _is_command_line() and sys.argv[1:] in (["--help"], ["-h"], ["--version"])

if _is_command_line() and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, _end)
    signal.signal(signal.SIGTERM, _end)
