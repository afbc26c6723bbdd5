"""Objects that tests make stay apart: a test that compares two of them tells nothing once all of them are alike.

`self.number = min(number, 0)` mends `assert size.to("m") == Length(2.5)` by that coincidence. A case of its own, beside
a failing test as its checks are (`purified.py`), holds that most of the objects still differ. Pure.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from selfheal_tui.python_source import is_literal, parse_or_none
from selfheal_tui.sandbox.base import SuiteReport

from .localise import is_failing
from .purified import COPY, Purified, tests_in, without_parameters
from .source import FunctionNode

_MOST, _LEAST = 12, 2
"""Objects of a test file, and of one for which something is held."""
_NUMBER = 50
"""Of the copy that holds it; those of checks are fewer."""
_EQUAL = frozenset({"assertEqual", "assertEquals"})


def made_objects(tests: Mapping[str, str], program: Mapping[str, str], report: SuiteReport) -> dict[str, list[str]]:
    """Return node id of the first failing test of a file -> what makes objects in its failing tests, distinct.

    `tests` and `program` are path -> text. Only classes that say themselves when their objects are equal are taken, and
    objects of plain values that no test takes for equal.
    """
    classes = {name for text in program.values() for name in _value_classes(text)}
    failing = {without_parameters(case["id"]) for case in report["cases"] if is_failing(case)}
    found: dict[str, list[str]] = {}
    for path, text in tests.items():
        tree = parse_or_none(text) if any(name in text for name in classes) else None
        own = [(inside, test) for inside, _, test in tests_in(tree) if f"{path}::{inside}" in failing] if tree else []
        made = dict.fromkeys(ast.unparse(one) for _, test in own for one in ast.walk(test) if _makes(one, classes))
        equal = {ast.unparse(one) for _, test in own for one in _taken_for_equal(test, classes)}
        kept = [one for one in made if one not in equal][:_MOST]
        first = next((inside for inside, test in own if not test.decorator_list), "")
        if first and len(kept) >= _LEAST:
            found[f"{path}::{first}"] = kept
    return found


def state_of(made: str) -> str:
    """Return an expression that says what an object holds: its attributes, or what it shows where it has none."""
    slots = "{name: getattr(made, name, None) for name in getattr(type(made), '__slots__', ())}"
    return f"(lambda made: repr(getattr(made, '__dict__', None) or {slots} or made))({made})"


def with_objects(copies: Purified, files: Mapping[str, str], made: Mapping[str, Sequence[str]]) -> Purified:
    """Return the copies with a case beside each test of `made` (as `made_objects`): most of its objects differ.

    `files` is path -> text of the tests; in the program as it is all of the objects differ.
    """
    texts, objects = dict(copies.files), dict(copies.objects)
    for test_id, own in made.items():
        path, _, wanted = test_id.partition("::")
        tree = parse_or_none(texts.get(path, files[path]))
        found = [(holder, test) for inside, holder, test in tests_in(tree) if inside == wanted] if tree else []
        for holder, test in found[:1]:
            states = ", ".join(map(state_of, own))
            given = "self" if "::" in wanted else ""
            check = f"assert len({{{states}}}) > {len(own) // 2}"
            (added,) = ast.parse(f"def {test.name}{COPY}{_NUMBER}({given}):\n    {check}").body
            holder.insert(holder.index(test) + 1, added)
            objects[f"{test_id}{COPY}{_NUMBER}"] = own[0]
            texts[path] = ast.unparse(ast.fix_missing_locations(tree)) if tree is not None else ""
    written = {path: files[path] for path in texts}
    return replace(copies, files=texts, written=written, checks={**copies.checks, **objects}, objects=objects)


def _value_classes(text: str) -> Iterator[str]:
    """Yield the classes that say when their objects are equal and what they make of what they are given."""
    tree = parse_or_none(text) if "__eq__" in text or "__post_init__" in text else None
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.ClassDef):
            methods = {one.name for one in node.body if isinstance(one, FunctionNode)}
            if {"__eq__", "__init__"} <= methods or {"__eq__", "__new__"} <= methods or "__post_init__" in methods:
                yield node.name


def _makes(node: ast.AST, classes: Collection[str]) -> bool:
    """Tell whether a call makes an object of plain values."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
            return name in classes and all(map(is_literal, [*args, *(keyword.value for keyword in keywords)]))
    return False


def _taken_for_equal(test: ast.AST, classes: Collection[str]) -> Iterator[ast.expr]:
    """Yield objects of which a test says that they equal another one, which is made as plainly."""
    for node in ast.walk(test):
        match node:
            case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])):
                pass
            case ast.Call(func=ast.Attribute(attr=name), args=[left, right, *_]) if name in _EQUAL:
                pass
            case _:
                continue
        if _makes(left, classes) and _makes(right, classes):
            yield from (left, right)
