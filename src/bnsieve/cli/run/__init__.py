"""One run from a file of rows to its results: in words, as JSON and as files."""
