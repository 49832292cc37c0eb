"""Studies of bnsieve: how accurate it is, how fast, beside which other programs.

One folder per study. Its ``study.py`` has ``main(arguments)``; what it needs lies beside it, and so
do its results. ``python -m benchmarks STUDY`` from a clone runs one. Nothing here is installed
with bnsieve.
"""
