"""How likely new rows are under learned networks."""
