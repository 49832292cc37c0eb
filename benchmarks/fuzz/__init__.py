"""Readers, tables and compiled code under mutated input."""
