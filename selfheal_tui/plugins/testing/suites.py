"""What a benchmark suite promises: it says where its data is got, and every record that comes with it can be read."""

from __future__ import annotations

from selfheal_tui.bench.suites.named import NamedSuite
from selfheal_tui.bench.suites.suite import load_suite

from .contract import Given, promise


@promise("suite")
def says_where_its_data_is_got(given: Given) -> None:
    """A user without the data is told in one sentence where to get it."""
    suite: NamedSuite = given.loaded
    assert isinstance(suite.get_it, str) and suite.get_it.strip(), f"{given.name}: `get_it` is empty"
    assert all(isinstance(column, str) and column for column in suite.columns), f"{given.name}: `columns` are no names"


@promise("suite")
def reads_all_of_its_own_data_and_the_same_each_time(given: Given) -> None:
    """What comes with the package, if anything, holds records only, each with an id of its own."""
    suite: NamedSuite = given.loaded
    if suite.bundled() is None:
        return
    first, second = (load_suite(given.name, can_write=True, given_tests="all") for _ in range(2))
    assert not first.not_read, f"{given.name}: {first.not_read[0]}"
    assert first.records, f"{given.name}: it holds no record"
    same = (first.sha256, first.records) == (second.sha256, second.records)
    assert same, f"{given.name}: other records the second time"
