"""Studies of bnsieve: one folder each, with its runner, its report and its results."""
