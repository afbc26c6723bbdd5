"""Files beside the program that it imports: where it runs apart from its tests, they have to be there too. Pure.

`selfheal fix shop/cart.py` searches one file; `from .tax import rate` in it needs `shop/tax.py`, which is no part of
the program and no test either.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from selfheal_tui.python_source import parse_or_none

from .inside.roots import module_names

_OF_TESTS = ("test", "tests")
"""Folders whose files are the tests' own: what they expect must not reach the program."""


def needed_files(program: Collection[str], files: Mapping[str, str], roots: Sequence[str]) -> set[str]:
    """Return the other Python files that the program imports, and those that these import; never a conftest or test.

    `files` are path -> text, `roots` the folders from which modules are imported. An import that is no statement
    (`importlib.import_module`) is not seen.
    """
    beside = [path for path in files if path not in program and not _is_of_tests(path)]
    names = module_names(beside, roots)
    # Also those of the program: a relative import is told from the importing module's own name.
    own_names: dict[str, list[str]] = {}
    for name, path in module_names([*program, *beside], roots).items():
        own_names.setdefault(path, []).append(name)
    needed: set[str] = set()
    todo = list(program)
    while todo:
        path = todo.pop()
        for name in _imported(path, files.get(path, ""), tuple(own_names.get(path, ()))):
            found = names.get(name)
            if found is not None and found not in needed:
                needed.add(found)
                todo.append(found)
    return needed


def shared_file(program: Collection[str], files: Mapping[str, str], roots: Sequence[str]) -> str:
    """Return a file that the program needs and its tests import too; empty for none.

    Apart from each other each has a copy of its own: what a test sets in it does not reach the program.
    """
    needed = needed_files(program, files, roots)
    others = {path: text for path, text in files.items() if path not in program}
    tests = [path for path in others if path.endswith(".py") and path not in needed]
    return min(needed & needed_files(tests, others, roots), default="")


def _is_of_tests(path: str) -> bool:
    name = PurePosixPath(path)
    in_tests = any(folder in _OF_TESTS for folder in name.parts[:-1])
    return in_tests or name.name == "conftest.py" or name.match("test_*.py") or name.match("*_test.py")


@functools.lru_cache(maxsize=1024)
def _imported(path: str, text: str, own_names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of all modules that a file may import, with the packages that they are in."""
    tree = parse_or_none(text) if path.endswith(".py") else None
    if tree is None:
        return ()
    is_package = PurePosixPath(path).name == "__init__.py"
    modules = [module for node in ast.walk(tree) for module in _modules_of(node, own_names, is_package)]
    # The packages that a module is in run before it does.
    modules += [name for name in own_names if "." in name]
    names = (
        ".".join(parts[:end]) for name in modules for parts in [name.split(".")] for end in range(1, len(parts) + 1)
    )
    return tuple(dict.fromkeys(names))


def _modules_of(node: ast.AST, own_names: Sequence[str], is_package: bool) -> Iterator[str]:
    match node:
        case ast.Import(names=aliases):
            yield from (alias.name for alias in aliases)
        case ast.ImportFrom(module=module, names=aliases, level=level):
            for base in _bases(own_names, is_package, level):
                start = ".".join(filter(None, (base, module)))
                yield from (".".join(filter(None, (start, alias.name))) for alias in aliases)


def _bases(own_names: Sequence[str], is_package: bool, level: int) -> Iterator[str]:
    """Yield the packages from which an import starts that is so many levels relative; "" for an absolute one."""
    if not level:
        yield ""
    for name in own_names if level else ():
        parts = name.split(".")
        up = level - 1 if is_package else level
        if up < len(parts):
            yield ".".join(parts[: len(parts) - up])
