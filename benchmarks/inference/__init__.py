"""How exact and how fast answers are, beside pyAgrum."""
