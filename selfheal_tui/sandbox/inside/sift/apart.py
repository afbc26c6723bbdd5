"""Which functions of the tests cannot reach the program, told from their code and from all that they use by name.

Told without running anything, so it leans to no: a function that only mentions a word of the program's is not apart.
A name that a function computes and then imports is not seen.
"""

from __future__ import annotations

import dis
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from .imports import Binding, imports_of

_RUNS_TEXT = frozenset(("exec", "eval", "__import__", "import_module", "run_module", "run_path"))
_PLAIN = (int, float, complex, str, bytes, type(None), PurePath, re.Pattern)
_CONTAINERS = (list, tuple, set, frozenset)


class Apart:
    """Answers for one program; `work` ends with a slash, `bound` is what the tests import of the program."""

    def __init__(self, program: frozenset[str], work: str, bound: Sequence[Binding]) -> None:
        first = {name.partition(".")[0] for name in program if not name.startswith("src.")}
        self._mention = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(first)))})\b") if first else None
        self._program = program
        self._work = work
        self._bound = {(id(space), local) for space, local, _, _ in bound}
        self._modules: dict[str, bool] = {}

    def is_apart(self, function: FunctionType) -> bool:
        """Tell whether a function, and all that it uses by name, has nothing of the program."""
        waiting, seen = [function], set()
        while waiting:
            function = waiting.pop()
            if function.__code__ in seen or not function.__code__.co_filename.startswith(self._work):
                continue
            seen.add(function.__code__)
            if not self._code_is_apart(function):
                return False
            for value in _values(function):
                if isinstance(value, FunctionType):
                    waiting.append(value)
                elif not self._value_is_apart(value):
                    return False
        return True

    def _code_is_apart(self, function: FunctionType) -> bool:
        space = function.__globals__
        words = {word for word in _words(function.__code__) if word != function.__doc__}
        if function.__closure__ or words & _RUNS_TEXT or any(self._mentions(word) for word in words):
            return False
        if any((id(space), word) in self._bound for word in ("*", *words)):
            return False
        imported = {name.partition(".")[0] for name in _imported(function.__code__)}
        return not imported or (not space.get("__package__") and all(map(self._is_elsewhere, imported)))

    def _value_is_apart(self, value: Any) -> bool:
        if isinstance(value, _PLAIN):
            return True
        if isinstance(value, _CONTAINERS):
            return all(self._value_is_apart(part) for part in value)
        if isinstance(value, Mapping):
            return all(self._value_is_apart(part) for pair in value.items() for part in pair)
        if isinstance(value, ModuleType):
            return self._module_is_apart(value)
        if isinstance(value, type | FunctionType | MethodType):
            return self._module_is_apart(sys.modules.get(value.__module__))
        if callable(value) and type(value).__module__ == "functools":
            return False  # a wrapper of we know not which function
        return self._module_is_apart(sys.modules.get(type(value).__module__))

    def _module_is_apart(self, module: ModuleType | None) -> bool:
        """Tell whether a module, and all of the folder that it imports, names nothing of the program."""
        if module is None or module.__name__ in self._program:
            return False
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or not file.startswith(self._work):
            return True
        if file not in self._modules:
            self._modules[file] = True  # modules that import each other
            self._modules[file] = self._text_is_apart(file, module.__package__ or "")
        return self._modules[file]

    def _text_is_apart(self, file: str, package: str) -> bool:
        try:
            with open(file, encoding="utf-8") as opened:
                text = opened.read()
        except (OSError, ValueError):
            return False
        names = {one for _, name, part in imports_of(text, package) for one in (name, f"{name}.{part}")}
        if self._mentions(text) or names & self._program or any(word in text for word in _RUNS_TEXT):
            return False
        return all(self._module_is_apart(sys.modules[name]) for name in names if name in sys.modules)

    def _mentions(self, text: str) -> bool:
        return self._mention is None or bool(self._mention.search(text))

    def _is_elsewhere(self, name: str) -> bool:
        """Tell whether a module of this name is not one of the folder; False where that is not known."""
        if name in sys.stdlib_module_names:
            return True
        file = getattr(sys.modules.get(name), "__file__", None)
        return isinstance(file, str) and not file.startswith(self._work)


def _values(function: FunctionType) -> Iterator[Any]:
    """Yield what a function's names stand for, and its defaults."""
    for word in _words(function.__code__):
        if word in function.__globals__:
            yield function.__globals__[word]
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _words(code: CodeType) -> Iterator[str]:
    """Yield the names and texts in some code."""
    for one in _codes(code):
        yield from one.co_names
        for constant in one.co_consts:
            yield from (
                part for part in (constant if isinstance(constant, tuple) else (constant,)) if type(part) is str
            )


def _imported(code: CodeType) -> Iterator[str]:
    for one in _codes(code):
        yield from (step.argval for step in dis.get_instructions(one) if step.opname == "IMPORT_NAME")
