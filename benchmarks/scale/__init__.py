"""Time and memory against rows, columns and workers."""
