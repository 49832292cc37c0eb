"""Where work runs: an engine maps a function over items, and knows nothing of what it does."""
