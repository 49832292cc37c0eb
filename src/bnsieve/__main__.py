"""``python -m bnsieve`` is the command line."""

from bnsieve.cli import main

main()
