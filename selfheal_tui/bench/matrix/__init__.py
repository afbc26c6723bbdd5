"""A matrix: one suite, run once for each cell of settings."""
