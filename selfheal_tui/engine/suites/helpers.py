"""What a test file defines for its cases: a stub, a small function, a constant. A case of ours has its own. Pure.

Test files need not be importable from another one, and a run may leave them out.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping

from selfheal_tui.python_source import Definition, is_fixture, is_test_class, parse_or_none


def helpers_for(names: Iterable[str], tests: Mapping[str, str], known: Collection[str]) -> dict[str, str]:
    """Return name -> source of what these names, none of them `known`, are in test files (path -> text).

    What such a helper needs stands before it. Tests, test classes and fixtures are none.
    """
    defined: dict[str, tuple[str, set[str]]] = {}
    for text in tests.values():
        tree = parse_or_none(text)
        for node in tree.body if tree is not None else ():
            name = _name(node)
            if name and (source := ast.get_source_segment(text, node)):
                used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
                lead = "".join(f"@{ast.unparse(one)}\n" for one in getattr(node, "decorator_list", ()))
                defined.setdefault(name, (lead + source, used))
    found: dict[str, str] = {}

    def bring(name: str, above: frozenset[str]) -> None:
        if name in defined and name not in found and name not in known and name not in above:
            source, used = defined[name]
            for other in sorted(used):
                bring(other, above | {name})
            found[name] = source

    for name in names:
        bring(name, frozenset())
    return found


def _name(node: ast.stmt) -> str:
    """Return what a statement at the top of a test file defines for its cases; empty for nothing."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
    if not isinstance(node, Definition) or node.name.startswith(("test", "Test")):
        return ""
    return "" if is_fixture(node) or is_test_class(node) else node.name
