"""Twelve exports as programs write them: units, codes, spellings, title rows; with their truth."""
