"""Two runs over the same tasks, set against each other."""
