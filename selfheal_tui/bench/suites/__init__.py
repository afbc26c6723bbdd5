"""Suites: from a name, a file or a folder to tasks, and a task as the loop sees it and as it is judged."""
