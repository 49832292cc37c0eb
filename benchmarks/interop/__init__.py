"""Whether other programs and bnsieve understand each other's graphs, networks and files."""
