"""What several studies share: samples, records of runs, limits, environments of other programs."""
