"""Families that add a statement: what another method, a guard or a parameter says is missing."""

from __future__ import annotations

import textwrap

import pytest

from selfheal_tui.search.operators import OPERATORS, Splice
from selfheal_tui.search.program.source import parse_source
from tests.unit.test_search_families import edits


def program(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


SHELF = program(
    """
    class Shelf:
        def __init__(self):
            self.left, self.out, self.free, self.seen = {}, {}, [1, 2], set()

        def lend(self, who, title, day):
            self.left[title] -= 1
            self.out[who] = day
            slot = self.free.pop()
            self.seen.add(slot)
            return slot

        def give_back(self, who, title, slot):
            self.note(who)
            return title

        def note(self, who):
            self.last = who
    """
)


def splices(family: str, text: str) -> list[Splice]:
    source = parse_source("p.py", text)
    return [splice for node in source.nodes() for splice in OPERATORS[family].edits(source, node)]


def added(family: str, text: str) -> list[str]:
    """Return the lines that each edit of a family adds, without their indentation."""
    rows = text.splitlines()
    lines = []
    for made in edits(family, text):
        new = made.splitlines()
        at = next(n for n, row in enumerate([*rows, ""]) if n >= len(new) or row != new[n])
        lines.append("; ".join(row.strip() for row in new[at : at + len(new) - len(rows)]))
    return lines


@pytest.mark.parametrize(
    "undone", ["self.left[title] += 1", "del self.out[who]", "self.free.append(slot)", "self.seen.discard(slot)"]
)
def test_what_one_method_does_another_one_undoes(undone: str) -> None:
    before_return = SHELF.replace("        return title", f"        {undone}\n        return title")
    assert before_return in edits("undone_update", SHELF)
    assert added("undone_update", SHELF.replace("self.note(who)", undone)).count(undone) == 0, "it does that already"


def test_what_undoes_a_change_stands_after_the_last_change_of_a_block() -> None:
    changing = SHELF.replace("self.note(who)", "self.a = 1\n        self.b = 2\n        print(who)")
    row = "        self.b = 2\n"
    made = [text for text in edits("undone_update", changing) if "self.left[title] += 1" in text]
    assert made == [changing.replace(row, f"{row}        self.left[title] += 1\n")]


def test_what_is_undone_somewhere_or_cannot_be_named_is_left_alone() -> None:
    back = SHELF.replace("self.last = who", "self.left[title] += 1")
    assert "self.left[title] += 1" not in added("undone_update", back), "`left_out_update` has it"
    assert not any("title" in line for line in added("undone_update", SHELF.replace("title, slot", "slot")))
    assert "del self.out[who]" not in added("undone_update", SHELF.replace("self.last = who", "self.out.pop(who)"))
    assert edits("undone_update", "def f(self, n):\n    self.left -= n\n") == [], "it is in no class"


def test_what_counts_only_is_less_likely_undone_and_a_fixed_entry_is_not() -> None:
    text = SHELF.replace("self.last = who", "self.asked += 1\n        self.out[FIRST] = who")
    at = text.index("        return title")
    cost = {made.text.strip(): made.extra for made in splices("undone_update", f"FIRST = 1\n{text}") if made.start > at}
    assert cost["self.asked -= 1"] > cost["self.left[title] += 1"] + 0.9
    assert "del self.out[FIRST]" not in cost and "del self.out[who]" in cost


STORE = program(
    """
    class Store:
        def get(self, key):
            if self.is_old(key):
                self.misses += 1
                return None
            self.data.move_to_end(key)
            return self.data[key]

        def purge(self, keys):
            self.data.popitem()
            for key in keys:
                del self.data[key]

        def use(self, key):
            self.data.move_to_end(key)
    """
)


def test_an_update_is_left_out_where_the_attribute_is_changed_in_another_way() -> None:
    made = edits("left_out_update", STORE)
    at_first = [line for line in added("left_out_update", STORE) if "self.data" in line]
    assert at_first[:2] == ["del self.data[key]", "self.data.popitem()"], "it names an argument"
    row = "            self.misses += 1"
    assert STORE.replace(row, f"            del self.data[key]\n{row}") in made
    inside = [text.partition("def purge")[0] for text in made]
    assert not any(text.count("move_to_end") > 1 for text in inside), "it does that already"


SEEN = program(
    """
    class Meter:
        def __init__(self, most, clock):
            self.most = most
            self.read = clock()
            self.best = 0
            self.last = None

        def add(self, n):
            now = self.clock()
            rate = n / (now - self.read)
            if n > self.best:
                self.rates = rate
                return True
            return rate

        def take(self, key, n):
            if key != self.last:
                self.use(key)
            if n > self.most:
                raise ValueError(n)

        def reset(self):
            self.rates = 0
    """
)


def test_what_was_seen_last_is_brought_up_to_date() -> None:
    made = edits("brought_up_to_date", SEEN)
    for row, new in (
        ("        rate = n / (now - self.read)\n", "        self.read = now\n"),
        ("            self.rates = rate\n", "            self.best = n\n"),
        ("            self.use(key)\n", "            self.last = key\n"),
    ):
        assert SEEN.replace(row, row + new) in made, new
    assert not any("self.most = n" in text for text in made), "that is given once and for all"
    assert "self.read = now" not in added("brought_up_to_date", SEEN.replace("self.rates = 0", "self.read = 0"))
    assert edits("brought_up_to_date", "def f(self, now):\n    a = now - self.read\n") == [], "it is in no class"


BANK = program(
    """
    class Bank:
        def _check(self, account):
            if account not in self.limits:
                raise KeyError(account)

        def size(self):
            return len(self.limits)

        def balance(self, account):
            "What is there."
            self._check(account)
            self.note(account)
            return self.sums[account]

        def move(self, source, target, *, text=""):
            "Move it."
            self.take(source)
            return text

        def both(self, source, target):
            self._check(source)
            self.put(target)

    def other(account):
        return account
    """
)


def test_an_argument_is_checked_as_those_of_other_methods_are() -> None:
    made = edits("missing_guard_call", BANK)
    names = ("source", "target", "text", "target")
    assert added("missing_guard_call", BANK) == [f"self._check({name})" for name in names]
    take, put = "        self.take(source)\n", "        self.put(target)\n"
    assert made[0] == BANK.replace(take, f"        self._check(source)\n{take}")
    assert made[-1] == BANK.replace(put, f"        self._check(target)\n{put}"), "after the check that is there"
    assert edits("missing_guard_call", BANK.replace("raise KeyError(account)", "return False")) == [], "it is no guard"
    keeps = BANK.replace(
        "            raise KeyError(account)", "            raise KeyError(account)\n        self.last = account"
    )
    assert edits("missing_guard_call", keeps) == [], "it does more than to check"


def test_a_check_of_the_module_is_for_all_its_functions() -> None:
    text = "def check(a):\n    if a < 0:\n        raise ValueError\n\ndef f(n, a):\n    check(a)\n    return n\n\n"
    assert added("missing_guard_call", text) == ["check(n)"]
    like = text + "def g(b, a):\n    return b\n"
    assert added("missing_guard_call", like) == ["check(n)", "check(a)", "check(b)"], "the same name comes first"


ORDER = program(
    """
    class Order:
        def __init__(self, number):
            self.state = "new"
            self.history = ["new"]
            self.names = []
            self.seen = set()
            self.plain = [1, 2]

        def fire(self, event):
            old = self.state
            self.state = TABLE[old]
            return old

        def undo(self, name):
            if name in self.names and name not in self.seen:
                self.history.pop()
            return self.history[-1]

        def note(self, thing):
            self.last = thing
    """
)


def test_what_is_read_and_never_filled_is_filled() -> None:
    made = edits("never_filled", ORDER)
    row = "        self.state = TABLE[old]\n"
    after, before = (
        f"{row}        self.history.append(self.state)\n",
        f"        self.history.append(self.state)\n{row}",
    )
    assert ORDER.replace(row, after) in made and ORDER.replace(row, before) in made
    first = next(text for text in made if "self.history.append" in text)
    assert first == ORDER.replace(row, after), "it started with what the state started with"
    last = "        self.last = thing\n"
    assert ORDER.replace(last, f"{last}        self.names.append(thing)\n") in made
    assert ORDER.replace(last, f"{last}        self.seen.add(thing)\n") in made
    assert not any("self.plain." in text for text in made), "nothing reads it"


@pytest.mark.parametrize(
    "filled",
    [
        "self.history.append(1)",
        "self.history += [1]",
        "self.history = [1]",
        "keep(self.history)",
        "self.history[0] = 1",
    ],
)
def test_what_is_filled_somewhere_is_left_alone(filled: str) -> None:
    filled_there = ORDER.replace("self.last = thing", filled)
    assert not any("self.history.append(self." in text for text in edits("never_filled", filled_there))


BOOK = program(
    """
    class Book:
        def lines(self, account, min_amount=0, kinds=(), owner_name=None):
            self._check(account)
            lines = []
            for e in self.entries:
                lines.append(e.text)
            return lines

        def names(self):
            return [(e.account, e.amount, e.kind, e.owner, e["day"]) for e in self.entries]

        def texts(self, day):
            return [e.text for e in self.entries]
    """
)


def test_an_argument_that_nothing_reads_says_what_is_left_out() -> None:
    assert added("unread_filter", BOOK)[:4] == [
        "if e.account != account:; continue",
        "if e.amount < min_amount:; continue",
        "if e.kind not in kinds:; continue",
        "if owner_name is not None and e.owner != owner_name:; continue",
    ]
    row = "            lines.append(e.text)\n"
    assert edits("unread_filter", BOOK)[0] == BOOK.replace(
        row, f"            if e.account != account:\n                continue\n{row}"
    )
    whole = "[e.text for e in self.entries]"
    assert BOOK.replace(whole, f'{whole[:-1]} if e["day"] == day]') in edits("unread_filter", BOOK)
    kept = "[e.text for e in self.entries if e.text]"
    longer = f'{kept[:-1]} and e["day"] == day]'
    assert BOOK.replace(whole, longer) in edits("unread_filter", BOOK.replace(whole, kept))


def test_an_argument_that_is_read_leaves_nothing_out() -> None:
    read = BOOK.replace("lines = []", "lines = [account, min_amount, kinds, owner_name]").replace(
        "[e.text", "[day + e.text"
    )
    assert edits("unread_filter", read) == []
    unlike = BOOK.replace("e.account, e.amount, e.kind, e.owner, e[", "e[")
    assert not any("account" in line for line in added("unread_filter", unlike)), "no attribute is called like it"
