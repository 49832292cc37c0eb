"""What a network says: exact inference, sampling, most probable explanations.

In: a network's tables and what is given. Out: distributions, explanations, filled cells.
"""
