"""Whether a change of the code changes a result: one hash of what every learner finds."""
