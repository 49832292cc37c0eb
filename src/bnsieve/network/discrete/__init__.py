"""Inference in categorical networks: exact, by sampling, most probable explanations.

In: a network's tables and what is given. Out: distributions, explanations, filled cells.
"""
