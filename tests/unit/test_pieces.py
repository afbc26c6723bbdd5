"""A changed file compiled in pieces does what it does compiled whole."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from types import CodeType
from typing import Any

import pytest

from selfheal_tui.sandbox.inside.sift.fuel import NAME, Tank, fuelled
from selfheal_tui.sandbox.inside.sift.pieces import Pieces

BASE = '''"""Doc."""

from __future__ import annotations

import math; LIMIT = 3  # two on a line


def one(x: Unknown) -> Missing:
    for y in range(LIMIT):
        x += y
    return x


# about two
@staticmethod
def two(x):
    return one(x) * 2


RESULT = one(1), two(2), math.floor(2.5)
'''


@pytest.fixture(autouse=True)
def fuel() -> Iterator[None]:
    vars(builtins)[NAME] = Tank(10_000).burn
    yield
    del vars(builtins)[NAME]


def ran(codes: list[Any]) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "p"}
    for code in codes:
        exec(code, space)
    return {name: value for name, value in space.items() if isinstance(value, int | tuple | str)}


@pytest.mark.parametrize(
    ("old", "new", "compiled"),
    [
        ("LIMIT = 3", "LIMIT = 4", 1),
        ("x += y", "x -= y", 1),
        ("* 2", "* 3", 1),
        ("one(1), two", "one(3), two", 1),
        ("# about two\n", "", 1),
        ("@staticmethod\n", "", 1),
        ("\n# about two", "\nLIMIT = 1\n# about two", 1),
        ("annotations\n", "annotations\nEXTRA = 1\n", 1),
        ("math.floor(2.5)\n", "math.floor(2.5)\nMORE = RESULT\n", 1),
        ("    return x\n\n\n# about two\n@staticmethod\ndef two(x):\n", "    return -x\ndef two(x):\n", 1),
        ("x", "x", 0),
        ("\n", "\r\n", 0),
    ],
)
def test_pieces_do_what_the_whole_does(old: str, new: str, compiled: int) -> None:
    pieces = Pieces(BASE, "p.py")
    pieces.codes(BASE)
    known = list(pieces._codes.values())
    text = BASE.replace(old, new)
    codes, _ = pieces.codes(text)
    assert ran(codes) == ran([compile(text, "p.py", "exec", dont_inherit=True)])
    assert len([code for code in codes if not any(code is other for other in known)]) == compiled


@pytest.mark.parametrize("text", ["def f(:\n", BASE.replace("x += y", "x += "), BASE + "    y\n"])
def test_what_does_not_parse_is_refused(text: str) -> None:
    with pytest.raises(SyntaxError):
        Pieces(BASE, "p.py").codes(text)


def test_a_file_that_does_not_parse_may_be_mended() -> None:
    assert ran(Pieces("x = (1\n", "p.py").codes("x = 1\n")[0])["x"] == 1


CLASS = '''\
import abc


class Base:
    def size(self):
        return 1


@abc.update_abstractmethods
class Shelf(Base):
    """A docstring."""

    most = 3

    def __init__(self, items=(), *, most=most):
        self.__items = list(items)
        # a comment
        self.most = most

    @property
    def first(self):
        return self.__items[0] if self.__items else None

    @first.setter
    def first(self, value):
        self.__items[:1] = [value]

    def size(self):
        """How many."""
        def grown(by):
            return by + super(Shelf, self).size()
        return grown(len(self.__items)) + super().size()

    @staticmethod
    def named(text="a"): return text

    async def wait(self):
        for _ in range(2):
            pass

    key = staticmethod(lambda item: item)


def after():
    return Shelf([1]).size()
'''


def _shape(code: CodeType) -> object:
    consts = [_shape(const) if isinstance(const, CodeType) else (type(const), const) for const in code.co_consts]
    return code.co_name, code.co_qualname, code.co_code, code.co_names, code.co_freevars, code.co_varnames, consts


@pytest.mark.parametrize("number", range(CLASS.count("\n")))
@pytest.mark.parametrize("change", ["again", "drop", "pass", "one", "def", "super", "close"])
def test_a_changed_method_is_compiled_as_the_whole_class_is(number: int, change: str) -> None:
    lines = CLASS.splitlines(keepends=True)
    line = lines[number]
    indent = line[: len(line) - len(line.lstrip())]
    lines[number] = {
        "again": line + line,
        "drop": "",
        "pass": f"{indent}pass\n",
        "one": line.replace("1", "2").replace("0", "1"),
        "def": f"{line}{indent}def more(self):\n{indent}    return 7\n",
        "super": line.replace("len(", "super().size() + len("),
        "close": line + indent[:4] + "other = 1\n",
    }[change]
    text = "".join(lines)
    try:
        whole = compile(fuelled(text), "shelf.py", "exec", dont_inherit=True)
    except SyntaxError:
        with pytest.raises(SyntaxError):
            Pieces(CLASS, "shelf.py").codes(text)
        return
    codes, _ = Pieces(CLASS, "shelf.py").codes(text)
    parts = [const for code in codes for const in code.co_consts if isinstance(const, CodeType)]
    assert list(map(_shape, parts)) == [_shape(c) for c in whole.co_consts if isinstance(c, CodeType)]
