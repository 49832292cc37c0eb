"""Interventions: what would be if a variable were set, whatever its causes.

In: a network and states to set. Out: networks under intervention, effects with adjustment sets.
"""
