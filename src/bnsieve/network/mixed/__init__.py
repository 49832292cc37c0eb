"""Numeric variables: how they depend on their parents, and categorical ones on numbers.

In: values and codes by name. Out: nodes with proper densities in the units of the data.
"""
