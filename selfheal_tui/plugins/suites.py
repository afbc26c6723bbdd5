"""For benchmark suites: where data is got and how it is read. docs/benchmarks.md says what a record holds."""

from selfheal_tui.bench.suites.entries import Entry, Row
from selfheal_tui.bench.suites.named import NamedSuite
from selfheal_tui.errors import InputError

__all__ = ["Entry", "InputError", "NamedSuite", "Row"]
