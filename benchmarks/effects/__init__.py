"""How far effects can be trusted: coverage, signs, overlap, and other programs beside."""
