"""Reading the user's Python: files, folders, the tests beside a program and what they import locally."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from selfheal_tui.errors import InputError

MAX_FILES = 2_000
MAX_TOTAL_BYTES = 20_000_000
MAX_FOUND_BYTES = 256 * 1024
"""A file found in a folder is left out above this; a named one may be larger."""
_SKIPPED_FOLDERS = frozenset({"__pycache__", "venv", "env", "node_modules", "build", "dist", "site-packages"})
TEST_FOLDERS = ("tests", "test")


def read_named(path: Path) -> str:
    """Read a file the user named. Raises: InputError when it is not a readable UTF-8 text file."""
    try:
        if not path.is_file():
            raise InputError(f"{path} is not a regular file.")
        if path.stat().st_size > MAX_TOTAL_BYTES:
            raise InputError(f"{path} is larger than {MAX_TOTAL_BYTES // 1_000_000} MB.")
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    if b"\0" in content:
        raise InputError(f"{path} is a binary file, not Python.", "Name the source file.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path} is not UTF-8 text (line {line}).", "Save it as UTF-8.") from error


def read_folder(folder: Path) -> dict[Path, str]:
    """Read every small UTF-8 text file below a folder.

    Hidden, generated and installed folders, links, binary files and files above MAX_FOUND_BYTES are left out.
    Raises: InputError when the folder cannot be read or holds too much.
    """
    files: dict[Path, str] = {}
    size_bytes = 0
    for path in _walk(folder):
        text = _text_or_none(path)
        if text is None:
            continue
        files[path] = text
        size_bytes += len(text)
        if len(files) > MAX_FILES or size_bytes > MAX_TOTAL_BYTES:
            raise InputError(
                f"{folder} is too large: over {MAX_FILES:,} files or {MAX_TOTAL_BYTES // 1_000_000} MB.",
                "Name a smaller folder or the files themselves.",
            )
    return files


def is_test_name(path: Path) -> bool:
    """Tell whether pytest would collect a file of this name."""
    return path.suffix == ".py" and (path.name.startswith("test_") or path.stem.endswith("_test"))


def defines_tests(source: str) -> bool:
    """Tell whether the source has a `test_` function or a `Test` class; False when it does not parse."""
    tree = parse_or_none(source)
    return tree is not None and any(
        (isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"))
        or (isinstance(node, ast.ClassDef) and node.name.startswith("Test"))
        for node in tree.body
    )


def tests_near(program: Sequence[Path], files: Mapping[Path, str]) -> list[Path]:
    """Find the tests of program files: beside them or in a test folder there or above, up to the import base.

    Files named after the program, else those that import it, else those that reach it through other modules.
    """
    found: list[Path] = []
    for path in program:
        candidates = sorted({test for folder in _test_folders(path) for test in _tests_in(folder)} - {path})
        named = [t for t in candidates if t.stem in (f"test_{path.stem}", f"{path.stem}_test")]
        base = import_base(path)
        importing = [t for t in candidates if path in _files_imported_by(t, base)]
        reaching = [] if named or importing else [t for t in candidates if path in local_imports([t], {}, base)]
        found += [t for t in named or importing or reaching if t not in found]
    return found


def import_base(path: Path) -> Path:
    """Return the folder from which the file is imported: the first above it that is no package."""
    folder = path.parent
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        folder = folder.parent
    return folder


def local_imports(start: Iterable[Path], known: Mapping[Path, str], root: Path) -> dict[Path, str]:
    """Read what `start` imports from below `root`, transitively, with packages and conftest.py around it.

    Names are looked up where Python would: beside the importing file, at its import base, at the import bases
    of `start`, at `root`. Files in `known` are followed but not returned.
    """
    todo = list(start)
    bases = sorted({root, *(base for path in todo for base in (path.parent, import_base(path)))})
    read: dict[Path, str] = {}
    done: set[Path] = set()
    while todo and len(done) <= MAX_FILES:
        path = todo.pop()
        if path in done or not path.is_relative_to(root):
            continue
        done.add(path)
        source = known[path] if path in known else _text_or_none(path)
        if source is None:
            continue
        if path not in known:
            read[path] = source
        todo += _support_files(path, root)
        if tree := parse_or_none(source):
            todo += _imported_files(path, tree, bases)
    return read


def _files_imported_by(test: Path, base: Path) -> set[Path]:
    tree = parse_or_none(_text_or_none(test) or "")
    return set(_imported_files(test, tree, (base, base.parent))) if tree else set()


def parse_or_none(source: str) -> ast.Module | None:
    """Parse Python; None when it does not parse."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _walk(folder: Path) -> Iterator[Path]:
    def fail(error: OSError) -> None:
        raise InputError(f"{error.filename} cannot be read: {error.strerror}.") from error

    for top, folders, names in os.walk(folder, onerror=fail):
        here = Path(top)
        folders[:] = sorted(f for f in folders if not _is_skipped(here / f))
        yield from (here / n for n in sorted(names) if not n.startswith(".") and not (here / n).is_symlink())


def _is_skipped(folder: Path) -> bool:
    name = folder.name
    return (
        name.startswith(".")
        or name in _SKIPPED_FOLDERS
        or name.endswith(".egg-info")
        or folder.is_symlink()
        or (folder / "pyvenv.cfg").exists()
    )


def _text_or_none(path: Path) -> str | None:
    try:
        if not path.is_file() or path.stat().st_size > MAX_FOUND_BYTES:
            return None
        text = path.read_bytes().decode("utf-8-sig")
        str(path).encode()
    except (OSError, UnicodeError):
        return None
    return None if "\0" in text else text


def _test_folders(path: Path) -> list[Path]:
    """Return where tests of a file may lie: beside it, in test folders from there to beside its base."""
    base = import_base(path)
    above = [folder for folder in path.parents if folder.is_relative_to(base)] + [base.parent]
    return [path.parent, *(folder / name for folder in above for name in TEST_FOLDERS)]


def _tests_in(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if is_test_name(path) and path.is_file()]
    except OSError:
        return []


def _support_files(path: Path, root: Path) -> list[Path]:
    """Return what Python and pytest load with a file: the packages around it, conftest.py above a test."""
    base = import_base(path)
    packages = [f / "__init__.py" for f in path.parents if f.is_relative_to(base) and f != base]
    fixtures = [f / "conftest.py" for f in path.parents if f.is_relative_to(root) and is_test_name(path)]
    return [p for p in [*packages, *fixtures] if p.is_file()]


def _imported_files(path: Path, tree: ast.Module, bases: Sequence[Path]) -> Iterator[Path]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _modules((path.parent, import_base(path), *bases), alias.name)
        elif isinstance(node, ast.ImportFrom):
            level = node.level
            if level > len(path.parents):
                continue
            tops = (path.parents[level - 1],) if level else (path.parent, import_base(path), *bases)
            for name in [a.name for a in node.names]:
                yield from _modules(tops, ".".join(filter(None, (node.module, name))))


def _modules(tops: Iterable[Path], dotted: str) -> Iterator[Path]:
    """Yield the files that importing `a.b.c` from one of `tops` would load, as far as they exist."""
    parts = dotted.split(".")
    for top in dict.fromkeys(tops):
        for depth in range(1, len(parts) + 1):
            stem = top.joinpath(*parts[:depth])
            for candidate in (stem.with_name(stem.name + ".py"), stem / "__init__.py"):
                if candidate.is_file():
                    yield candidate
