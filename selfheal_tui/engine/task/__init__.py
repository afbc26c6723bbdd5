"""From the user's disk to a task: reads files, never writes them, and goes no further than its walls."""
