"""Every edit of every family gives another program that compiles, whatever the program looks like."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import selfheal_tui
from selfheal_tui.search.operators import OPERATORS, Splice
from selfheal_tui.search.program.source import Source, parse_source
from tests.dev_data import records

DEMOS = sorted(Path(selfheal_tui.__file__).parent.glob("demos/*/*.py"))
OF_A_FAMILY = 4
"""Edits of a family at a node that are looked at."""
_ODD_LINES = (
    (
        "def f(a, b):",
        "    if (a and b):  # both",
        "        a[b] += (1)",
        "    elif (b):",
        "        b = (a < b)",
        "    elif (a or",
        "          b):",
        "        b += (a +",
        "              b)",
        "        for c in (a): a[(c)].append((b)); return(c)",
        "    return [x for x in (a) if (x)], not (a or b) and (b), max((a), (b)), (a)[(b)], (a).f((b), c=(a)), (a)(b)",
        "",
    ),
    (
        "def f(a, b): return a if b else -a ** 2",
        "",
    ),
    (
        "def f(a):",
        "\tif a:",
        "\t\treturn(a)",
        "\telse:",
        "\t\treturn[a]",
        "",
    ),
    (
        "x = 1",
        "y = x if x else(2)",
        "z = not(x)or y",
        "assert(x), f'{x!r:>{y}} {x + 1}'",
        "del x",
        "",
    ),
    (
        "class A:",
        "    b: int = 1",
        "    @property",
        "    def c(self): return self.b",
        "    @staticmethod",
        "    def d(a=[], *e, f={}, **g):",
        "        'doc'",
        "        return a, *e",
        "",
    ),
    (
        "async def f(a):",
        "    async with a as b, a:",
        "        async for c in b:",
        "            await c",
        "            yield c",
        "    return",
        "",
    ),
    (
        "def f(a):",
        "    match a:",
        "        case [1, *b] if b: return b",
        "        case {'k': c}:",
        "            return c",
        "        case _:",
        "            pass",
        "",
    ),
    (
        "def f(a, /, b, *, c=None):",
        "    try:",
        "        return a[b:c, ...]",
        "    except (KeyError, IndexError) as e:",
        "        raise ValueError(c) from e",
        "    finally:",
        "        b = lambda x=1, *y: (x, *y)",
        "",
    ),
    (
        "def f(größe):",
        "    return größe + len('äöü€😀')  # größer",
        "",
        "",
        "if f('ß'): print('😀', f('a') <  3)",
    ),
    (
        "def f(a):",
        "    while a:  # go on",
        "        if (b := a.pop()) > 1: continue",
        "        elif b: break",
        "        else:",
        "            a = [x for x in a if x if x != b for y in x]",
        "    with open(a) as c, a: pass",
        "    return sum(x for x in a), {**a}, {k: v for k, v in a}, f(*a)",
    ),
    (
        "def f(a):",
        "    def g(b):",
        "        nonlocal a",
        "        a += b",
        "        return g",
        "    global h",
        "    h = (",
        "        a  # one",
        "        + g(1)  # two",
        "    )",
        "    return h[0][1], h[-1:], h[::2], (yield), (a, ), [], ()",
        "",
    ),
    (
        "def f(s):",
        "    t = '''two",
        "lines'''",
        "    if s:",
        "        u = '''in",
        "a block'''",
        "        s = t",
        "    return 'it''s' \"so\", b'x', r'\\d', s.split('\\n')",
        "",
    ),
    (
        "import os, sys",
        "from math import *",
        "print(f(1)if 1 else 2)",
        "",
        "def f(n): return n and f(n-1)or 0",
        "",
    ),
    (
        "a = b = 0",
        "a, b = b, a",
        "a[b] = c = d.e = 3",
        "for a.b, (c, *d) in e: pass",
        "x: int",
        "x: list[int] = []",
        "",
    ),
)
ODD = (
    "\r\n".join(
        (
            "def f(a):",
            "    # why",
            "    for i in a: print(i); break",
            "    else:",
            "        a = 1; b = 2",
            "    return a",
            "",
        )
    ),
    *("\n".join(lines) for lines in _ODD_LINES),
)


def edits(source: Source, random: Random) -> Iterator[tuple[str, Splice]]:
    for node in source.nodes():
        for family in OPERATORS.values():
            found = list(family.edits(source, node))
            least = min((family.cost * splice.weight + splice.extra for splice in found), default=family.cost)
            assert least >= family.cost - family.discount - 1e-9, f"{family.name}: its discount is too small"
            for splice in random.sample(found, min(OF_A_FAMILY, len(found))):
                yield family.name, splice


def check(text: str, seed: int = 1) -> None:
    source = parse_source("p.py", text, (7, "seen"))
    random = Random(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        for name, splice in edits(source, random):
            assert 0 <= splice.start <= splice.end <= len(text), name
            changed = text[: splice.start] + splice.text + text[splice.end :]
            about = f"{name}: {splice.reason}\n{changed}"
            assert changed != text, about
            assert splice.reason and "\n" not in splice.reason, about
            try:
                compile(changed, "<edit>", "exec", dont_inherit=True)
            except SyntaxError as error:
                pytest.fail(f"{error}: {about}")


@pytest.mark.parametrize("text", ODD)
def test_edits_of_odd_programs_compile(text: str) -> None:
    check(text)


@pytest.mark.parametrize("path", DEMOS, ids=lambda path: path.name)
def test_edits_of_bundled_programs_compile(path: Path) -> None:
    check(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["quixbugs", "humanevalfix", "ldb_mbpp"])
def test_edits_of_real_bugs_compile(name: str) -> None:
    for number, record in enumerate(Random(3).sample(records(name), 6)):
        try:
            compile(record["buggy_code"], "<program>", "exec", dont_inherit=True)
        except SyntaxError:
            continue
        check(record["buggy_code"], number)
