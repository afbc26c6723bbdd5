"""Marks of coincidence, each with a sentence, and what is left alone."""

from __future__ import annotations

import pytest

from selfheal_tui.search.weigh.marks import find_marks

TESTS = {
    "test_p.py": """from p import f, leap, ratio


def test_f():
    assert f('1234', [7, 8]) == 99
    assert ratio(0, 3) == 0


def test_leap():
    assert leap(2024)
    assert not leap(1900)
"""
}
PRICES = 'PRICES = {"pen": 120, "book": 1500}\n'
GETTER = "def f(here, path):\n    for part in path:\n        here = here[part]\n    return here\n"
BY_TOTAL = "def f(pairs):\n    return sorted(pairs, key=lambda p: (p[1], p[0]))\n"
NAMES = "def f(pairs):\n    return [n for n, _ in sorted(pairs, key=lambda p: (p[1], p[0]), reverse=True)]\n"
READS = "def f(graph, n):\n    return sorted(graph.get(n, {}))\n"
EITHER = "def f(n):\n    left = b(n[1])\n    return left or b(n[2])\n"
SUMS = "def enter(row, a, b):\n    row.a += a\n    row.b += b\n    return row\n"
COUNT = "def f(words):\n    count = 0\n    for word in words:\n        count += 1\n    return count\n"
LEAP = "def leap(year):\n    return year % 4 == 0 and year % 100 == 0\n"
RATIO = "def ratio(a, b):\n    if a == b:\n        return 0.5\n    return a / b\n"
EVEN = "def even(n):\n    if n % 2:\n        return True\n    return False\n"
STOCK = """class Stock:
    def __init__(self):
        self.reserved, self.log = {}, []

    def ship(self, article, n):
        if n > self.reserved.get(article, 0):
            raise ValueError(article)
        self.reserved[article] -= n
        self.log.append(article)
        return n
"""
QUIT = "def f(a):\n    if a.x:\n        return 1\n    a.go()\n    return 2\n"
QUEUE = "def f(queue):\n    while queue:\n        if queue[0] > 1:\n            return queue.pop()\n    return 0\n"
WORK = "def f(text, numbers):\n    total = sum(numbers)\n    return total\n"


def kinds(before: str, after: str) -> list[str]:
    return [mark.kind for mark in find_marks({"p.py": before}, {"p.py": after}, TESTS)]


@pytest.mark.parametrize(
    "text",
    [
        "def f(n):\n    return n\n    n < 2\n",
        "def f(n: int):\n    return n\n",
        "def f(rows):\n    n = len(rows)\n    return n\n",
        "def f(rows):\n    n = 0\n    for _ in rows:\n        n += 1\n    return n\n",
        "def f(rows):\n    for n, _ in enumerate(rows):\n        return n\n",
        "def f(rows, n):\n    return n\n    return rows[:n]\n",
    ],
)
def test_one_more_or_less_of_a_number_is_a_common_slip(text: str) -> None:
    assert "number" not in kinds(text, text.replace("return n\n", "return n + 1\n"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(n, m):\n    return n // m\n", "def f(n, m):\n    return m // n\n"),
        ("def f(n, m):\n    return n[m] - m[n]\n", "def f(n, m):\n    return m[n] - n[m]\n"),
        ("def f(n, m):\n    return n or m\n", "def f(n, m):\n    return m or n\n"),
        (BY_TOTAL, BY_TOTAL.replace("(p[1], p[0])", "(p[0], p[1])")),
    ],
)
def test_operands_that_change_places_are_no_value_with_itself(before: str, after: str) -> None:
    assert "itself" not in kinds(before, after)
    chosen = "def f(n, m):\n    return max(-n, n)\n"
    assert "itself" not in kinds(chosen.replace("n)", "m)"), chosen.replace("max(-n, n)", "max(-n, n + 1)"))
    assert "itself" not in kinds(chosen, chosen.replace("max", "min"))


def test_a_counter_that_another_method_moves_is_taken_back() -> None:
    text = "class C:\n    def get(self):\n        self.hits += 1\n        return 1\n\n"
    text += "    def put(self):\n        self.n = 2\n"
    back = text.replace("self.n = 2", "self.n = 2\n        self.hits -= 1")
    (mark,) = find_marks({"c.py": text}, {"c.py": back}, {})
    assert (mark.kind, mark.why) == ("takes_back", "It takes back what `get` counts: `self.hits -= 1`.")
    here = text.replace("return 1", "self.hits -= 1\n        return 1")
    other = back.replace("hits -=", "size -=")
    assert not any(
        m.kind == "takes_back" for new in (here, other) for m in find_marks({"c.py": text}, {"c.py": new}, {})
    )


def test_readings_of_a_clock_are_not_added_up() -> None:
    text = (
        "class Timer:\n    def __init__(self, clock):\n        self.clock = clock\n        self.at = clock()\n"
        "        self.total = 0\n\n    def lap(self):\n        now = self.clock()\n        self.total = now - self.at\n"
        "        self.at = now\n        return self.total\n"
    )
    wrong = text.replace("self.at = now", "self.at += now")
    (mark,) = find_marks({"it.py": text}, {"it.py": wrong}, {})
    assert (mark.kind, mark.why) == (
        "readings",
        "It adds up what `clock()` gives each time: elsewhere `self.at` is set to it.",
    )
    right = text.replace("self.total = now", "self.total += now")
    assert "readings" not in [mark.kind for mark in find_marks({"it.py": text}, {"it.py": right}, {})]


def test_a_call_that_the_program_makes_elsewhere_has_no_constant_from_nowhere() -> None:
    shift = 'def f(s):\n    return [chr((ord(c) - ord("a")) % 26 + ord(c)) for c in s]\n'
    repair = shift.replace("+ ord(c)", '+ ord("a")')
    tests = {"test_it.py": "from it import f\n\n\ndef test_f():\n    assert f('f') == ['a']\n"}
    assert not find_marks({"it.py": shift}, {"it.py": repair}, tests)
    other = shift.replace("+ ord(c)", '+ ord("z")')
    assert [mark.kind for mark in find_marks({"it.py": shift}, {"it.py": other}, tests)] == ["constant"]


def test_a_sign_between_words_of_the_tests_is_no_constant_from_nowhere() -> None:
    before = "def f(a, b):\n    return g(a)\n"
    after = before.replace("g(a)", "g(a + '.')")
    for tests, marked in (("assert f('a.b') == 'c.d'", False), ("assert f('a.b') == 'c'", True)):
        found = find_marks({"p.py": before}, {"p.py": after}, {"test_p.py": f"def test():\n    {tests}\n"})
        assert ("number" in [mark.kind for mark in found]) == marked


def test_a_key_that_becomes_one_value_has_none_twice() -> None:
    assert "itself" not in kinds(BY_TOTAL, BY_TOTAL.replace("(p[1], p[0])", "p"))


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("data", PRICES, PRICES.replace("120", "132")),
        ("data", "LIMIT = 5\n", "LIMIT = 6\n"),
        ("always", "def f(n, m):\n    return n in (4, m)\n", "def f(n, m):\n    return n in (n, m)\n"),
        ("always", LEAP.replace("return", "return 1 if year else"), LEAP.replace("return", "return 1 if True else")),
        ("always", "def f(n, m):\n    return n < m\n", "def f(n, m):\n    return m < m\n"),
        ("itself", EITHER, EITHER.replace("b(n[2])", "b(n[1])")),
        ("itself", "def f(n, m):\n    return n - m\n", "def f(n, m):\n    return n - n\n"),
        ("itself", "def f(n, m):\n    return max(-n, m)\n", "def f(n, m):\n    return max(-n, n)\n"),
        ("itself", "def f(n, m):\n    return 1 + min(n, m)\n", "def f(n, m):\n    return 1 + min(n, n)\n"),
        ("deletes", BY_TOTAL, BY_TOTAL.replace("p[1], p[0]", "p[0],")),
        ("number", GETTER, GETTER.replace("return here", "return here + 1")),
        ("itself", BY_TOTAL, BY_TOTAL.replace("p[1], p[0]", "p[0], p[0]")),
        ("mutates", READS, READS.replace(".get(", ".setdefault(")),
        ("itself", NAMES, NAMES.replace("p[1], p[0]", "p[1], p[-1]")),
        ("itself", BY_TOTAL, BY_TOTAL.replace("p[1], p[0]", "p[1], name")),
        ("itself", BY_TOTAL, BY_TOTAL.replace("(p[1], p[0])", "p[1]")),
        ("itself", BY_TOTAL, BY_TOTAL.replace("p[1], p[0]", "p[1],")),
        ("start", COUNT, COUNT.replace("count = 0", "count = -1")),
        ("counts", COUNT, COUNT.replace("+=", "|=")),
        ("counts", COUNT, COUNT.replace("+=", "=")),
        ("counts", SUMS, SUMS.replace("b +=", "b =")),
        ("early", WORK, WORK.replace("    total =", "    if len(text) % 2:\n        return 0\n    total =", 1)),
        ("early", WORK, WORK.replace("    total =", "    if len(text) < numbers:\n        return 0\n    total =", 1)),
        ("early", WORK, WORK.replace("    total =", "    if text:\n        return [text]\n    total =", 1)),
        (
            "always",
            EVEN.replace("    return False", "    else:\n        return False"),
            EVEN.replace("    return False", "    else:\n        return True"),
        ),
        (
            "always",
            "def f(m):\n    return 30 if m in (4, 6) else 31\n",
            "def f(m):\n    return 30 if m in (4, 6) else 30\n",
        ),
        ("fixed_call", "def f(a):\n    return a + 1\n", "def f(a):\n    return a + even(1)\n"),
        ("narrows", "def f(a):\n    return len(a) <= 8\n", "def f(a):\n    return len(a) != 8\n"),
        ("narrows", "def f(a):\n    return a > 18\n", "def f(a):\n    return a != 17\n"),
        (
            "silences",
            WORK,
            WORK.replace(
                "    total = sum(numbers)\n",
                "    try:\n        total = sum(numbers)\n    except Exception:\n        total = 0\n",
            ),
        ),
        ("special", WORK, WORK.replace("sum(numbers)", "3 if text == '1234' else sum(numbers)")),
        ("constant", WORK, WORK.replace("return total", "return 99")),
        ("number", WORK, WORK.replace("return total", "return total * 7")),
        ("borrowed", LEAP, LEAP.replace("100", "1900")),
        ("borrowed", LEAP, LEAP.replace("year %", "(year - 2024) %", 1)),
        ("other_type", RATIO, RATIO.replace("return 0.5", "return False")),
        ("other_type", RATIO, RATIO.replace("    return a /", "    if not b:\n        return a == b\n    return a /")),
        ("swapped", EVEN, EVEN.replace("True", "x").replace("False", "True").replace("x", "False")),
        ("deletes", "def f(a):\n    return sorted(a, key=number)\n", "def f(a):\n    return sorted(a)\n"),
        ("deletes", COUNT.replace("    return", "    count -= 1\n    return"), COUNT),
        ("acts", STOCK, STOCK.replace(".get", ".pop")),
        ("acts", STOCK, STOCK.replace("if n", "if self.log.clear() or n")),
        ("acts", QUEUE, QUEUE.replace("queue[0]", "next(queue)")),
        ("acts", QUEUE, QUEUE.replace("while queue", "while (queue := queue[1:])")),
        ("acts", QUEUE, QUEUE.replace("    while", "    if not queue.pop():\n        return 0\n    while")),
        (
            "acts",
            "def f(a, b):\n    return [x for x in a if x in b]\n",
            "def f(a, b):\n    return [x for x in a if b.pop()]\n",
        ),
        ("acts", "def f(a, b):\n    return a == b\n", "def f(a, b):\n    return a == b.pop(0)\n"),
        ("replaces", STOCK, STOCK.replace("self.reserved[article]", "self.count[article]")),
        ("replaces", STOCK, STOCK.replace("self.log.append", "self.sent.append")),
        ("replaces", STOCK, STOCK.replace(".get", ".pop").replace("self.reserved[article]", "self.count[article]")),
        (
            "deletes",
            STOCK,
            STOCK.replace(
                "        self.log.append(article)\n        return n\n",
                "        return n\n        self.log.append(article)\n",
            ),
        ),
        (
            "deletes",
            STOCK.replace("        self.reserved[article] -= n\n", ""),
            STOCK.replace("        self.reserved[article] -= n\n        self", "            self"),
        ),
        ("deletes", STOCK, STOCK.replace("self.log.append", "self.log.copy().append")),
        ("deletes", STOCK, STOCK.replace("self.log.append", "list(self.log).append")),
        ("deletes", COUNT, COUNT.replace("        count", "        continue\n        count")),
        (
            "deletes",
            QUIT,
            QUIT.replace("    if a.x:\n        return 1", "    return 1"),
        ),
    ],
)
def test_a_coincidence_is_marked(kind: str, before: str, after: str) -> None:
    marks = find_marks({"p.py": before}, {"p.py": after}, TESTS)
    assert kind in [mark.kind for mark in marks]
    assert all(mark.why.endswith(".") and "\n" not in mark.why for mark in marks)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(a):\n    return a > 18\n", "def f(a):\n    return a >= 18\n"),
        ("def f(a):\n    return a[1:-1]\n", "def f(a):\n    return a[1:]\n"),
        (EITHER.replace("or", "+"), EITHER.replace("or", "+").replace("n[2]", "n[1]")),
        (EITHER.replace("b(n[1])", "next(n)"), EITHER.replace("b(n[1])", "next(n)").replace("b(n[2])", "next(n)")),
        (COUNT.replace("+=", "="), COUNT),
        ("def f(a):\n    return sorted(a, reverse=True)\n", "def f(a):\n    return sorted(a)\n"),
        (WORK, WORK.replace("    total =", "    if not numbers:\n        return 0\n    total =", 1)),
        (WORK, WORK.replace("return total", "return total + 1")),
        (LEAP, LEAP.replace("100 == 0", "100 != 0")),
        (LEAP.replace("4", "1000"), LEAP.replace("4", "10")),
        (LEAP + "# Not 1900.\n", LEAP.replace("100", "1900")),
        ("def f(a):\n    return a['1243']\n", "def f(a):\n    return a['1234']\n"),
        (RATIO, RATIO.replace("return 0.5", "return 1.0")),
        ("def f(a):\n    return '{} -x'.format(a)\n", "def f(a):\n    return a.replace('do', 'do -x')\n"),
        (EVEN, EVEN.replace("return True", "return False", 1)),
        (EVEN, EVEN.replace("return True", "return n > 2", 1)),
        (QUEUE, QUEUE.replace("queue[0]", "next((x for x in queue), 0)")),
        (STOCK.replace("self.reserved[article]", "self.resrved[article]"), STOCK),
        (STOCK.replace(".get", ".setdefault"), STOCK),
        (
            STOCK.replace("n > self.reserved.get(article, 0)", "self.log.pop() == n"),
            STOCK.replace("n > self.reserved.get(article, 0)", "self.log.pop(0) == n"),
        ),
        (
            STOCK.replace("self.log.append(article)", "self.reserved[n] = 1"),
            STOCK.replace("self.log.append(article)", "self.log[n] = 1"),
        ),
        (STOCK.replace("self.reserved[article]", "self.reserved[n]"), STOCK),
        (STOCK, STOCK.replace("self.log.append(article)", "self.log.append(n)")),
        (
            STOCK,
            STOCK.replace("self.log.append(article)", "self.count[article] -= n\n        self.log.append(article)"),
        ),
        (
            QUEUE.replace("            return", "            x = 1\n            return"),
            QUEUE.replace("            return", "            x = 1\n            return len(queue) and"),
        ),
        (
            COUNT.replace("    return", "    count -= 0\n    return 1\n    return"),
            COUNT.replace("    return", "    count -= 1\n    return 1\n    return"),
        ),
        (
            "def f(a):\n    a.x += 1\n    if a:\n        return 0\n    return 1\n",
            "def f(a):\n    if a:\n        return 0\n    a.x += 1\n    return 1\n",
        ),
    ],
)
def test_what_people_write_is_not_marked(before: str, after: str) -> None:
    assert kinds(before, after) == []


@pytest.mark.parametrize(
    ("before", "after", "marks"),
    [
        ("(n * RATES[kind] + 50) // 10", "((n * RATES[kind] + 50) // 10) // 10", []),
        ("n + kind * 100", "(n + kind) * 100", []),
        ("n * (kind + 100)", "n * kind + 100", []),
        ("n < kind", "(n < kind) == n", []),
        ("max(n, 7)", "max(max(n, 7), kind)", []),
        ("n // 60", "61 // n", []),
        ("n - kind + n", "kind - 1 + n", []),
    ],
)
def test_what_is_wrapped_or_moved_is_not_told_as_replaced(before: str, after: str, marks: list[str]) -> None:
    head = "RATES = {}\n\ndef f(n, kind):\n    return "
    assert kinds(head + before + "\n", head + after + "\n") == marks


POWER = "def power(x):\n    while x > 2:\n        x = x / 2\n    return x == 2\n"
POWER_TESTS = {
    "test_p.py": """from p import power


def test_one():
    assert power(1)


def test_seven():
    assert power(7)
"""
}


@pytest.mark.parametrize(
    "after",
    [
        POWER.replace("    while", "    if x == 1:\n        return True\n    while"),
        POWER.replace("x == 2", "x == 2 or x == 1"),
        POWER.replace("x == 2", "x == 1"),
        POWER.replace("x == 2", "x in (2, 1)"),
    ],
)
def test_a_value_of_a_failing_case_on_its_own_is_marked(after: str) -> None:
    def found(*failing: str) -> list[str]:
        return [mark.kind for mark in find_marks({"p.py": POWER}, {"p.py": after}, POWER_TESTS, failing)]

    assert "single" in found("test_p.py::test_one")
    assert found() == found("test_p.py::test_seven") == []


PARSE = "def f(text):\n    total = 0\n    out = []\n    for line in text.split():\n        {}\n    return out, total\n"


@pytest.mark.parametrize(
    ("body", "items", "is_marked"),
    [
        ("out.append(line)", "set(text.split())", True),
        ("out.append(line)", "enumerate(set(text.split()))", True),
        ("out.append(line)", "sorted(set(text.split()))", False),
        ("total += len(line)", "set(text.split())", False),
        ("out.append(line)", "text.split(',')", False),
    ],
)
def test_a_result_that_shows_the_order_of_a_set_is_marked(body: str, items: str, is_marked: bool) -> None:
    before = PARSE.format(body)
    assert ("unordered" in kinds(before, before.replace("text.split()", items))) == is_marked


@pytest.mark.parametrize(
    ("expression", "is_marked"),
    [
        ("list(set(n))", True),
        ("', '.join({a for a in n})", True),
        ("set(n)", False),
        ("len(list(set(n)))", False),
        ("[a for a in set(n)]", True),
        ("sum(a for a in set(n))", False),
        ("sorted(a for a in set(n))", False),
    ],
)
def test_a_set_is_no_list(expression: str, is_marked: bool) -> None:
    assert ("unordered" in kinds("def f(n):\n    return n\n", f"def f(n):\n    return {expression}\n")) == is_marked


NOTE = {"test_p.py": "def test_f():\n    assert f('x = 1 ; note') == 'x = 1'\n    assert f('total') == 'all: total'\n"}


@pytest.mark.parametrize(
    ("text", "is_marked"),
    [
        ("text.replace(' ; note', '')", True),
        ("text.rstrip('note')", True),
        ("'all: ' + text", False),
        ("text.split(';')[0]", False),
        ("text + 'total'", False),
        ("text + 'other'", False),
    ],
)
def test_a_part_of_what_a_test_gives_is_no_rule(text: str, is_marked: bool) -> None:
    before = "def f(text):\n    return text\n"
    found = find_marks({"p.py": before}, {"p.py": before.replace("return text", f"return {text}")}, NOTE)
    assert ("part" in [mark.kind for mark in found]) == is_marked


@pytest.mark.parametrize(
    ("call", "sign", "is_marked"),
    [("door.lock('1234')", ">=", True), ("door.lock(1234)", ">=", False), ("door.lock('1234')", "!=", False)],
)
def test_texts_that_are_compared_by_their_order_are_marked(call: str, sign: str, is_marked: bool) -> None:
    before = "class Door:\n    def lock(self, code):\n        return code == self.code\n"
    tests = {"test_p.py": f"def test_a():\n    assert {call}\n"}
    found = find_marks({"p.py": before}, {"p.py": before.replace("==", sign)}, tests)
    assert ("texts" in [mark.kind for mark in found]) == is_marked


@pytest.mark.parametrize(
    ("before", "after", "is_marked"),
    [
        ("n", "n * 100", True),
        ("n", "n * 60", False),
        ("n + 1", "(n + 1) % 9", True),
        ("n + 1", "(n + 1) % 60", False),
        ("n + 1", "(n + 1) / 2", False),
    ],
)
def test_a_number_is_explained_where_the_program_has_it(before: str, after: str, is_marked: bool) -> None:
    text = "def f(n, m):\n    if m > n * 60:\n        return {}\n    return m\n"
    assert ("number" in kinds(text.format(before), text.format(after))) == is_marked


def test_hostile_code_in_a_sentence_is_harmless() -> None:
    after = WORK.replace("return total", "return '\x1b[31m\u202e\\x1b[0m'")
    mark, _ = find_marks({"p.py": WORK}, {"p.py": after}, TESTS)
    assert "\x1b" not in mark.why
    assert "\u202e" not in mark.why


def test_text_that_does_not_parse_has_no_marks() -> None:
    assert kinds("def f(:", "def f(): pass\n") == []


SPAN = """class Span:
    def __eq__(self, other):
        return (self.start, self.end) == (other.start, other.end)

    def days(self):
        return self.end - self.start
"""


def test_an_edit_of_what_tests_compare_by_is_named() -> None:
    changed = {"p.py": SPAN.replace("(self.start,", "(other.start,")}
    (mark,) = (one for one in find_marks({"p.py": SPAN}, changed, TESTS) if one.kind == "equality")
    assert mark.why == "It changes `__eq__` of Span, by which the tests compare such objects."
    assert "equality" not in kinds(SPAN, SPAN.replace("self.end - self.start", "self.end - self.start + 1"))


CACHE = """class Cache:
    def __init__(self, size):
        self.size = size
        self.seen = size

    def put(self, value):
        self.seen = value

    def drop(self, value):
        return value
"""


def test_a_setting_that_is_overwritten_is_named() -> None:
    def why(old: str, new: str) -> list[str]:
        marks = find_marks({"p.py": CACHE}, {"p.py": CACHE.replace(old, new)}, TESTS)
        return [mark.why for mark in marks if mark.kind == "overwrites"]

    put, drop = "        self.seen = value\n", "        return value\n"
    told = ["It overwrites `self.size`, which only `__init__` sets, as it is told."]
    assert why(put, f"{put}        self.size = value\n") == told
    assert why(drop, f"        self.size = value\n{drop}") == told
    assert why(drop, f"        self.seen = value\n{drop}") == [], "that is set elsewhere too"
    assert why("        self.size = size\n", "        self.size = size\n        self.seen = 0\n") == []
    measured = CACHE.replace("        return value\n", "        gone = value - self.size\n        return gone\n")
    kept = measured.replace("return gone", "self.size = value\n        return gone")
    marks = find_marks({"p.py": measured}, {"p.py": kept}, TESTS)
    assert [mark.why for mark in marks if mark.kind == "overwrites"] == [], "what is measured by is a state"


LOGS = """def read(line):
    line = line.strip()
    stamp, level, rest = line.split(None, 2)
    return stamp, LEVELS[level], rest
"""
WEIGHT = 'def fee(weight):\n    """Up to 800 g it is 390."""\n    return 390 if weight <= 500 else 590\n'


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("line.strip()", "line.strip().lower()"),
        ("line.split(None, 2)", "line.upper().split(None, 2)"),
        ("    stamp, level", "    line = line.lower()\n    stamp, level"),
        ("line.split(None, 2)", "[one.lower() for one in line.split(None, 2)]"),
    ],
)
def test_letters_of_a_text_of_which_several_parts_are_taken(old: str, new: str) -> None:
    assert "whole" in kinds(LOGS, LOGS.replace(old, new))
    assert "whole" not in kinds(LOGS, LOGS.replace("[level]", "[level.lower()]"))
    single = LOGS.replace("stamp, level, rest", "parts")
    assert "whole" not in kinds(single, single.replace(old, new))


METER = """class Meter:
    def __init__(self):
        self.warned, self.used = False, []

    def cost(self):
        total = sum(self.used)
        return total * 2

    def close(self):
        self.used.clear()
        return len(self.used)
"""


def test_what_is_set_back_where_something_is_only_worked_out() -> None:
    def found(at: str, added: str) -> set[str]:
        return set(kinds(METER, METER.replace(at, f"        {added}\n{at}")))

    (mark,) = find_marks(
        {"p.py": METER},
        {"p.py": METER.replace("        return t", "        self.warned = False\n        return t")},
        TESTS,
    )
    assert mark.why == "It sets `self.warned` in `cost`, which only works something out."
    for other in ("heapq.heappop(self.rows)", "self.more()", "del self.rows[0]"):
        changing = METER.replace("        return t", f"        {other}\n        return t", 1)
        changing += "\n    def more(self):\n        self.rows.append(1)\n"
        after = changing.replace("        return t", "        self.warned = False\n        return t")
        assert "acts" not in kinds(changing, after), other
    assert "acts" not in found("        return len", "self.warned = False"), "it changes something already"
    assert "acts" not in found("        return total", "self.seen = total"), "no reset"


SWITCH = """def convert(text):
    low = text
    if low in ("yes", "on"):
        return True
    if low in ("no", "off"):
        return False
    return low == text
"""


def test_a_value_that_is_changed_in_one_of_two_comparisons_with_constants() -> None:
    once = SWITCH.replace('low in ("yes"', 'low.lower() in ("yes"')
    (mark,) = find_marks({"p.py": SWITCH}, {"p.py": once}, TESTS)
    assert mark.why == "It changes `low` here, and not where line 5 asks the same of it."
    assert "half" not in kinds(SWITCH, SWITCH.replace("= text\n", "= text.lower()\n"))
    assert "half" not in kinds(SWITCH, SWITCH.replace("low ==", "low.lower() =="))
    assert "half" not in kinds(
        SWITCH.replace('low in ("no', 'text in ("no'), once.replace('low in ("no', 'text in ("no')
    )


def test_a_text_that_a_docstring_names_goes() -> None:
    said = SWITCH.replace("    low = text", '    """Yes and no: `yes`, `on` give True."""\n    low = text')
    (mark,) = find_marks({"p.py": said}, {"p.py": said.replace('"yes"', '"ja"')}, TESTS)
    assert (mark.kind, mark.why) == ("unsaid", "It takes `'yes'` away, which a docstring names.")
    assert "unsaid" not in kinds(said, said.replace('"off"', '"aus"')), "nobody speaks of it"
    assert "unsaid" not in kinds(said, said.replace('"yes"', '"no"')), "both are named"


def test_a_refusal_that_goes_is_told() -> None:
    guarded = "def f(n):\n    if n < 0:\n        raise ValueError(n)\n    return n\n"
    (mark,) = find_marks({"p.py": guarded}, {"p.py": guarded.replace("raise ValueError(n)", "pass")}, TESTS)
    assert (mark.kind, mark.why) == ("lets_in", "It lets in what was refused: `raise ValueError(n)` goes.")
    assert "lets_in" not in kinds(guarded, guarded.replace("raise ValueError(n)", "return None"))


def test_a_loop_that_leaves_some_out_and_an_order_by_text_are_told() -> None:
    loop = "def f(files, n):\n    for one in files:\n        n += one\n    return sorted(files)[n:]\n"
    (mark,) = find_marks({"p.py": loop}, {"p.py": loop.replace("in files:", "in files[1:]:")}, TESTS)
    assert (mark.kind, mark.why) == ("skips", "It leaves out some of `files` by their places: `files[1:]`.")
    for key in ("str", "lambda x: str(x)"):
        assert "by_text" in kinds(loop, loop.replace("sorted(files)", f"sorted(files, key={key})"))
    assert "by_text" not in kinds(loop, loop.replace("sorted(files)", "sorted(files, key=abs)"))


def test_what_a_function_is_given_and_leaves_out_and_what_it_throws_away_are_told() -> None:
    given = "def f(pages, n):\n    own = pages\n    total = sum(n[one] for one in own)\n    return own, total\n"
    assert "skips" in kinds(given, given.replace("own = pages", "own = pages[1:]"))
    assert "skips" not in kinds(given, given.replace("in own)", "in own[:n])"))
    (mark, _) = find_marks({"p.py": given}, {"p.py": given.replace("sum(n[one] for one in own)", "len(own)")}, TESTS)
    assert mark.why == "It counts where it added up: `sum((n[one] for one in own))`."
    kept = "class Map:\n    def add(self, name):\n        self.roads.setdefault(name, {})\n"
    (mark,) = find_marks({"p.py": kept}, {"p.py": kept.replace(".setdefault(name, {})", "[name] = {}")}, TESTS)
    assert (mark.kind, mark.why) == ("overwrites", "It throws away what `self.roads[name]` holds already.")
    full = kept.replace("{})", "name)")
    assert "overwrites" not in kinds(full, full.replace(".setdefault(name, name)", "[name] = name"))


def test_sides_that_are_swapped_are_not_compared_with_themselves() -> None:
    both = "def f(a, b):\n    return a == b or b in g(a)\n"
    assert "always" not in kinds(both, "def f(a, b):\n    return b == a or a in g(b)\n")
    assert "always" in kinds(both, both.replace("a == b", "b == b"))


def test_a_limit_that_becomes_a_number_of_which_nothing_speaks() -> None:
    (mark,) = find_marks({"p.py": WEIGHT}, {"p.py": WEIGHT.replace("500", "100")}, TESTS)
    assert mark.why == "It moves a limit from 500 to 100, and nothing beside it says so."
    assert "number" not in kinds(WEIGHT, WEIGHT.replace("500", "800"))
    assert "number" not in kinds(WEIGHT, WEIGHT.replace("500", "390")), "the function has that number"
    assert "number" not in kinds(WEIGHT, WEIGHT.replace("500", "501"))
    assert "number" not in kinds(WEIGHT, WEIGHT.replace("590", "690"))
