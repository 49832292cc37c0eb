"""Numbers: random networks of four kinds and published Gaussian networks."""
