"""The program as it was imported, kept for the candidates that change one function's body and nothing else.

Such a candidate is that program with another code in this function: all that holds the function (a registry, a
wrapper, a class) has it too. A function that ran while the program was imported may have left something of itself, so
its candidates are imported. Nothing is kept from one candidate to the next: once the program's state is not as it was
after its import, it is of no more use.
"""

from __future__ import annotations

import dis
from collections.abc import Collection
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType

from .fuel import NAME
from .state import State

_BEFORE_BODY = frozenset({"COPY_FREE_VARS", "MAKE_CELL", "RETURN_GENERATOR", "POP_TOP", "RESUME", "PUSH_NULL", "NOP"})


@dataclass(frozen=True, slots=True)
class Swap:
    """One function's code as it was, and as a candidate has it."""

    old: CodeType
    new: CodeType

    @property
    def is_all(self) -> bool:
        """Whether nothing but the function's body shows the difference: not its kind, arguments or docstring."""
        return _shown(self.old) == _shown(self.new)


class Kept:
    """A program that was just imported; `ran` is the code of its functions that ran meanwhile."""

    def __init__(self, modules: Collection[ModuleType], ran: Collection[CodeType]) -> None:
        self.modules = {module.__name__: module for module in modules}
        self._ran = ran
        self._state = State(modules)
        self._swapped: list[tuple[FunctionType, CodeType]] = []
        self._is_noted: dict[CodeType, bool] = {}

    def is_fit(self) -> bool:
        """Make the program what it was after its import; tell whether that could be done."""
        self.put_back()
        return self._state.is_watched and (self._state.is_as_it_was() or self._state.restore())

    def takes(self, swap: Swap) -> bool:
        """Tell whether the candidate can be had by a swap, as far as its function goes."""
        return bool(self._state.functions(swap.old)) and swap.old not in self._ran and self._notes(swap.old)

    def swap(self, swap: Swap) -> None:
        """Make the kept program the candidate."""
        for function in self._state.functions(swap.old):
            function.__code__ = swap.new
            self._swapped.append((function, swap.old))

    def put_back(self) -> None:
        """Take the last candidate's code out again."""
        for function, code in self._swapped:
            function.__code__ = code
        self._swapped.clear()

    def _notes(self, code: CodeType) -> bool:
        """Tell whether the function burns fuel first of all, so that it is known whether it ran."""
        if code not in self._is_noted:
            first = next((one for one in dis.get_instructions(code) if one.opname not in _BEFORE_BODY), None)
            self._is_noted[code] = first is not None and first.argval == NAME
        return self._is_noted[code]


def _shown(code: CodeType) -> tuple[object, ...]:
    arguments = code.co_argcount + code.co_kwonlyargcount
    doc = next((const for const in code.co_consts[:1] if isinstance(const, str)), None)
    names = code.co_name, code.co_varnames[:arguments], code.co_freevars
    return *names, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags, doc
