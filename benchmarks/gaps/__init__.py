"""What missing cells do to a learned graph."""
