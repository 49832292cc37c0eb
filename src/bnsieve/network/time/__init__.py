"""Networks over time: slices, paths, forecasts.

In: a network over variables and their lagged copies, and the last rows of entities. Out: forecasts.
"""
