"""How fast the Tsetlin machine is, on its own and beside others."""
