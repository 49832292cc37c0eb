"""What would be, how sure it is, what to look at next, and why.

In: a network, its counts and what is given. Out: effects, intervals, rankings of columns, reasons.
"""
