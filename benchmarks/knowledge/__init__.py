"""Whether knowledge is always honoured, and what it spares."""
