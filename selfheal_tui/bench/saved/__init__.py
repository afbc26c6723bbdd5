"""A run's folder: what a run writes there, and who reads it."""
