"""How many edges a learner finds where there are none."""
