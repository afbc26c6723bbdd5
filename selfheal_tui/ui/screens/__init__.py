"""All screens but that of a run: the list, the form of a new run, settings, help, branches, comparison, trust."""
