"""The paper's experiment, run again."""
