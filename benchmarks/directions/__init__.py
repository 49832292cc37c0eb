"""Which of the learned arrows one may believe."""
