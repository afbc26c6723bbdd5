"""What Python loads with a program: its tests, local imports, packages and conftest.py, found as Python would."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from selfheal_tui.python_source import parse_or_none

from .source_files import MAX_DATA_BYTES, MAX_FILES, is_test_name
from .walls import TEST_FOLDERS, Walls, import_base

_WORD = re.compile(r"\bimport\b", re.ASCII)
_PLAIN = re.compile(
    r"(?<!\\\n)(?<!\\\r\n)^[ \t]*+(?:"
    r"import[ \t]++(?P<modules>[\w.]++(?:[ \t]*,[ \t]*[\w.]++)*+)(?:[ \t]++as[ \t]++\w++)?"
    r"|from[ \t]++(?P<level>\.*+)(?P<module>[\w.]*+)[ \t]++import[ \t]++"
    r"(?:\((?P<inside>[\w\s,]*+)\)|(?P<names>[\w ,\t]++|\*)))"
    r"[ \t]*+(?:#.*+)?$",
    re.ASCII | re.MULTILINE,
)
"""An import as nearly all are written; `a as b` among several names is not taken."""

_COMPILED = (".so", ".pyd")

Import = tuple[int, str, tuple[str, ...]]
"""level, module, names; no names for `import module`."""


def tests_beside(path: Path, walls: Walls) -> list[Path]:
    """Find the test files beside a program file, or in a test folder there or above, whatever they test."""
    return sorted({test for folder in _test_folders(path) for test in _tests_in(folder, walls)} - {path})


def tests_near(program: Sequence[Path], walls: Walls) -> list[Path]:
    """Find the tests of program files: beside them or in a test folder there or above, up to the import base.

    Files named after the program, else those that import it, else those that reach it through other modules.
    """
    near: list[Path] = []
    for path in program:
        candidates = tests_beside(path, walls)
        named = [t for t in candidates if t.stem in (f"test_{path.stem}", f"{path.stem}_test")]
        base = import_base(path)
        importing = [] if named else [t for t in candidates if path in files_imported_by(t, base, walls)]
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
    begun = {*todo}
    places = _Places(root)
    places.add_bases([root, *(base for path in todo for base in (path.parent, places.base(path)))])
    read: dict[Path, str] = {}
    done: set[Path] = set()
    while todo and len(done) <= MAX_FILES:
        path = todo.pop()
        if path in done or not places.is_below(path):
            continue
        done.add(path)
        compiled = path.suffix in _COMPILED
        source = texts[path] if path in texts else walls.data(path, MAX_DATA_BYTES) if compiled else walls.text(path)
        if source is None:
            continue
        if path not in texts:
            read[path] = source
        if compiled:
            continue
        todo += places.support_files(path)
        # To parse takes ten times as long as to look: only what may lead to another file is parsed.
        at_a_glance = _written_imports(source)
        if at_a_glance is not None and begun.issuperset(_files_of(path, at_a_glance, places)):
            continue
        if tree := parse_or_none(source):
            todo += {*_files_of(path, _imports_in(tree), places)} - done
    return read


def _is_built(name: str, module: str) -> bool:
    """Tell whether a file is an extension module built for any Python: `speed.so`, `speed.cpython-312-x86_64.so`."""
    return name.startswith(f"{module}.") and name.endswith(_COMPILED)


def files_imported_by(test: Path, base: Path, walls: Walls) -> set[Path]:
    """Return the files that a test imports directly, looked up at `base` and beside it."""
    tree = parse_or_none(walls.text(test) or "")
    places = _Places(base)
    places.add_bases([base, base.parent])
    return set(_files_of(test, _imports_in(tree), places)) if tree else set()


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


def _files_of(path: Path, imports: Iterable[Import], places: _Places) -> Iterator[Path]:
    """Yield the files below the root that the imports of a file may load."""
    for level, module, names in imports:
        if not names:
            yield from places.modules((path.parent, places.base(path)), module, everywhere=True)
        if level > len(path.parents):
            continue
        tops = (path.parents[level - 1],) if level else (path.parent, places.base(path))
        for name in names:
            yield from places.modules(tops, ".".join(filter(None, (module, name))), everywhere=not level)


def _written_imports(source: str) -> list[Import] | None:
    """Return what looks like an import in a text, in strings too; None where a word `import` is not of that form."""
    imports: list[Import] = []
    count = 0
    for match in _PLAIN.finditer(source):
        count += 1
        if modules := match["modules"]:
            imports += [(0, module.strip(), ()) for module in modules.split(",")]
            continue
        names = match["inside"] if match["inside"] is not None else match["names"]
        words = [name.split() for name in names.split(",")]
        imports.append((len(match["level"]), match["module"], tuple(name[0] for name in words if name)))
    return imports if count == len(_WORD.findall(source)) else None


def _imports_in(tree: ast.Module) -> Iterator[Import]:
    """Yield the imports of a file; they are statements, so expressions are not looked into."""
    todo: list[ast.AST] = [tree]
    while todo:
        for node in ast.iter_child_nodes(todo.pop()):
            if isinstance(node, ast.Import):
                yield from ((0, alias.name, ()) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.level, node.module or "", tuple(alias.name for alias in node.names)
            elif not isinstance(node, ast.expr | ast.Expr | ast.Assign | ast.Return):
                todo.append(node)


class _Places:
    """Where imports are looked up. Folders are listed once: they are asked for each import of each file."""

    def __init__(self, root: Path) -> None:
        self._root, self._below = str(root), f"{str(root).rstrip('/')}/"
        self._names: dict[Path, frozenset[str]] = {}
        """Folder -> what it holds."""
        self._base: dict[Path, Path] = {}
        self._support: dict[tuple[Path, bool], list[Path]] = {}
        self._modules: dict[tuple[Path, str], list[Path]] = {}
        self._holders: dict[str, list[Path]] = {}
        """First name of a module -> the import bases that hold it."""

    def add_bases(self, bases: Iterable[Path]) -> None:
        """Look up imports in these folders too, wherever the importing file lies."""
        for base in sorted({*bases}):
            for name in {name.partition(".")[0] for name in self._held(base)}:
                self._holders.setdefault(name, []).append(base)

    def is_below(self, path: Path) -> bool:
        """Tell whether a path lies below the root."""
        return str(path).startswith(self._below) or str(path) == self._root

    def base(self, path: Path) -> Path:
        """Return the folder that a file is imported from."""
        if path.parent not in self._base:
            self._base[path.parent] = import_base(path)
        return self._base[path.parent]

    def support_files(self, path: Path) -> list[Path]:
        """Return what Python and pytest load with a file: the packages around it, conftest.py above a test."""
        key = (path.parent, is_test_name(path))
        if key not in self._support:
            base = self.base(path)
            packages = [f / "__init__.py" for f in path.parents if f.is_relative_to(base) and f != base]
            fixtures = [f / "conftest.py" for f in path.parents if self.is_below(f) and key[1]]
            self._support[key] = [p for p in [*packages, *fixtures] if os.path.isfile(p)]
        return self._support[key]

    def modules(self, tops: Iterable[Path], dotted: str, *, everywhere: bool) -> Iterator[Path]:
        """Yield the files that importing `a.b.c` from one of `tops` would load, as far as they exist."""
        bases = self._holders.get(dotted.partition(".")[0], ()) if everywhere else ()
        for top in dict.fromkeys((*tops, *bases)):
            key = (top, dotted)
            if key not in self._modules:
                self._modules[key] = self._found(top, dotted)
            yield from self._modules[key]

    def _found(self, top: Path, dotted: str) -> list[Path]:
        found: list[Path] = []
        folder = top
        for part in dotted.split("."):
            held = self._held(folder)
            file, package = folder / f"{part}.py", folder / part
            if f"{part}.py" in held and os.path.isfile(file):
                found.append(file)
            found += [folder / name for name in sorted(held) if _is_built(name, part)]
            if part not in held:
                break
            if "__init__.py" in self._held(package):
                found.append(package / "__init__.py")
            folder = package
        return found

    def _held(self, folder: Path) -> frozenset[str]:
        if folder not in self._names:
            try:
                self._names[folder] = frozenset(os.listdir(folder))
            except OSError:
                self._names[folder] = frozenset()
        return self._names[folder]
