"""How accurate `TsetlinSieve` is, what each of its parts is worth, and how it compares."""
