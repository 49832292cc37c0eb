"""Benchmarks that run from the installed package: what the documentation states, measured again."""
