"""Twelve tables as people have them, each drawn from a known graph, and what we make of them."""
