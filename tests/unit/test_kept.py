"""A kept program takes one function's new body everywhere, and is never used once something of a candidate stays."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

from selfheal_tui.sandbox.inside.sift.fuel import NAME
from selfheal_tui.sandbox.inside.sift.kept import Kept
from selfheal_tui.sandbox.inside.sift.pieces import Pieces

BASE = '''\
import functools
import itertools

NAMES = ["a"]
BY_NAME = {}
COUNT = 0


def registered(function):
    BY_NAME[function.__name__] = function
    return functools.partial(function, 1)


def made():
    return [1]


MADE = made()


@registered
def twice(n):
    return n * 2


def counted(seen=[]):
    global COUNT
    COUNT += 1
    seen.append(COUNT)
    return seen


@functools.lru_cache
def cached(n):
    return n


class Item:
    total = 0
    last = None

    def __init__(self):
        Item.total += 1
        self.size = 1

    def grow(self):
        self.size += 1
        Item.last = self

    @property
    def area(self):
        """An area."""
        return self.size * 2


FIRST = Item.__new__(Item)
FIRST.size = 3
'''


@pytest.fixture
def program() -> Iterator[Callable[[str], tuple[ModuleType, Kept, Pieces]]]:
    ran = set()
    names = []

    def imported(text: str) -> tuple[ModuleType, Kept, Pieces]:
        vars(builtins)[NAME] = lambda: ran.add(sys._getframe(1).f_code)
        pieces = Pieces(text, "kept_program.py")
        module = sys.modules["kept_program"] = ModuleType("kept_program")
        names.append("kept_program")
        for code in pieces.unchanged:
            exec(code, module.__dict__)
        vars(builtins)[NAME] = lambda: None
        return module, Kept([module], ran), pieces

    yield imported
    for name in names:
        sys.modules.pop(name, None)
    del vars(builtins)[NAME]


def test_whoever_holds_the_function_has_its_new_body(program: Callable[[str], tuple[ModuleType, Kept, Pieces]]) -> None:
    module, kept, pieces = program(BASE)
    _, swap = pieces.codes(BASE.replace("return n * 2", "return n * 3"))
    assert swap is not None and swap.is_all and kept.takes(swap) and kept.is_fit()
    kept.swap(swap)
    assert module.twice() == module.BY_NAME["twice"](1) == 3
    kept.put_back()
    assert module.twice() == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return [1]", "return [2]"),
        ("(n):\n    return n * 2", "(n=2):\n    return n * 2"),
        ("@registered\n", ""),
        ("return n * 2", "yield n * 2"),
        ("self.size = 1", "self.size = super().size"),
        ("COUNT = 0", "COUNT = 1"),
        ("return n * 2\n", "return n * 2\n\n\nNAMES.append(1)\n"),
        ("seen.append(COUNT)", "seen.append(COUNT)\n    return 1\n\n\ndef made():"),
    ],
)
def test_what_an_import_would_show_is_imported(
    old: str, new: str, program: Callable[[str], tuple[ModuleType, Kept, Pieces]]
) -> None:
    _, kept, pieces = program(BASE)
    assert BASE.replace(old, new) != BASE
    _, swap = pieces.codes(BASE.replace(old, new))
    assert swap is None or not swap.is_all or not kept.takes(swap)


def test_a_function_whose_start_is_not_noted_is_imported(
    program: Callable[[str], tuple[ModuleType, Kept, Pieces]],
) -> None:
    _, kept, pieces = program("class A:\n    def f(self): return 1\n\n\ndef g(x, y=3):\n    x = y; return x\n")
    _, swap = pieces.codes("class A:\n    def f(self): return 2\n\n\ndef g(x, y=3):\n    x = y; return x\n")
    assert swap is None or not kept.takes(swap)


@pytest.mark.parametrize(
    "does",
    [
        "NAMES.append('b')",
        "NAMES[:] = ['b']",
        "BY_NAME.clear()",
        "counted()",
        "Item()",
        "FIRST.grow()",
        "Item.more = 1",
        "setattr(Item, 'grow', None)",
        "globals().pop('twice')",
        "globals().update(new=[1])",
        "vars(FIRST).clear()",
        "MADE.append(MADE)",
        "sorted(NAMES) and NAMES.insert(0, NAMES.pop())",
    ],
)
def test_what_a_candidate_leaves_in_the_program_is_put_back(
    does: str, program: Callable[[str], tuple[ModuleType, Kept, Pieces]]
) -> None:
    module, kept, _ = program(BASE)

    def shown() -> str:
        spaces = dict(vars(module)), dict(vars(module.Item)), vars(module.FIRST), module.counted.__defaults__
        return repr(spaces)

    vars(builtins).pop("_", None)
    before = shown()
    exec(does, module.__dict__)
    assert kept.is_fit()
    assert shown() == before


@pytest.mark.parametrize(
    "does",
    [
        "cached(1)",
        "del Item.grow",
        "counted.__defaults__ = ([],)",
        "counted.calls = 1",
        "Item.__bases__ = (type('B', (), {}),)",
    ],
)
def test_a_program_that_cannot_be_put_back_is_of_no_more_use(
    does: str, program: Callable[[str], tuple[ModuleType, Kept, Pieces]]
) -> None:
    module, kept, _ = program(BASE.replace("class Item:", "class Base:\n    pass\n\n\nclass Item(Base):"))
    assert kept.is_fit()
    exec(does, module.__dict__)
    assert not kept.is_fit()


@pytest.mark.parametrize(
    "hidden", ["itertools.count()", "__import__('sys').__stdout__", "iter([1])", "(n for n in [1])", "bytearray(2)"]
)
def test_a_program_that_hides_its_state_is_not_kept(
    hidden: str, program: Callable[[str], tuple[ModuleType, Kept, Pieces]]
) -> None:
    _, kept, _ = program(f"{BASE}\nHIDDEN = [{{1: {hidden}}}]\n")
    assert not kept.is_fit()
