"""The methods of a class, compiled alone: most of a library's functions stand in large classes.

A class is one statement, so a change in one method would compile all of them. Where only a method's body changes, its
code takes the place of the old one among the constants of the class's code.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType

Compile = Callable[[str], CodeType]
_AFTER = "__after__ = None"


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
    """The class that a piece of a file is; one without methods, or with a head we do not rebuild, has none here."""

    def __init__(self, text: str, compile_: Compile) -> None:
        self._text = text
        self._compile = compile_
        self._head, self._methods = _read(text)
        self._whole: CodeType | None = None
        self._before: dict[int, CodeType] = {}
        """Start of a method -> the code of a class that has it alone, as it was."""

    def code(self, text: str, same: int, alike: int) -> CodeType | None:
        """Return the code of a changed text whose first `same` and last `alike` characters are as they were.

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
        new, old = _only(alone, self._before[method.start], method.name)
        if new is None or old is None:
            return None
        if self._whole is None:
            self._whole = self._compile(self._text)
        return _with_method(self._whole, self._head, method, new, old)

    def _alone(self, method: str, indent: str) -> CodeType:
        # What follows it in the class shows that the method ends there.
        return self._compile(f"{self._head}{indent}{method}\n{indent}{_AFTER}\n")


def _read(text: str) -> tuple[str, list[_Method]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "", []
    if len(tree.body) != 1 or not isinstance(node := tree.body[0], ast.ClassDef) or getattr(node, "type_params", None):
        return "", []
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    firsts = [min([part.lineno, *(d.lineno for d in getattr(part, "decorator_list", ()))]) for part in node.body]
    ends = [*(starts[line - 1] for line in firsts[1:]), len(text)]
    counts: dict[str, int] = {}
    methods = []
    for part, end in zip(node.body, ends, strict=True):
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            number = counts[part.name] = counts.get(part.name, -1) + 1
            body = part.body[0].lineno
            if body > part.lineno and end > starts[body - 1]:
                line = text[starts[part.lineno - 1] :]
                indent = line[: len(line) - len(line.lstrip())]
                start = starts[part.lineno - 1] + len(indent)
                methods.append(_Method(part.name, indent, number, start, starts[body - 1], end))
    return f"class {node.name}:\n", methods


def _only(new: CodeType, old: CodeType, name: str) -> tuple[CodeType | None, CodeType | None]:
    """Return the new and the old method of two classes that differ in nothing but its body."""
    if not _are_alike(new, old):
        return None, None
    new_class, old_class = _codes(new)[0], _codes(old)[0]
    if not _are_alike(new_class, old_class):
        return None, None
    new_method, old_method = _codes(new_class)[0], _codes(old_class)[0]
    same = new_method.co_name == old_method.co_name == name and new_method.co_freevars == old_method.co_freevars
    return (new_method, old_method) if same else (None, None)


def _are_alike(new: CodeType, old: CodeType) -> bool:
    """Tell whether both hold one code each and else the same."""
    return len(_codes(new)) == len(_codes(old)) == 1 and _own(new) == _own(old)


def _own(code: CodeType) -> tuple[object, ...]:
    """Return what the code does itself, without the codes that it holds and its places."""
    consts = [(type(const), const) for const in code.co_consts if not isinstance(const, CodeType)]
    return code.co_code, code.co_names, code.co_freevars, consts


def _with_method(whole: CodeType, head: str, method: _Method, new: CodeType, old: CodeType) -> CodeType | None:
    name = head.removeprefix("class ").removesuffix(":\n")
    classes = _codes(whole, name)
    if len(classes) != 1:
        return None
    same = _codes(classes[0], method.name)
    if len(same) <= method.number or same[method.number].co_code != old.co_code:
        return None
    changed = _put(classes[0], {id(same[method.number]): new})
    return _put(whole, {id(classes[0]): changed})


def _codes(code: CodeType, name: str = "") -> list[CodeType]:
    return [const for const in code.co_consts if isinstance(const, CodeType) and name in ("", const.co_name)]


def _put(code: CodeType, places: Mapping[int, CodeType]) -> CodeType:
    return code.replace(co_consts=tuple(places.get(id(const), const) for const in code.co_consts))
