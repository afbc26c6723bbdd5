"""selfheal from Python: `from selfheal_tui import heal`. Everything here drives the same engine as the commands do."""
