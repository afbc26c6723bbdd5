"""The functions of a statement, compiled alone: most of a library's functions stand in large classes.

A class is one statement, so a change in one method would compile all of them. Where only a method's body changes, its
code takes the place of the old one among the constants of the class's code. A function that is a statement of its own
goes the same way.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType

from .kept import Swap

Compile = Callable[[str], CodeType]
_AFTER = "__after__ = None"
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class _Method:
    name: str
    indent: str
    number: int
    """Among the methods of its name."""
    start: int
    """Where its `def` begins, in the text of the class, behind the indent."""
    body: int
    """Where the line of its first statement begins."""
    end: int
    """Where the next statement of the class begins, with its decorators."""


class Methods:
    """The class or function that a piece of a file is; one with a head we do not rebuild has no methods here."""

    def __init__(self, text: str, compile_: Compile, whole: Callable[[], CodeType]) -> None:
        """`whole` gives the code of the text."""
        self._text = text
        self._compile = compile_
        self._whole = whole
        self._head, self._methods = _read(text)
        self._before: dict[int, CodeType] = {}
        """Start of a method -> the code of a class that has it alone, as it was."""

    def code(self, text: str, same: int, alike: int) -> tuple[CodeType, Swap] | None:
        """Return the code of a changed text whose first `same` and last `alike` characters are as they were.

        With it comes the function's own code, before and after.
        None where more than a method's body changed. Raises: ValueError, RecursionError, MemoryError.
        """
        changed_to = len(self._text) - alike
        method = next((m for m in self._methods if m.body <= same and changed_to <= m.end), None)
        if method is None:
            return None
        end = len(text) - (len(self._text) - method.end)
        try:
            alone = self._alone(text[method.start : end], method.indent)
        except SyntaxError:
            return None  # it may end the class
        if method.start not in self._before:
            self._before[method.start] = self._alone(self._text[method.start : method.end], method.indent)
        new, old = _only(alone, self._before[method.start], method.name, self._head)
        if new is None or old is None:
            return None
        return _with_method(self._whole(), self._head, method, new, old)

    def _alone(self, method: str, indent: str) -> CodeType:
        if not self._head:
            return self._compile(method)
        # What follows it in the class shows that the method ends there.
        return self._compile(f"{self._head}{indent}{method}\n{indent}{_AFTER}\n")


def _read(text: str) -> tuple[str, list[_Method]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "", []
    if len(tree.body) != 1 or getattr(node := tree.body[0], "type_params", None):
        return "", []
    if not isinstance(node, _FUNCTIONS | ast.ClassDef):
        return "", []
    head, parts = (f"class {node.name}:\n", node.body) if isinstance(node, ast.ClassDef) else ("", tree.body)
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    firsts = [min([part.lineno, *(d.lineno for d in getattr(part, "decorator_list", ()))]) for part in parts]
    ends = [*(starts[line - 1] for line in firsts[1:]), len(text)]
    counts: dict[str, int] = {}
    methods = []
    for part, end in zip(parts, ends, strict=True):
        if isinstance(part, _FUNCTIONS):
            number = counts[part.name] = counts.get(part.name, -1) + 1
            body = part.body[0].lineno
            if body > part.lineno and end > starts[body - 1]:
                line = text[starts[part.lineno - 1] :]
                indent = line[: len(line) - len(line.lstrip())]
                start = starts[part.lineno - 1] + len(indent)
                methods.append(_Method(part.name, indent, number, start, starts[body - 1], end))
    return head, methods


def _only(new: CodeType, old: CodeType, name: str, head: str) -> tuple[CodeType | None, CodeType | None]:
    """Return the new and the old method of two classes that differ in nothing but its body; or the function."""
    for _ in range(2 if head else 1):
        if not _are_alike(new, old):
            return None, None
        new, old = _codes(new)[0], _codes(old)[0]
    new_method, old_method = new, old
    same = new_method.co_name == old_method.co_name == name and new_method.co_freevars == old_method.co_freevars
    return (new_method, old_method) if same else (None, None)


def _are_alike(new: CodeType, old: CodeType) -> bool:
    """Tell whether both hold one code each and else the same."""
    return len(_codes(new)) == len(_codes(old)) == 1 and _own(new) == _own(old)


def _own(code: CodeType) -> tuple[object, ...]:
    """Return what the code does itself, without the codes that it holds and its places."""
    consts = [(type(const), const) for const in code.co_consts if not isinstance(const, CodeType)]
    return code.co_code, code.co_names, code.co_freevars, consts


def _with_method(
    whole: CodeType, head: str, method: _Method, new: CodeType, old: CodeType
) -> tuple[CodeType, Swap] | None:
    holders = _codes(whole, head.removeprefix("class ").removesuffix(":\n")) if head else [whole]
    if len(holders) != 1:
        return None
    same = _codes(holders[0], method.name)
    if len(same) <= method.number or same[method.number].co_code != old.co_code:
        return None
    swap = Swap(same[method.number], new)
    changed = _put(holders[0], {id(swap.old): new})
    return (_put(whole, {id(holders[0]): changed}) if head else changed), swap


def _codes(code: CodeType, name: str = "") -> list[CodeType]:
    return [const for const in code.co_consts if isinstance(const, CodeType) and name in ("", const.co_name)]


def _put(code: CodeType, places: Mapping[int, CodeType]) -> CodeType:
    return code.replace(co_consts=tuple(places.get(id(const), const) for const in code.co_consts))
