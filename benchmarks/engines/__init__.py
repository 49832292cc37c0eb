"""Whether rows give one result from files, databases and clusters, and what each way costs."""
