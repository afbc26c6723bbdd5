"""What a line leaves out: the other object, the other number, the taking, the first number, the unit, the flag."""

from __future__ import annotations

import pytest

from selfheal_tui.search.operators import OPERATORS
from selfheal_tui.search.program.observations import Observations
from selfheal_tui.search.program.source import parse_source


def edits(family: str, text: str, seen: Observations | None = None) -> list[str]:
    """Return the new texts that one family makes of a program, the cheapest first."""
    source = parse_source("p.py", text, (), seen)
    made = [splice for node in source.nodes() for splice in OPERATORS[family].edits(source, node)]
    made.sort(key=lambda splice: OPERATORS[family].cost * splice.weight + splice.extra)
    return [text[: splice.start] + splice.text + text[splice.end :] for splice in made]


MERGE = """def merge(slots):
    merged = []
    for slot in sorted(slots):
        if slot.start <= merged[-1].end:
            last = merged[-1]
            {}
"""


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        ("merged[-1] = Slot(last.start, slot.end)", "merged[-1] = Slot(last.start, max(last.end, slot.end))"),
        ("last = Slot(last.start, end=slot.end)", "last = Slot(last.start, end=max(last.end, slot.end))"),
        ("last.end = slot.end", "last.end = max(last.end, slot.end)"),
        ("merged[-1].end = slot.end", "merged[-1].end = max(merged[-1].end, slot.end)"),
    ],
)
def test_one_of_two_objects_gives_way_to_the_larger_of_both(line: str, mended: str) -> None:
    assert MERGE.format(mended) in edits("of_both", MERGE.format(line))


@pytest.mark.parametrize(
    "text",
    [
        "def f(a, b):\n    return g(a.x, b)",
        "def f(a, b):\n    return g(a.x, b.y)",
        "def f(a, b):\n    return g(max(a.x, b.x), b.y < a.y)",
        "def f(a, b):\n    a.x = b.x()",
    ],
)
def test_of_two_objects_without_the_attribute_in_common_no_larger_one_is_taken(text: str) -> None:
    assert edits("of_both", text) == []


ITEM = """@dataclass
class Item:
    name: str
    price: float
    stock: int = 0
    reserved: int = 0

    def left(self):
        return {}

class Other:
    def f(self):
        return self.page
"""


@pytest.mark.parametrize(
    ("value", "mended"),
    [
        ("self.stock", ["self.stock - self.reserved", "self.stock + self.reserved"]),
        ("self.reserved > 1", ["self.reserved - self.stock > 1", "self.reserved + self.stock > 1"]),
    ],
)
def test_a_number_of_the_same_object_that_a_method_does_not_use_is_taken_away(value: str, mended: list[str]) -> None:
    assert {*edits("peer", ITEM.format(value))} >= {ITEM.format(one) for one in mended}


def test_a_number_that_the_method_uses_already_is_not_taken_away_first() -> None:
    text = ITEM.format("self.stock * self.reserved")
    assert edits("peer", text)[0] == text.replace("self.stock *", "(self.stock - self.price) *")


def test_numbers_of_an_object_are_those_that_it_starts_with_too() -> None:
    text = "class A:\n    def __init__(self, b):\n        self.b = b\n        self.d = []\n        self.c = 0\n\n"
    text += "    def f(self):\n        return self.b\n"
    assert edits("peer", text)[0] == text.replace("return self.b", "return self.b - self.c")


def test_an_object_is_told_by_the_class_that_runs_showed() -> None:
    text = ITEM.format("0") + "def f(item):\n    return item.stock\n"
    seen = Observations(variables={"f": {"item": frozenset({"Item"})}})
    mended = text.replace("return item.stock", "return item.stock - item.reserved")
    assert mended in edits("peer", text, seen) and mended not in edits("peer", text)


QUEUES = """class A:
    def f(self, title, rows):
        queue = self.waiting.get(title)
        fresh = [1, 2]
        while rows:
            {}
        {}
"""


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        ("return queue[0] if queue else None", "return queue.pop(0) if queue else None"),
        ("return queue[-1]", "return queue.pop()"),
        ("first = self.rows[0]", "first = self.rows.pop(0)"),
        ("g(self.rows[title][-1])", "g(self.rows[title].pop())"),
        ("return self.due[title]", "return self.due.pop(title)"),
    ],
)
def test_an_item_of_a_list_that_is_kept_is_taken(line: str, mended: str) -> None:
    assert edits("taken", QUEUES.format("pass", line)) == [QUEUES.format("pass", mended)]


def test_an_item_of_the_list_that_a_loop_works_off_is_taken() -> None:
    assert edits("taken", QUEUES.format("x, y = rows[0]", "pass")) == [QUEUES.format("x, y = rows.pop(0)", "pass")]


def test_an_item_of_a_queue_with_two_ends_is_taken_from_its_left() -> None:
    text = QUEUES.format("pass", "return queue[0]")
    seen = Observations(variables={"f": {"queue": frozenset({"deque"})}}, types={(7, 15, 7, 20): frozenset({"deque"})})
    assert edits("taken", text, seen) == [text.replace("queue[0]", "queue.popleft()")]


@pytest.mark.parametrize(
    "line",
    [
        *("return rows[0]", "return fresh[0]", "return queue[1]", "return queue[0] > 1", "queue[0] = 1"),
        *("return ''[0]", "if self.due[title]: pass", "self.due[title] += 1", "return self.due[title].x"),
        "return self.due[1:]",
    ],
)
def test_an_item_that_is_only_asked_about_or_of_a_list_that_is_new_or_passed_in_is_not_taken(line: str) -> None:
    assert edits("taken", QUEUES.format("pass", line)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for n, x in enumerate(xs): pass", ["for n, x in enumerate(xs, start=1): pass"]),
        ("for n, x in enumerate((xs),): pass", ["for n, x in enumerate((xs), start=1): pass"]),
        ("n = enumerate(xs)\nr = enumerate(ys, 1)", ["n = enumerate(xs, 1)\nr = enumerate(ys, 1)"]),
        ("r = enumerate(xs, start=1)", []),
        ("r = enumerate(x for x in y)", []),
        ("r = enumerate(xs, n)", []),
        ("r = enumerate(*xs)", []),
    ],
)
def test_numbering_starts_from_one_as_the_file_writes_it(before: str, after: list[str]) -> None:
    assert edits("numbering", before) == after


@pytest.mark.parametrize(
    ("given", "mended"),
    [
        ("second=0, microsecond=0", ["minute=0, second=0, microsecond=0"]),
        (
            "hour=0, second=0",
            ["day=1, hour=0, second=0", "hour=0, second=0, microsecond=0", "hour=0, minute=0, second=0"],
        ),
        ("minute=9, second=0", ["minute=9, second=0, microsecond=0"]),
        ("microsecond=n", []),
        ("day=1", ["month=1, day=1", "day=1, hour=0", "day=1, hour=0, minute=0, second=0, microsecond=0"]),
        ("month=1, day=1, hour=0, minute=0, second=0, microsecond=0", []),
        ("year=1", []),
        ("hour=0, fold=1", []),
        ("'a', 'b'", []),
        ("**units", []),
        ("", []),
    ],
)
def test_a_time_that_is_rounded_down_gets_the_unit_that_is_left_out(given: str, mended: list[str]) -> None:
    assert sorted(edits("unit", f"r = t.replace({given})")) == sorted(f"r = t.replace({one})" for one in mended)


FLAG = """def f(rows, a, b{}):
    rows[a] = b
    {}
    if a:
        return 1
"""


def test_a_flag_that_nothing_reads_says_whether_something_is_done() -> None:
    text = FLAG.format(", oneway=False", "rows[b] = a")
    guarded = text.replace("    rows[b] = a", "    if {}:\n        rows[b] = a")
    assert guarded.format("not oneway") in edits("unread_flag", text)[:3], "what is done by default stays so"
    assert guarded.format("oneway") in edits("unread_flag", text)
    joined = [f"    if a{more}:" for more in (" and not oneway", " or oneway", " and oneway", " or not oneway")]
    assert {*edits("unread_flag", text)} >= {text.replace("    if a:", one) for one in joined}


@pytest.mark.parametrize("flag", [", *, on=True", ", on: bool = None", ", on: bool"])
def test_a_flag_is_told_by_its_default_or_annotation(flag: str) -> None:
    text = FLAG.format(flag, "rows[b] = a")
    assert text.replace("    rows[b] = a", "    if on:\n        rows[b] = a") in edits("unread_flag", text)[:3]


def test_a_flag_is_told_by_what_runs_passed() -> None:
    text = FLAG.format(", on", "rows[b] = a")
    seen = Observations(variables={"f": {"on": frozenset({"bool"})}})
    assert edits("unread_flag", text, seen) and not edits("unread_flag", text)


@pytest.mark.parametrize(
    "text",
    [
        FLAG.format(", on=0", "rows[b] = a"),
        FLAG.format(", on=True", "print(on)"),
        FLAG.format(", on=True", "g = lambda: on"),
        FLAG.format(", on=True", "on = 1"),
        "on = True\nprint(1)\n",
    ],
)
def test_an_argument_that_is_no_flag_or_is_used_guards_nothing(text: str) -> None:
    assert edits("unread_flag", text) == []
