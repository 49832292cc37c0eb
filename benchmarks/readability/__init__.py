"""How hard the documentation is to read."""
