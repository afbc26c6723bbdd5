"""selfheal: heal broken Python under human control, in the terminal."""

__version__ = "0.1.0"
