"""What several studies share: networks, samples, runs and their files, pages, other programs."""
