"""Synthetic rows: shape, relations, fidelity, time and attacks, beside other programs."""
