"""Algorithms that find a skeleton by asking independence questions, one file each."""
