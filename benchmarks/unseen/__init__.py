"""Accuracy on networks that nobody looked at while the learner was made."""
