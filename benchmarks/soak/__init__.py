"""Load: thousands of fits in one process, several at once, and one beside one that is ended."""
