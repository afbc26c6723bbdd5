"""What Python loads with a program: its tests, local imports, packages and conftest.py, found as Python would."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from selfheal_tui.python_source import parse_or_none

from .source_files import MAX_FILES, is_test_name
from .walls import TEST_FOLDERS, Walls, import_base


def tests_near(program: Sequence[Path], walls: Walls) -> list[Path]:
    """Find the tests of program files: beside them or in a test folder there or above, up to the import base.

    Files named after the program, else those that import it, else those that reach it through other modules.
    """
    near: list[Path] = []
    for path in program:
        candidates = sorted({test for folder in _test_folders(path) for test in _tests_in(folder, walls)} - {path})
        named = [t for t in candidates if t.stem in (f"test_{path.stem}", f"{path.stem}_test")]
        base = import_base(path)
        importing = [t for t in candidates if path in _files_imported_by(t, base, walls)]
        far = [] if named or importing else candidates
        reaching = [t for t in far if path in local_imports([t], {}, base, walls)]
        near += [t for t in named or importing or reaching if t not in near]
    return near


def local_imports(start: Iterable[Path], texts: Mapping[Path, str], root: Path, walls: Walls) -> dict[Path, str]:
    """Read what `start` imports from below `root`, transitively, with packages and conftest.py around it.

    Nothing beyond the walls is read.

    Names are looked up where Python would: beside the importing file, at its import base, at the import bases
    of `start`, at `root`. `texts` are files already read: they are followed but not returned.
    """
    todo = list(start)
    bases = sorted({root, *(base for path in todo for base in (path.parent, import_base(path)))})
    read: dict[Path, str] = {}
    done: set[Path] = set()
    listing = _Listing()
    while todo and len(done) <= MAX_FILES:
        path = todo.pop()
        if path in done or not path.is_relative_to(root):
            continue
        done.add(path)
        source = texts[path] if path in texts else walls.text(path)
        if source is None:
            continue
        if path not in texts:
            read[path] = source
        todo += _support_files(path, root)
        if tree := parse_or_none(source):
            todo += _imported_files(path, tree, bases, listing)
    return read


def _files_imported_by(test: Path, base: Path, walls: Walls) -> set[Path]:
    tree = parse_or_none(walls.text(test) or "")
    return set(_imported_files(test, tree, (base, base.parent), _Listing())) if tree else set()


def _test_folders(path: Path) -> list[Path]:
    """Return where tests of a file may lie: beside it, in test folders from there to beside its base."""
    base = import_base(path)
    above = [folder for folder in path.parents if folder.is_relative_to(base)] + [base.parent]
    return [path.parent, *(folder / name for folder in above for name in TEST_FOLDERS)]


def _tests_in(folder: Path, walls: Walls) -> list[Path]:
    if not walls.hold(folder):
        return []
    try:
        return [path for path in folder.iterdir() if is_test_name(path) and walls.hold(path)]
    except OSError:
        return []


def _support_files(path: Path, root: Path) -> list[Path]:
    """Return what Python and pytest load with a file: the packages around it, conftest.py above a test."""
    base = import_base(path)
    packages = [f / "__init__.py" for f in path.parents if f.is_relative_to(base) and f != base]
    fixtures = [f / "conftest.py" for f in path.parents if f.is_relative_to(root) and is_test_name(path)]
    return [p for p in [*packages, *fixtures] if os.path.isfile(p)]


def _imported_files(path: Path, tree: ast.Module, bases: Sequence[Path], listing: _Listing) -> Iterator[Path]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _modules((path.parent, import_base(path), *bases), alias.name, listing)
        elif isinstance(node, ast.ImportFrom):
            level = node.level
            if level > len(path.parents):
                continue
            tops = (path.parents[level - 1],) if level else (path.parent, import_base(path), *bases)
            for name in [a.name for a in node.names]:
                yield from _modules(tops, ".".join(filter(None, (node.module, name))), listing)


class _Listing(dict[Path, frozenset[str]]):
    """Folder -> what it holds, read once: it is asked for each import of each file."""

    def __missing__(self, folder: Path) -> frozenset[str]:
        try:
            names = frozenset(os.listdir(folder))
        except OSError:
            names = frozenset()
        return self.setdefault(folder, names)


def _modules(tops: Iterable[Path], dotted: str, listing: _Listing) -> Iterator[Path]:
    """Yield the files that importing `a.b.c` from one of `tops` would load, as far as they exist."""
    parts = dotted.split(".")
    for top in dict.fromkeys(tops):
        here = listing[top]
        if parts[0] not in here and f"{parts[0]}.py" not in here:
            continue
        for depth in range(1, len(parts) + 1):
            stem = top.joinpath(*parts[:depth])
            for candidate in (stem.with_name(stem.name + ".py"), stem / "__init__.py"):
                if os.path.isfile(candidate):
                    yield candidate
