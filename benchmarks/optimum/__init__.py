"""How far the learner's graphs are from the best ones by its own score."""
