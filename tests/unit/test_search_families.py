"""Larger edit families: whole statements, conditions, results, what runs have shown."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest

from selfheal_tui.search.operators import OPERATORS
from selfheal_tui.search.operators.growing import enumerate_expressions
from selfheal_tui.search.program.leaving import unreachable
from selfheal_tui.search.program.observations import Observations
from selfheal_tui.search.program.source import parse_source


def edits(family: str, text: str, observations: Observations | None = None) -> list[str]:
    """Return the new texts that one family makes of a program."""
    source = parse_source("p.py", text, (), observations)
    return [
        text[: splice.start] + splice.text + text[splice.end :]
        for node in source.nodes()
        for splice in OPERATORS[family].edits(source, node)
    ]


def body(*lines: str, args: str = "a, b") -> str:
    """Return a function of these lines."""
    return f"def f({args}):\n" + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize(
    ("family", "before", "after"),
    [
        ("boundary", "r = len(a) == 0", "r = len(a) <= 1"),
        ("sides", "r = a < b + 1", "r = b + 1 < a"),
        ("grouping", "r = a + b / c", "r = (a + b) / c"),
        ("grouping", "r = len(l) - 1 // 2", "r = (len(l) // 2) - 1"),
        ("chain", "r = a + b + c / 2", "r = (a + b + c) / 2"),
        ("logic_grouping", "r = a or b and c", "r = (a or b) and c"),
        ("update", "a *= b", "a = b"),
        (
            "keep_best",
            body("best = 0", "for x in a:", "    best = x"),
            body("best = 0", "for x in a:", "    best = max(best, x)"),
        ),
        ("target", body("c = 0", "d = 0", "d += 1"), body("c = 0", "d = 0", "c += 1")),
        ("wrap", "r = a[0] - b", "r = abs(a[0] - b)"),
        ("mapped", "r = sum(int(a[1:]))", "r = sum(map(int, a[1:]))"),
        ("mapped", "r = ', '.join(str(a))", "r = ', '.join(map(str, a))"),
        ("flat", "r = Counter(a)", "r = Counter([item for part in a for item in part])"),
        ("flat", "for w in a: pass", "for w in ' '.join(a).split(): pass"),
        (
            "wrap_other",
            "def f(a):\n    return [a.count('1') for x in a]",
            "def f(a):\n    return [bin(x).count('1') for x in a]",
        ),
        ("wrap_other", "def f(a, b):\n    return a", "def f(a, b):\n    return len(b)"),
        ("wrap", "r = f(x for x in a)", "r = f(list(x for x in a))"),
        (
            "normal_form",
            body("for s in ['b']:", "    print(s)"),
            body("for s in ['b']:", "    s = s.lower()", "    print(s)"),
        ),
        ("each_item", "r = [(1, 2)]", "r = [tuple(sorted(item)) for item in [(1, 2)]]"),
        ("each_item", "r = list(a)", "r = [item for item in list(a) if item != ' ']"),
        ("per_item", "r = sorted(a, key=lambda x: sorted(x))", "r = [sorted(x) for x in a]"),
        ("sorted_copy", "a.sort(reverse=True)", "a = sorted(a, reverse=True)"),
        ("sorted_copy", "b = a.reverse()", "b = a[::-1]"),
        ("one_item", "r = a * b", "r = (a,) * b"),
        (
            "all_alike",
            body("if a[::-1] in b:", "    b[a[::-1]] += 1"),
            body("if tuple(sorted(a)) in b:", "    b[tuple(sorted(a))] += 1"),
        ),
        ("wrap_both", "r = a == b", "r = sorted(a) == sorted(b)"),
        (
            "extreme",
            body("best = 0", "for x in a:", "    if x > best:", "        best = x"),
            body('best = float("inf")', "for x in a:", "    if x < best:", "        best = x"),
        ),
        (
            "extreme",
            body("best = 9", "for x in a:", "    best = min(x, best)"),
            body('best = float("-inf")', "for x in a:", "    best = max(x, best)"),
        ),
        (
            "start_and_update",
            body("n = 0", "for x in a:", "    n += x"),
            body("n = 1", "for x in a:", "    n *= x"),
        ),
        (
            "start_and_update",
            body("n = []", "for x in a:", "    n.append(x)"),
            body("n = set()", "for x in a:", "    n.add(x)"),
        ),
        (
            "missing_else",
            body("if a > b:", "    c.append(a[0] * 2)", args="a, b, c"),
            body("if a > b:", "    c.append(a[0] * 2)", "else:", "    c.append(a[0])", args="a, b, c"),
        ),
        (
            "occurrences",
            body("n = 0", "for x in a:", "    if b in str(x):", "        n += 1"),
            body("n = 0", "for x in a:", "    n += str(x).count(b)"),
        ),
        (
            "counted_from_one",
            body("n = a + b", "year = n // 12", "month = n % 12"),
            body("n = a + b - 1", "year = n // 12", "month = n % 12 + 1"),
        ),
        ("counted_from_one", "r = (a + b) % 7", "r = (a + b - 1) % 7 + 1"),
        ("counted_from_one", "r = (a + b) % 7 * 2", "r = ((a + b - 1) % 7 + 1) * 2"),
        (
            "quantifier",
            body("for x in a:", "    if x > b:", "        return True", "return False"),
            body("for x in a:", "    if x <= b:", "        return False", "return True"),
        ),
        (
            "quantifier",
            body("ok = True", "for x in a:", "    if not x:", "        ok = False", "return ok"),
            body("ok = False", "for x in a:", "    if x:", "        ok = True", "return ok"),
        ),
        (
            "collected",
            body("for x in a:", "    if x > b:", "        return x * 2"),
            body("result = []", "for x in a:", "    if x > b:", "        result.append(x * 2)", "return result"),
        ),
        (
            "collected",
            body("for x in a:", "    return f(x)", "return None"),
            body("result = []", "for x in a:", "    result.append(f(x))", "return result"),
        ),
        ("both_indexes", "r = a[i, j]", "r = a[i - 1, j - 1]"),
        ("pattern", "import re\nr = re.sub('^a (.*)', b, c)", "import re\nr = re.sub('\\\\ba (.*)', b, c)"),
        ("pattern", "import re\nr = re.findall(r'\"([a-z]+)\"', a)", 'import re\nr = re.findall(r\'"([^"]+)"\', a)'),
        ("pattern", "import re\nR = {'z': r'\\d(:\\d)?(:\\d)?'}", "import re\nR = {'z': r'\\d(?::\\d)?(?::\\d)?'}"),
        ("pattern", 'import re\nr = re.findall("[a-z]+", a)', 'import re\nr = re.findall("[a-z\']+", a)'),
        ("pattern", "import re\nr = re.findall(r'[a-z]+', a)", 'import re\nr = re.findall(r"[a-z\']+", a)'),
        ("pattern_flag", "r = re.match(a, b)", "r = re.match(a, b, flags=re.IGNORECASE)"),
        ("named_value", "import os\nr = a.split(':')", "import os\nr = a.split(os.pathsep)"),
        (
            "unused_comparison",
            body("for k in a:", "    a[k] == b[k]", "return True"),
            body("for k in a:", "    if a[k] != b[k]:", "        return False", "return True"),
        ),
        ("unused_comparison", "r.a == 1", "r.a = 1"),
        ("unused_value", body("c = a[0]", "return b * 2"), body("c = a[0]", "return c + b * 2")),
        (
            "unused_value",
            body("c = t.get(a)", "t[a] = (b, 1)"),
            body("c = t.get(a)", "t[a] = (c[0] + b if c else b, 1)"),
        ),
        ("replaced", "a[0] = b", "a.append(b)"),
        ("string", "r = 'php -s' in a", "r = ' -s' in a"),
        ("exchange", body("c = dict(a)", "c.update(b)"), body("c = dict(b)", "c.update(a)")),
        ("presence", body("if a.get(b):", "    pass"), body("if b in a:", "    pass")),
        ("presence", body("if not a.get(b):", "    pass"), body("if b not in a:", "    pass")),
        ("presence", body("if a and b:", "    pass"), body("if a and b is not None:", "    pass")),
        ("presence", "r = a.get(b) or 1", "r = a.get(b, 1)"),
        ("presence", "r = a or b", "r = b if a is None else a"),
        ("decimal", "r = 3.14 * a", "r = 3.141592653589793 * a"),
        ("infinity", body("best = 0"), body('best = float("-inf")')),
        ("nothing", "def f(a=None): pass", "def f(a=0): pass"),
        ("spelling", '"""Jupiter."""\nr = "Jupyter"', '"""Jupiter."""\nr = "Jupiter"'),
        ("all_texts", 'r = "yes" if a else "no"', 'r = "Yes" if a else "No"'),
        ("exchange", body("a = b - a", "return a"), body("b = a - b", "return a")),
        ("part_of_variable", "r = n.next\ns = n", "r = n.next\ns = n.next"),
        ("dropped_item", "r = (1, 2, 3)", "r = (1, 3)"),
        ("dropped_item", "r = f((a), b)", "r = f(b)"),
        ("dropped_item", "r = (a, b)", "r = (a,)"),
        ("dropped_pair", "r = [1, 2, 3, 4]", "r = [1, 2]"),
        ("added_argument", body("return f(a)"), body("return f(a, b)")),
        ("nesting", "def f(a):\n    return []", "def f(a):\n    return [[]]"),
        ("sort_key", "r = sorted(a)", "r = sorted(a, key=lambda x: x[1])"),
        ("order", "r = sorted(x for x in a)", "r = sorted((x for x in a), reverse=True)"),
        ("index", "r = a[i][j]", "r = a[j][i]"),
        ("index", "r = a[0]", "r = a[-1]"),
        ("slice", "r = a[i:]", "r = a[:i]"),
        ("element", "def f(a: list, i: int, s):\n    return s", "def f(a: list, i: int, s):\n    return a[i]"),
        ("missing_key", "a[k] += 1", "a[k] = a.get(k, 0) + 1"),
        ("missing_key", "a[k].append(b)", "a.setdefault(k, []).append(b)"),
        ("condition", body("if a < 0:", "    return 0"), body("if a < 0 or not b:", "    return 0")),
        ("disjunct", "r = a + b == c or b + c == a", "r = a + b == c or b + c == a or a + c == b"),
        ("filter", body("return [x for x in a if x]"), body("return [x for x in a]")),
        ("repeat_test", body("if a:", "    a -= 1"), body("while a:", "    a -= 1")),
        ("unguarded", body("if a:", "    b()", "return b"), body("b()", "return b")),
        ("block", body("for x in a:", "    pass", "b(x)"), body("for x in a:", "    pass", "    b(x)")),
        ("block", body("if a:", "    b()", "    c()"), body("b()", "if a:", "    c()")),
        (
            "missing_update",
            body("i = 0", "while i < a:", "    b()"),
            body("i = 0", "while i < a:", "    b()", "    i += 1"),
        ),
        ("missing_statement", body("s = set()", "a()"), body("s = set()", "s.add(a)", "a()")),
        ("missing_assignment", body("c = a", "d = b", "b()"), body("c = a", "d = b", "c = b", "b()")),
        (
            "missing_jump",
            body("for x in a:", "    b(x)"),
            body("for x in a:", "    if not a:", "        continue", "    b(x)"),
        ),
        ("only_if", body("b(a)"), body("if not a:", "    b(a)")),
        ("missing_else", body("if a:", "    b()"), body("if a:", "    b()", "else:", "    return None")),
        ("guard", body("# first", "return a[0]"), body("# first", "if not a:", "    return None", "return a[0]")),
        ("special_case", body("c = a", "return c"), body("c = a", "if not b:", "    return 0", "return c")),
        ("thrown_away", body("return a.sort()"), body("a.sort()", "return a")),
        ("thrown_away", body("a = b.sort()"), body("b.sort()")),
        ("thrown_away", body("a.strip()"), body("a = a.strip()")),
        ("missing_return", body("if a:", "    return 1"), body("if a:", "    return 1", "return b")),
        ("result", body("return a"), body("return (a, b)")),
        (
            "inverted",
            body("if a:", "    return True", "return False"),
            body("if a:", "    return False", "return True"),
        ),
        ("yielding", body("yield a"), body("yield from a")),
        ("range", "for i in range(n): pass", "for i in range(1, n + 1): pass"),
        ("iterate", "for i in a: pass", "for i in list(a): pass"),
        ("pair_targets", "for i in enumerate(a): pass", "for _, i in enumerate(a): pass"),
        (
            "early_return",
            body("for x in a:", "    if x:", "        return True", "    else:", "        return False"),
            body("for x in a:", "    if x:", "        return True", "return False"),
        ),
        ("uncalled", "if a.isdigit: pass", "if a.isdigit(): pass"),
        ("uncalled", "r = a.size()", "r = a.size"),
        ("missing_start", body("for x in a:", "    s += x"), body("s = 0", "for x in a:", "    s += x")),
        ("missing_start", body("for x in a:", "    s.append(x)"), body("s = []", "for x in a:", "    s.append(x)")),
        ("missing_global", "n = 0\n" + body("n += 1"), "n = 0\n" + body("global n", "n += 1")),
        (
            "missing_self",
            "class A:\n    def b(self):\n        self.c = 1\n    def d(self):\n        return c",
            "class A:\n    def b(self):\n        self.c = 1\n    def d(self):\n        return self.c",
        ),
        ("recursion", "def f(n):\n    return f(n)", "def f(n):\n    return f(n - 1)"),
        ("recurse", "def f(n):\n    return n + 1", "def f(n):\n    return f(n + 1)"),
        ("loop_bound", body("p = 1", "while b < a:", "    p *= 2"), body("p = 1", "while p < a:", "    p *= 2")),
        ("branches", body("if a:", "    b()", "else:", "    c()"), body("if a:", "    c()", "else:", "    b()")),
        ("branches", "r = a if b else c", "r = c if b else a"),
        ("exclusive", body("if a:", "    b()", "if b:", "    a()"), body("if a:", "    b()", "elif b:", "    a()")),
        ("case_order", body("if a:", "    b()", "elif b:", "    a()"), body("if b:", "    a()", "elif a:", "    b()")),
        ("after_else", body("if a:", "    b()", "c = 1"), body("if a:", "    b()", "else:", "    c = 1")),
        (
            "mutable_default",
            "def f(a=[]):\n    return a\n",
            "def f(a=None):\n    if a is None:\n        a = []\n    return a\n",
        ),
        ("shared", "a = [1]\nb = a", "a = [1]\nb = a[:]"),
        ("repeated_row", "r = [[0] * n] * m", "r = [[0] * n for _ in range(m)]"),
        ("replaced", "a.update(b)", "a = b"),
        ("join", "r = ','.join(a)", "r = ','.join(map(str, a))"),
        ("separator", "r = a.split(',')", "r = a.split()"),
        ("membership", "a = [1]\nr = x in b", "a = [1]\nr = x in a"),
        ("formatted", 'r = "{a}"', 'r = f"{a}"'),
        ("term", "def f(a: int, b: int):\n    return a", "def f(a: int, b: int):\n    return a - b"),
        ("clamp", "def f(a: int):\n    return a", "def f(a: int):\n    return max(a, 0)"),
        ("concatenate", "def f(a: str, b: str):\n    return a + b", 'def f(a: str, b: str):\n    return a + " " + b'),
        ("reuse", body("c = a[0]", "return b"), body("c = a[0]", "return a[0]")),
        ("simpler", body("return a[0]"), body("return b")),
        (
            "import",
            '"""D."""\nfrom __future__ import annotations\nr = re.sub',
            '"""D."""\nfrom __future__ import annotations\nimport re\nr = re.sub',
        ),
    ],
)
def test_a_family_makes_the_edit(family: str, before: str, after: str) -> None:
    assert after in edits(family, before)


TALLY = """class C:
    def __init__(self):
        self.a, self.b, self.name = {}, {}, ""
        self.log = []

    def put(self, k, n):
        self.a[k] = n

    def take(self, k, n):
        self.b[k] -= n
        self.log.append(k)
"""


def test_what_goes_with_an_update_is_added_for_the_attributes_that_the_class_changes() -> None:
    head, _, tail = TALLY.partition("        self.log.append")
    tail = f"        self.log.append{tail}"
    assert [text for text in edits("companion", TALLY) if text.startswith(head)][:2] == [
        f"{head}        self.a[k] -= n\n{tail}",
        f"{head}        self.a[k] += n\n{tail}",
    ]
    assert not any("self.name" in text.replace('self.name = {}, {}, ""', "") for text in edits("companion", TALLY))
    assert edits("companion", body("self.b -= 1", args="self")) == [], "it is in no class"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("d.popitem()", ["d.popitem(last=False)"]),
        ("d.popitem(last=True)", []),
        ("d = {}\nd.popitem()", []),
        ("d.move_to_end(k)", ["d.move_to_end(k, last=False)"]),
        ("r = ''.splitlines()", ["r = ''.splitlines(keepends=True)"]),
        ("dumps(x for x in y)", []),
        ("makedirs(a, **b)", []),
        (
            "makedirs(\n    a,\n)",
            ["makedirs(\n    a,\n exist_ok=True)"],
        ),
    ],
)
def test_a_call_of_the_library_gets_the_keyword_that_turns_it(before: str, after: list[str]) -> None:
    assert edits("keyword", before) == after


@pytest.mark.parametrize(
    "last", ["return a", "raise a", "return", "if b:\n            return 1\n        else:\n            return 2"]
)
def test_a_statement_is_not_moved_where_it_is_never_reached(last: str) -> None:
    inner = f"def f(a, b):\n    if a:\n        {last}\n    b.x += 1\n    return b\n"
    for family in ("block", "statement_order", "missing_jump"):
        for text in edits(family, inner):
            assert not [*unreachable(ast.parse(text))], text


def test_other_indentation_and_line_ends_are_kept() -> None:
    before = "def f(a):\r\n\tif a:\r\n\t\tb()  # why\r\n\treturn a\r\n"
    assert "def f(a):\r\n\tb()  # why\r\n\treturn a\r\n" in edits("unguarded", before)
    assert "def f(a):\r\n\tif not a:\r\n\t\treturn 0\r\n\tif a:\r\n\t\tb()  # why\r\n\treturn a\r\n" in edits(
        "guard", before
    )


def test_a_text_over_several_lines_is_never_shifted() -> None:
    before = 'def f(a):\n    if a:\n        b("""x\n        y""")\n    return a\n'
    assert edits("unguarded", before) == []


def test_statements_that_share_a_line_stay() -> None:
    assert edits("surplus", "if a: b()\nc()\n") == ["c()\n", "pass\n", "if a: b()\n"]
    assert edits("statement_order", "a = 1; b = 2\n") == []


@pytest.mark.parametrize(
    ("family", "before", "after"),
    [
        ("off_by_one", "r = a * b", "r = (a - 1) * b"),
        ("off_by_one", "r = x[a:b]", "r = x[a:b - 1]"),
        ("sign", "r = f(a)", "r = f(-a)"),
        ("negation", "if a and b: pass", "if not (a and b): pass"),
        ("branches", "r = (a if b else c) + 1", "r = (c if b else a) + 1"),
        ("wrap", "return(a)", "return(len(a))"),
        ("unwrap", "return(len(a),)", "return(a,)"),
        ("operand", "def f(a, b):\n    return(a + b)", "def f(a, b):\n    return(a)"),
        ("operand", "r = 2 ** (a + b)", "r = 2 ** a"),
        ("arithmetic", "r = a + b - c", "r = a * b - c"),
        ("arithmetic", "r = a * (b - c)", "r = a * (b + c)"),
        ("string", 'r = "a"if b else"c"', 'r = "A"if b else"c"'),
        ("constant_for_variable", 'def f(a):\n    return "x"if a else 2', "def f(a):\n    return a if a else 2"),
    ],
)
def test_parentheses_and_blanks_are_put_only_where_they_must_be(family: str, before: str, after: str) -> None:
    assert after in edits(family, before)


def test_kinds_seen_in_runs_come_before_guesses() -> None:
    text = "def f(a, b, c):\n    return a\n"
    seen = Observations(variables={"f": {"a": frozenset({"str"}), "b": frozenset({"int"}), "c": frozenset({"str"})}})
    assert edits("variable", text, seen)[0] == "def f(a, b, c):\n    return c\n"


def test_a_misspelt_name_is_told_by_the_error() -> None:
    seen = Observations(errors=(("NameError", "name 'totl' is not defined", 3),))
    text = "def f(total):\n    x = 1\n    return totl\n"
    assert edits("misspelt", text, seen)[0] == text.replace("totl", "total")
    seen = Observations(errors=(("NameError", "name 'alls' is not defined", 2),))
    made = edits("misspelt", "def f(a):\n    return a and alls\n", seen)
    assert made == ["def f(a):\n    return a and a\n"], "a function is always true, so it is never meant as a truth"
    assert "def f(a):\n    return all(a)\n" in edits("misspelt", "def f(a):\n    return alls(a)\n", seen)


def test_an_attribute_that_is_not_there_is_set_where_the_object_is_made() -> None:
    text = "class A:\n    def __init__(self, b):\n        self.a = deque()\n\n    def f(self):\n        return self.b\n"
    seen = Observations(errors=(("AttributeError", "'A' object has no attribute 'b'", 6),))
    made = edits("missing_attribute", text, seen)
    assert text.replace("deque()\n", "deque()\n        self.b = b\n") in made
    assert text.replace("deque()\n", "deque()\n        self.b = deque()\n") in made
    assert (
        edits("missing_attribute", text) == edits("missing_attribute", text.replace("class A", "class B"), seen) == []
    )


def test_a_private_method_that_nothing_calls_is_called() -> None:
    text = "class A:\n    def f(self, parts, b):\n        if b:\n            pass\n        return parts\n\n"
    text += "    def _sort(self, parts):\n        parts.sort()\n"
    made = edits("never_called", text)
    assert made[0] == text.replace("        if b", "        self._sort(parts)\n        if b")
    assert text.replace("pass", "self._sort(parts)") in made
    gives = text.replace("parts.sort()", "return sorted(parts)")
    assert gives.replace("pass", "parts = self._sort(parts)") in edits("never_called", gives)
    assert edits("never_called", text.replace("pass", "self._sort(b)")) == []
    assert edits("never_called", text.replace("_sort", "sort")) == []


def test_a_variable_that_nothing_reads_may_be_the_part_that_is_missing() -> None:
    text = "def f(a, b, c):\n    g(c)\n    return a\n"
    seen = Observations(types={(3, 11, 3, 12): frozenset({"str"})})
    made = edits("concatenate", text, seen)
    assert text.replace("return a", "return b + a") in made
    assert text.replace("return a", "return c + a") not in made


def test_an_exception_is_handled_where_it_was_raised() -> None:
    seen = Observations(errors=(("KeyError", "'a'", 2),))
    text = "def f(d):\n    return d['a']\n"
    handled = "def f(d):\n    try:\n        return d['a']\n    except KeyError:\n        return None\n"
    assert handled in edits("exception", text, seen)
    assert edits("exception", text) == []


def test_a_result_of_another_type_is_converted() -> None:
    seen = Observations(mismatches=frozenset({("list", "str")}))
    text = "def f(a: list):\n    return a\n"
    assert "def f(a: list):\n    return ''.join(a)\n" in edits("result", text, seen)


def test_a_result_is_given_with_its_length() -> None:
    seen = Observations(mismatches=frozenset({("list", "tuple")}))
    assert "def f(a: list):\n    return (len(a), a)\n" in edits("result", "def f(a: list):\n    return a\n", seen)


def test_a_value_seen_in_a_run_is_compared_with() -> None:
    text = 'def f(a):\n    return a == "x"\n'
    source = parse_source("p.py", text)
    compare = next(n for n in source.nodes() if isinstance(n, ast.Compare))
    left = compare.left
    where = (left.lineno, left.col_offset, left.end_lineno or 0, left.end_col_offset or 0)
    assert "def f(a):\n    return a == 'y'\n" in edits("seen", text, Observations(values={where: ("y",)}))


def test_a_result_is_synthesised_from_the_values_at_hand() -> None:
    text = "def f(a, b):\n    return a\n"
    cases = {"one": {"a": "'ab'", "b": "2"}, "two": {"a": "'xyz'", "b": "4"}}
    seen = Observations(returns={2: cases}, expected={"one": "4", "two": "7"})
    assert "def f(a, b):\n    return len(a) + b\n" in edits("synthesis", text, seen)


def test_expressions_are_found_smallest_first_and_errors_leave_them_out() -> None:
    found = enumerate_expressions([("a", ([3, 1, 2], [])), ("b", (0, 0))], (3, 0))
    assert found[0] == ("len(a)", 2)
    assert enumerate_expressions([("a", ([1], []))], (1, 7)) == []


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_every_family_is_documented(name: str) -> None:
    family = OPERATORS[name]
    assert family.reason and family.cost > 0 and family.edits.__doc__


def test_truth_values_get_the_words_that_cases_expect() -> None:
    seen = Observations(mismatches=frozenset({("bool", "str")}), expected={"one": "'YES'"})
    text = "def f(a):\n    if not a:\n        return False\n    return len(a) > 1\n"
    named = "def f(a):\n    if not a:\n        return 'NO'\n    return 'YES' if len(a) > 1 else 'NO'\n"
    assert edits("named_truth", text, seen)[0] == named
    both = replace(seen, expected={"one": "'many'", "two": "'few'"})
    assert named.replace("YES", "many").replace("NO", "few") in edits("named_truth", text, both)
    assert edits("named_truth", text) == []


def test_what_a_case_expects_shows_what_a_text_lacks() -> None:
    differences = (("git diff foo --staged", "git diff --staged foo"),)
    text = body("return '{} --staged'.format(a)")
    line, column = 2, text.splitlines()[1].index("a)")
    shown = Observations(differences=differences, values={(line, column, line, column + 1): ("git diff foo",)})
    assert body('return a.replace("diff", "diff --staged")') in edits("replace_by_example", text, shown)
    whole = Observations(differences=(("b", "a"),), values={(line, column, line, column + 1): ("f",)})
    assert edits("replace_by_example", text, whole) == [], "a table of one input is no repair"
    shown = Observations(differences=(("git push --force origin", "git push --force-with-lease origin"),))
    assert body("return [a, '--force-with-lease']") in edits("text_by_example", body("return [a, '--force']"), shown)


def test_bytes_become_text_only_where_a_run_mixed_the_two() -> None:
    mixed = Observations(mismatches=frozenset({("bytes", "str")}))
    assert edits("text_or_bytes", "r = rb'a'", mixed) == ["r = r'a'"]
    assert edits("text_or_bytes", "r = 'a'", mixed) == ["r = b'a'"]
    assert edits("text_or_bytes", "r = b'a'") == []


def test_the_operator_that_a_page_shows_as_an_example_works() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "search.md"
    (example,) = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), flags=re.DOTALL)
    exec(compile(example, str(page), "exec"), {})
    try:
        made = edits("strict_zip", body("return list(zip(a, b[1:]))"))
        assert made == [body("return list(zip(a, b[1:], strict=True))")]
    finally:
        del OPERATORS["strict_zip"]


BUCKET = """class Bucket:
    \"\"\"Holds at most `room` tokens.\"\"\"

    def __init__(self, room, rate):
        self.room = room
        self.rate = rate
        self.tokens = room

    def fill(self, seconds):
        self.tokens = self.tokens + seconds * self.rate
        self.tokens += seconds
"""


def test_what_grows_is_kept_below_what_the_words_say_there_is_at_most() -> None:
    whole = "min(self.room, self.tokens + seconds * self.rate)"
    assert edits("capped", BUCKET) == [
        BUCKET.replace("self.tokens + seconds * self.rate", whole),
        BUCKET.replace("self.tokens += seconds", "self.tokens = min(self.room, self.tokens + seconds)"),
    ]
    assert edits("capped", BUCKET.replace("at most", "many")) == []
    assert len(edits("capped", BUCKET.replace("at most", "many").replace("room", "max_tokens"))) == 2, (
        "the name says so"
    )


def test_what_stands_between_the_digits_of_a_number_is_taken_out() -> None:
    text = body("return float(a['price'])")
    for error, wanted in (
        ("could not convert string to float: '1,000.00'", 'return float(a[\'price\'].replace(",", ""))'),
        ("could not convert string to float: '$1,000'", 'return float(a[\'price\'].replace("$", "").replace(",", ""))'),
        ("could not convert string to float: 'n/a'", ""),
        ("could not convert string to float: ''", ""),
    ):
        seen = Observations(errors=(("ValueError", error, 2),))
        assert edits("stray_signs", text, seen) == ([body(wanted)] if wanted else [])
    whole = Observations(errors=(("ValueError", "invalid literal for int() with base 10: '1 000,5'", 9),))
    assert edits("stray_signs", text, whole) == [], "it was not read here"
