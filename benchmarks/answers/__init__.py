"""How far answers can be trusted: intervals, effects, and the next column to look at."""
