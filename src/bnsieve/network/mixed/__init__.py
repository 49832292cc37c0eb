"""Numbers in a network: how a number depends on its parents, and a label on numbers.

In: values and codes by name. Out: nodes with proper densities in the units of the data.
"""
