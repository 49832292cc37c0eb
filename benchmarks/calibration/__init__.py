"""How often the independence tests find dependence, in independent data and at a fixed effect."""
