"""The estimators: each a chain of stages from data to a graph."""
