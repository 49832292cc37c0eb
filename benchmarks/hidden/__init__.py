"""Graphs learned while some variables are hidden, and whether their marks tell of these."""
