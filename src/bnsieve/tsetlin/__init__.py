"""The weighted Tsetlin machine: literals, the machine, its estimator and its rules."""
