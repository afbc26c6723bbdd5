"""Edit operators: which edits each family makes, on the original text."""

from __future__ import annotations

import ast

import pytest

from selfheal_tui.search.operators import OPERATORS
from selfheal_tui.search.operators.base import Splice
from selfheal_tui.search.program.observations import Observations
from selfheal_tui.search.program.source import observed_values, parse_source, place

_MONEY = """
class Money:
    def __init__(self, cents, unit):
        self.cents = cents
        self.unit = unit
    def to(self, unit):
        return Money(self.cents * 2, unit)
    def rounded(self):
        return Money(round(self.cents), self.unit)
    def named(self):
        return self.unit
    def worth(self):
        return self.to("EUR").cents
    def add(self, o):
        return """


def edits(family: str, text: str, observed: tuple[int | str, ...] = ()) -> list[str]:
    """Return the new texts that one family makes of a program."""
    found = splices(family, text, observed)
    return [text[: splice.start] + splice.text + text[splice.end :] for splice in found]


def splices(family: str, text: str, observed: tuple[int | str, ...] = ()) -> list[Splice]:
    """Return the edits that one family makes of a program."""
    source = parse_source("p.py", text, observed)
    return [splice for node in source.nodes() for splice in OPERATORS[family].edits(source, node)]


@pytest.mark.parametrize(
    ("family", "before", "after"),
    [
        ("comparison", "r = a < b", "r = a <= b"),
        ("comparison", "r = a not in b", "r = a in b"),
        ("comparison", "r = (a  # <\n  < b)", "r = (a  # <\n  <= b)"),
        ("off_by_one", "r = x[1]", "r = x[2]"),
        ("off_by_one", "r = x[0]", "r = x[-1]"),
        ("off_by_one", "r = x[-1]", "r = x[0]"),
        ("off_by_one", "for i in range(n): pass", "for i in range(n + 1): pass"),
        ("off_by_one", "r = x[: n - 1]", "r = x[: n]"),
        ("off_by_one", "r = page * size", "r = (page - 1) * size"),
        ("off_by_one", "r = a < b", "r = a < b + 1"),
        ("off_by_one", "r = (page + 1) * size", "r = page * size"),
        ("off_by_one", "r = f((n - 1), 2)", "r = f(n, 2)"),
        ("off_by_one", "r = len(n - 1)", "r = len(n)"),
        ("off_by_one", "def f(n):\n    return (n - 1)", "def f(n):\n    return n"),
        ("off_by_one", "for x in xs[1:]: pass", "for x in xs: pass"),
        ("cut", "xs = sorted(n)\nr = max(xs)", "xs = sorted(n)\nr = max(xs[1:])"),
        ("cut", "xs = sorted(n)\nr = max(xs)", "xs = sorted(n)[:-1]\nr = max(xs)"),
        ("off_by_one", "r = xs[1:]", "r = xs[0:]"),
        ("arithmetic", "r = a // b", "r = a / b"),
        ("arithmetic", "r = (a + c) - b", "r = b - (a + c)"),
        ("arithmetic", "r = a * b / c", "r = a * c / b"),
        ("unused_item", "r = sum(f(k) for k, n in xs)", "r = sum(f(k) * n for k, n in xs)"),
        ("unused_item", "for k, n in xs:\n    t += p[k]", "for k, n in xs:\n    t += p[k] * n"),
        ("extremes", "r = f(min(a, b), max(c, d))", "r = f(max(a, b), min(c, d))"),
        (
            "of_both",
            "class I:\n    def add(self, o):\n        return I(min(self.a, o.a), o.b)",
            "class I:\n    def add(self, o):\n        return I(min(self.a, o.a), max(self.b, o.b))",
        ),
        (
            "added_argument",
            "class M:\n    def a(self):\n        return M(1, self.u)\n    def b(self):\n        return M(2)",
            "class M:\n    def a(self):\n        return M(1, self.u)\n    def b(self):\n        return M(2, self.u)",
        ),
        (
            "all_compared",
            "class M:\n    def __init__(self, a, b):\n        self.a, self.b, self._c = a, b, 0\n"
            "    def __eq__(self, o):\n        return self.a == o.a",
            "class M:\n    def __init__(self, a, b):\n        self.a, self.b, self._c = a, b, 0\n"
            "    def __eq__(self, o):\n        return self.a == o.a and self.b == o.b",
        ),
        ("unpacked_order", "r = {'a': 1, **b}", "r = {**b, 'a': 1}"),
        ("unpacked_order", "r = {**a, **b}", "r = {**b, **a}"),
        ("both_indexes", "for i in range(1, len(x)): pass", "for i in range(len(x) + 1): pass"),
        ("half_up", "r = round(a * b)", "r = int(a * b + 0.5)"),
        ("half_up", "r = int(a if b else c)", "r = int((a if b else c) + 0.5)"),
        ("half_up", "r = a * b // 100", "r = (a * b + 50) // 100"),
        ("half_up", "r = a // len(b)", "r = (a + len(b) // 2) // len(b)"),
        ("arithmetic", "r = a * b / (c + d)", "r = a * (c + d) / (b)"),
        ("arithmetic", "r = a - b + c", "r = a - c + b"),
        ("arithmetic", "r = (a + b) - c", "r = (c + b) - a"),
        *(
            ("converted", f"{_MONEY}{line}", f"{_MONEY}{mended}")
            for line, mended in [
                ("o.cents", "o.to(self.unit).cents"),
                ("o.cents", 'o.to("EUR").cents'),
                ("self.cents", "self.rounded().cents"),
            ]
        ),
        ("sign", "k = lambda t: (t.a, t.b)", "k = lambda t: (t.a, -t.b)"),
        ("accumulate", "t[k] = v", "t[k] += v"),
        ("slice", "r(xs[:n])", "r(xs[-n:])"),
        ("slice", "r(xs[n + 1:])", "r(xs[:-(n + 1)])"),
        (
            "with_what_is_there",
            "def f(self, n):\n    if n > self.most:\n        return\n    self.used += n",
            "def f(self, n):\n    if self.used + n > self.most:\n        return\n    self.used += n",
        ),
        (
            "with_what_is_there",
            "def f(ns, m):\n    s = 0\n    for n in ns:\n        if m < n:\n            break\n        s += n",
            "def f(ns, m):\n    s = 0\n    for n in ns:\n        if m < s + n:\n            break\n        s += n",
        ),
        ("accumulate", "t[k, 1] = v or w", "t[k, 1] = t.get((k, 1), 0) + (v or w)"),
        ("accumulate", "t[k] = [v]", "t[k] = t.get(k, []) + [v]"),
        ("accumulate", "t[k] = f'{v}'", "t[k] = t.get(k, \"\") + f'{v}'"),
        ("update", "t += v", "t -= v"),
        ("logic", "r = a and b and c", "r = a and b or c"),
        ("logic", "r = a or b", "r = a"),
        ("negation", "if not a: pass", "if a: pass"),
        ("negation", "while a: pass", "while not a: pass"),
        ("flag", "f(x=True)", "f(x=False)"),
        ("number", "r = -1", "r = 1"),
        ("number", "r = 7", "r = 99"),
        ("string", 'r = "Ab"', 'r = "ab"'),
        ("string", 'r = "-"', 'r = "seen"'),
        ("variable", "def f(a, b):\n    return a", "def f(a, b):\n    return b"),
        ("constant_for_variable", "def f(a):\n    return 0", "def f(a):\n    return a"),
        ("attribute", "r = s.low + s.high", "r = s.high + s.high"),
        ("argument_order", "f(a, b)", "f(b, a)"),
        ("function", "r = min(a)", "r = max(a)"),
        ("method", "x.y.append(a)", "x.y.extend(a)"),
        ("order", "r = sorted(a)", "r = sorted(a, reverse=True)"),
        ("order", "a.sort(key=k, reverse=True)", "a.sort(key=k)"),
        ("sort_ways", "a.sort(key=lambda p: (p[1], p[0]), reverse=True)", "a.sort(key=lambda p: (-p[1], p[0]))"),
        ("sort_ways", "r = sorted(a, reverse=True, key=lambda p: -p.x)", "r = sorted(a, key=lambda p: (p.x, p[0]))"),
        ("sort_ways", "r = sorted(a, key=lambda p: p[1])", "r = sorted(a, key=lambda p: (p[1], p[0]))"),
        ("wrap", "def f(a):\n    return a", "def f(a):\n    return len(a)"),
        ("unwrap", "r = str(a)", "r = a"),
        ("operand", "r = a + b", "r = a"),
        ("jump", "while a:\n    break", "while a:\n    continue"),
        ("block", "for a in b:\n    c()\n    return a", "for a in b:\n    c()\nreturn a"),
        ("statement_order", "a = 1\nb = a", "b = a\na = 1"),
        ("surplus", "if a:\n    b()", "if a:\n    pass"),
        ("guard", "def f(a):\n    return a[0]", "def f(a):\n    if not a:\n        return 0\n    return a[0]"),
        ("missing_return", "def f(a):\n    b = a", "def f(a):\n    b = a\n    return b"),
        (
            "turned_flag",
            "def f(a):\n    q = False\n    for c in a:\n        if c:\n            q = True\n    return q",
            "def f(a):\n    q = False\n    for c in a:\n        if c:\n            q = not q\n    return q",
        ),
        ("turned_flag", "def f(a):\n    a.on = not a.on", "def f(a):\n    a.on = True"),
        ("kept_entry", "d[k] = []", "d.setdefault(k, [])"),
        ("peer", "r = s.a[k]\ns.b[1] = 2", "r = s.a[k] - s.b[k]\ns.b[1] = 2"),
        ("peer", "r = s.a\ns.b = 2", "r = s.a + s.b\ns.b = 2"),
        (
            "unused_taken",
            "def f(t, w, v):\n    t += v\n    w.popleft()\n",
            "def f(t, w, v):\n    t += v\n    t -= w.popleft()\n",
        ),
        ("written_back", "c = s.paid - s.total", "c = s.paid - s.total\ns.paid -= c"),
        ("written_back", "c = s.paid - s.total\nr = c", "c = s.paid - s.total\ns.paid = s.total\nr = c"),
        ("peer", "r = len(s.a)\ns.b = []", "r = len(s.a) + len(s.b)\ns.b = []"),
        ("kept_entry", "here = s.rows[k] = {}", "here = s.rows.setdefault(k, {})"),
        ("kept_entry", "d.setdefault(k, v)", "d[k] = v"),
        ("missing_member", "r = a in ('no', 'false')", "r = a in ('no', 'false', 'seen')"),
        ("missing_member", 'ON = {"yes", "on"}', 'ON = {"yes", "on", "seen"}'),
        ("missing_member", "r = a not in [1, 2]", "r = a not in [1, 2, 99]"),
        ("import", "r = math.pi", "import math\nr = math.pi"),
        ("import", '"""D."""\nr = Counter(a)', '"""D."""\nfrom collections import Counter\nr = Counter(a)'),
    ],
)
def test_a_family_makes_the_edit(family: str, before: str, after: str) -> None:
    assert after in edits(family, before, (99, "seen"))


@pytest.mark.parametrize(
    ("family", "text"),
    [
        ("comparison", "r = a + b"),
        ("string", '"""Documentation."""'),
        ("string", 'r = f"{a} text"'),
        ("off_by_one", "r = True"),
        ("number", "r = False"),
        ("variable", "def f(a: int) -> int:\n    return g()"),
        ("import", "import math\nr = math.pi"),
        ("missing_return", "def f(a):\n    return a"),
        ("turned_flag", "def f(a):\n    q = False\n    q = True\n    return q"),
        ("turned_flag", "def f(a):\n    for c in a:\n        q = True\n    return q"),
        ("kept_entry", "d[1:2] = []"),
        ("peer", "r = s.a\ns.b[k] = t.c"),
        ("peer", "r = s.a()\ns.b = 2"),
        ("kept_entry", "here = d.setdefault(k, v)"),
        ("missing_member", "r = f('a', ('no', 'false'))"),
        ("missing_member", "r = a in ('no', b)"),
        ("missing_member", "r = a in ('no', 1)"),
    ],
)
def test_a_family_leaves_alone_what_is_not_its_own(family: str, text: str) -> None:
    assert edits(family, text) == []


ACCOUNT = """class Account:
    def __init__(self):
        self.balance, self.moves, self.spent = 0, [], 0

    def deposit(self, n):
        self.balance += n
        self.moves.append(("in", n))
        self.log.append(n)
        self.spent -= n

    def withdraw(self, n):
        self.balance -= n
        self.log.append(n)
"""


def test_the_opposite_of_what_goes_with_the_opposite_update_is_added() -> None:
    added = [text.splitlines()[12] for text in edits("opposite_update", ACCOUNT) if text.count("\n") == 14]
    assert "        self.moves.append(('in', -n))" in added
    assert "        self.spent += n" in added
    assert not any("log" in line for line in added), "it does that already"
    assert edits("opposite_update", ACCOUNT.replace("balance -= n", "balance += n")) == []


LIMITER = """class Limiter:
    def __init__(self, most):
        self.most, self.day = most, 0
        self.used = 0
        self.seen = []
        self.last = None

    def allow(self, day):
        if day != self.day:
            self.day = day
        self.used += 1
        return self.used <= self.most

    def note(self, name):
        self.seen.append(name)
        self.last = name

    def new_day(self):
        \"\"\"Start anew.\"\"\"
        self.last = None
        return self.day
"""


def test_a_field_that_another_method_changes_is_set_back() -> None:
    texts = edits("kept_state", LIMITER)
    before = {line.strip() for line in LIMITER.splitlines()}
    assert {line.strip() for text in texts for line in text.splitlines()} == before, "they are lines of `__init__`"
    methods = [text[text.index("    def new_day") :].splitlines() for text in texts]
    assert ["        self.used = 0", "        self.last = None"] in [lines[2:4] for lines in methods], "at the start"
    assert ["        self.last = None", "        self.seen = []"] in [lines[2:4] for lines in methods], "after another"
    assert any("self.day = day\n            self.seen = []" in text for text in texts), "in a branch"
    assert not any("self.most =" in "".join(lines) for lines in methods), "no other method changes it"
    assert not any("".join(lines).count("self.last = None") > 1 for lines in methods), "it is set back there"


LONGEST = """def longest(values, low):
    best, current = 0, 0
    for value in values:
        if value > low:
            current += 1
            best = max(best, current)
    return best
"""


def test_what_counts_in_a_row_is_set_back_where_the_row_ends() -> None:
    added = "            best = max(best, current)\n        else:\n            current = 0\n    return best\n"
    assert edits("run_ends", LONGEST) == [LONGEST.replace(LONGEST[LONGEST.index("            best =") :], added)]
    apart = LONGEST.replace("best, current = 0, 0", "best = current = 0")
    assert len(edits("run_ends", apart)) == 1
    assert edits("run_ends", LONGEST.replace("0, 0", "0, low")) == [], "it does not start from nothing"
    assert edits("run_ends", LONGEST.replace("    return", "        else:\n            pass\n    return")) == []


RECENT = """from collections import OrderedDict
class Recent:
    def __init__(self):
        self.items = OrderedDict()
        self.plain = {}
    def get(self, key):
        if key not in self.items:
            return None
        return self.items[key]
    def put(self, key, value):
        self.items[key] = value
        self.plain[key] = value
"""


def test_an_entry_that_is_used_is_put_last() -> None:
    get, put, _ = edits("used_last", RECENT)
    assert "        self.items.move_to_end(key)\n        return self.items[key]\n" in get
    assert "        self.items[key] = value\n        self.items.move_to_end(key)\n        self.plain" in put
    assert len(edits("used_last", put)) == 2, "it does that already"
    assert edits("used_last", RECENT.replace("OrderedDict", "Order")) == []
    looked_up = RECENT.replace("if key not in self.items", "entry = self.items.get(key)\n        if entry is None")
    looked_up = looked_up.replace("return self.items[key]", "return entry")
    get, *_ = edits("used_last", looked_up)
    assert "            return None\n        self.items.move_to_end(key)\n        return entry\n" in get


EDITOR = """class Editor:
    def __init__(self):
        self.text, self.done, self.undone = "", [], []

    def insert(self, piece):
        self.done.append(self.text)
        self.undone.clear()
        self.text += piece

    def cut(self, size):
        self.done.append(self.text)
        self.text = self.text[:size]

    def redo(self):
        self.text = self.undone.pop()
        return True
"""


CENTS = """from decimal import Decimal, ROUND_DOWN, ROUND_HALF_UP
from math import ceil


def cents(amount):
    return int(Decimal(amount).quantize(1, ROUND_DOWN))
"""


def test_what_is_imported_and_used_nowhere() -> None:
    texts = edits("unused_import", CENTS)
    assert {*texts} == {
        CENTS.replace("1, ROUND_DOWN", "1, ROUND_HALF_UP"),
        CENTS.replace("(Decimal(", "(ROUND_HALF_UP("),
        CENTS.replace("return int(", "return ceil("),
        CENTS.replace("(Decimal(", "(ceil("),
    }
    assert edits("unused_import", CENTS.replace("1, ROUND_DOWN", "1, ROUND_DOWN or ROUND_HALF_UP or ceil")) == []
    exported = f'{CENTS}__all__ = ["ceil", "ROUND_HALF_UP", "cents"]\n'
    assert edits("unused_import", exported) == []


TASKS = """class Tasks:
    def add(self, name):
        self.known.add(name)
        self.heap.append(name)

    def withdraw(self, task):
        self.known.remove(task)
        self.last = task

    def drop(self, name):
        return self.known.pop(name)

    def take(self):
        while self.heap:
            name = self.heap.pop()
            if name in self.known:
                return name
        return None
"""


def test_an_update_of_another_method_that_this_one_leaves_out() -> None:
    texts = edits("left_out_update", TASKS)
    found = "            if name in self.known:\n"
    for update in ("self.known.remove(name)", "self.known.pop(name)", "self.known.add(name)", "self.last = name"):
        assert TASKS.replace(found, f"{found}                {update}\n") in texts, update
    assert not any("self.heap.append" in text.partition("def take")[2] for text in texts), "it changes that one itself"
    assert not any("task" in text.partition("def take")[2] for text in texts), "no variable of that name is there"


def test_what_other_methods_do_is_added() -> None:
    texts = edits("sibling_update", EDITOR)
    redo = [text[text.index("    def redo") :].splitlines()[1:3] for text in texts]
    assert ["        self.done.append(self.text)", "        self.text = self.undone.pop()"] in redo
    assert ["        self.text = self.undone.pop()", "        self.done.append(self.text)"] in redo
    assert not any("piece" in line for lines in redo for line in lines), "what it does not know it cannot use"
    in_cut = "self.done.append(self.text)\n        self.undone.clear()\n        self.text = self.text["
    assert any(in_cut in text for text in texts)


def test_what_is_begun_counts_as_a_whole_one() -> None:
    assert edits("rounded_up", "r = a * b // (c + 1)") == ["r = -(-(a * b) // (c + 1))"]
    assert edits("rounded_up", "r = -(-a // b)") == []
    said, plain = ('def f(n):\n    """Each started hour."""\n    return n // 60\n', "def f(n):\n    return n // 60\n")
    (told,), (untold,) = splices("rounded_up", said), splices("rounded_up", plain)
    assert told.extra < untold.extra


def test_a_share_is_told_per_hundred_where_words_say_so() -> None:
    text = 'def f(part, whole):\n    """The share in per cent."""\n    return round((part + 1) / whole, 1)\n'
    assert edits("per_hundred", text) == [text.replace("(part + 1)", "100 * (part + 1)")]
    assert edits("per_hundred", text.replace("in per cent", "of it")) == []
    of = 'def f(price, rate):\n    return price * rate, f"{rate}%"\n'
    assert edits("per_hundred", of)[0] == of.replace("price * rate", "price * rate / 100")
    assert edits("per_hundred", "def f(a, b):\n    return '%s' % a / b") == []


GATHER = """def lines(words):
    out, line = [], ""
    for word in words:
        if word:
            line += word
        else:
            out.append(line)
            line = ""
    return out
"""


def test_what_a_loop_gathered_last_is_added_after_it() -> None:
    whole = GATHER.replace("    return", "    if line:\n        out.append(line)\n    return")
    assert whole in edits("last_group", GATHER)
    assert GATHER.replace("    return", "    out.append(line)\n    return") in edits("last_group", GATHER)
    assert edits("last_group", GATHER.replace("out.append(line)", "out.append(word)")) == [], "it has been appended"
    yielded = GATHER.replace("out.append(line)", "yield line").replace("    return out\n", "")
    assert yielded + "    if line:\n        yield line\n" in edits("last_group", yielded)


def test_a_loop_works_out_again_what_its_test_looks_at() -> None:
    text = "def f(p):\n    op = p.accept()\n    if op:\n        p.go(op)\n    return p\n"
    loop = text.replace("if op", "while op").replace("p.go(op)\n", "p.go(op)\n        op = p.accept()\n")
    assert loop in edits("repeat_test", text)
    assert len(edits("repeat_test", text.replace("p.accept()", "p"))) == 1


def test_something_waits_until_a_counter_is_at_zero() -> None:
    text = "def f(left, ready, k):\n    left[k] -= 1\n    ready.append(k)\n"
    assert text.replace("    ready", "    if left[k] == 0:\n        ready") in edits("at_zero", text)
    assert edits("at_zero", text.replace("-=", "+=")) == []


def test_a_second_number_changes_with_the_first() -> None:
    text = "def f(hours, free):\n    free = 8\n    part = min(hours, free)\n    hours -= part\n    return free\n"
    assert text.replace("    return", "    free -= part\n    return") in edits("second_sum", text)


def test_an_argument_is_kept_in_the_attribute_that_the_class_is_given() -> None:
    text = "class Door:\n    def __init__(self, code):\n        self.code = code\n\n    def change(self, old, new):\n"
    text += "        if old != self.code:\n            return False\n        return True\n"
    first, second = edits("kept_argument", text)
    assert first == text.replace("        return True", "        self.code = new\n        return True")
    assert "self.code = old" in second
    assert edits("kept_argument", text.replace("return False", "self.code = old")) == []


def test_what_classes_define_is_an_attribute_and_so_is_the_variable_of_its_name() -> None:
    text = "class Sale:\n    n: int\n    p: int\n\n    @property\n    def total(self):\n        return 1\n\n\n"
    after = edits("attribute", text + "def f(sale, p):\n    return sale.p\n")
    assert text + "def f(sale, p):\n    return sale.total\n" in after
    assert text + "def f(sale, p):\n    return sale.n\n" in after
    assert text + "def f(sale, p):\n    return p\n" in after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(a: str):\n    return g(a)", 'def f(a: str):\n    return g(a + ".")'),
        ("def f(a: str):\n    return a", 'def f(a: str):\n    return "." + a'),
        ("def f(a: str, b: str):\n    return a + b", 'def f(a: str, b: str):\n    return a + "." + b'),
        ("def f(a, b):\n    return f'{a}{b}'", "def f(a, b):\n    return f'{a}.{b}'"),
        ("def f(a, b):\n    return f'{a}{b}'", "def f(a, b):\n    return f'{a}{b}.'"),
        ("def f(a, b):\n    return f'{a!r}{b:>3}'", "def f(a, b):\n    return f'{a!r}, {b:>3}'"),
    ],
)
def test_what_parts_the_words_of_the_tests_is_put_between_parts_of_a_text(before: str, after: str) -> None:
    made = edits("missing_separator", before, ("a.b", "c", "a.d", "x, y", 3))
    assert ast.dump(ast.parse(after)) in [ast.dump(ast.parse(text)) for text in made]
    assert edits("missing_separator", before, ("ab", "", " ", 3)) == []


def test_a_number_and_a_text_that_is_looked_up_get_no_separator() -> None:
    for text in (
        "def f(a: int):\n    return g(a)",
        "def f(t, a: str):\n    return t[a]",
        'def f(a):\n    """{a}{b}"""\n',
    ):
        assert edits("missing_separator", text, ("a.b",)) == []


def test_columns_are_counted_in_bytes_by_the_parser_and_in_characters_here() -> None:
    text = 'gruß = "äöü€😀"; r = größe < länge  # ß\n'
    assert 'gruß = "äöü€😀"; r = größe <= länge  # ß\n' in edits("comparison", text)


def test_line_ends_of_every_kind_are_kept() -> None:
    text = "a = 1\r\nb = 2\rc = 3\n"
    assert edits("flag", text + "d = True\r\n") == [text + "d = False\r\n"]


def test_a_form_feed_is_no_line_end() -> None:
    assert edits("flag", "a = 1\x0c\nd = True\n") == ["a = 1\x0c\nd = False\n"]


def test_values_of_tests_are_seen_once_and_flags_are_none() -> None:
    assert observed_values(["assert f(3, 'x') == 3", "broken(", "g(True, 1)"]) == (3, "x", 1)


def test_every_family_says_what_it_mends() -> None:
    assert all(family.reason and family.cost > 0 for family in OPERATORS.values())


def test_what_gave_a_coroutine_in_a_run_is_awaited() -> None:
    text = "async def attempt(job):\n    return job.work()\n"
    call = next(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    source = parse_source("p.py", text, (), Observations(types={place(call): frozenset({"coroutine"})}))
    (added,) = (one for node in source.nodes() for one in OPERATORS["missing_await"].edits(source, node))
    assert added.text == "await job.work()"
    assert edits("missing_await", text) == [], "nothing is known of it"


@pytest.mark.parametrize(
    ("kind", "method", "others"),
    [("datetime", "time", {"timetz"}), ("str", "lstrip", {"rstrip", "strip"}), ("Path", "glob", {"rglob"})],
)
def test_a_method_s_neighbours_are_those_of_the_type_that_was_seen(kind: str, method: str, others: set[str]) -> None:
    text = f"r = moment.{method}()"
    receiver = next(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name) and node.id == "moment")
    source = parse_source("p.py", text, (), Observations(types={place(receiver): frozenset({kind})}))
    found = {splice.text for node in source.nodes() for splice in OPERATORS["type_method"].edits(source, node)}
    assert others <= found and method not in found
    assert edits("type_method", text) == [], "nothing is known of the type"
