"""Whether the strengths of edges are calibrated."""
