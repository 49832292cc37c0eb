"""Where rows come from when there are too many of them for memory: files read piece by piece."""
