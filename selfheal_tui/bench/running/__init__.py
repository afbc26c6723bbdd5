"""Running a suite: one task to its verdict, all of them at some place, and who is told of it."""
