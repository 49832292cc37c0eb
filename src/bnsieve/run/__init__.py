"""From a file to a network: what `bnsieve learn` does, without the command line."""
