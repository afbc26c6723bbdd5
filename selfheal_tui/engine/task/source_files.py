"""Reading the user's Python: a file that was named, a whole folder, a file that was found below a wall."""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path

from selfheal_tui.errors import InputError
from selfheal_tui.git import ignored_paths
from selfheal_tui.python_encoding import decoded
from selfheal_tui.python_source import Definition, is_fixture, is_test_class, parse_or_none
from selfheal_tui.sandbox.inside.addopts import HIDDEN_CONFIGS
from selfheal_tui.store.sessions import DB_NAME
from selfheal_tui.text import one_line, plural
from selfheal_tui.walled import LeavesFolder, NoRegularFile, read_below

from .unread import binary, listed, not_text
from .walls import MAX_FOUND_BYTES, Walls, named_path, repository_of

MAX_FILES = 10_000
MAX_TOTAL_BYTES = 20_000_000
MAX_DATA_BYTES = 4_000_000
"""Of files that are no text, or a large one, the smallest first: each run of the tests writes them all."""
_MOST_COUNTED = 100_000
_SKIPPED_FOLDERS = frozenset({"__pycache__", "venv", "env", "node_modules", "build", "dist", "site-packages"})
TEST_FOLDERS = ("tests", "test")
_NO_DATA = frozenset({".py", ".pyc", ".pyo"})


def read_named(path: Path) -> str:
    """Read a file the user named. Raises: InputError when it is not a readable UTF-8 text file."""
    target = named_path(path)
    try:
        content = read_below(target.parent, target, MAX_TOTAL_BYTES)
    except NoRegularFile:
        raise InputError(f"{path} is not a regular file.") from None
    except LeavesFolder:
        raise InputError(f"{path} became a link while it was read: nothing was read.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    if len(content) > MAX_TOTAL_BYTES:
        raise InputError(f"{path} is larger than {MAX_TOTAL_BYTES // 1_000_000} MB.")
    if b"\0" in content:
        raise InputError(*listed([binary(str(path))]))
    try:
        return decoded(str(path), content)
    except UnicodeDecodeError as error:
        raise InputError(*listed([not_text(str(path), content, error)])) from error


def read_folder(folder: Path, walls: Walls) -> dict[Path, str]:
    """Read every small text file below a named folder and what is data beside them, links that stay inside it included.

    Hidden, generated and installed folders, linked folders and much data are left out, and what git ignores.
    Raises: InputError when the folder cannot be read or holds too much.
    """
    files: dict[Path, str] = {}
    data: list[Path] = []
    size_bytes = 0
    repository = repository_of(folder)
    ignored = ignored_paths(folder, repository) if repository else frozenset()
    for path in walk_folder(folder, ignored):
        text = walls.text(path)
        if text is None:
            data.append(path)
            continue
        files[path] = text
        size_bytes += len(text)
        if len(files) > MAX_FILES or size_bytes > MAX_TOTAL_BYTES:
            raise InputError(
                f"{folder} is too large to copy: over {MAX_FILES:,} files or {MAX_TOTAL_BYTES // 1_000_000} MB of text."
                f"{_largest_words(folder, ignored)}",
                "Leave out what the tests do not need (.gitignore of a git repository), or name a smaller folder.",
            )
    return files | _data_of(data, walls, MAX_FILES - len(files))


def _data_of(paths: Iterable[Path], walls: Walls, most_files: int) -> dict[Path, str]:
    """Read files that are no text, the smallest first, as far as they fit; Python files are none of them."""
    files: dict[Path, str] = {}
    left_bytes = MAX_DATA_BYTES
    sizes = {path: _size_of(path) for path in paths if path.suffix not in _NO_DATA}
    for path in sorted(sizes, key=lambda path: (sizes[path], path))[:most_files]:
        if sizes[path] > left_bytes:
            break
        if (content := walls.data(path, left_bytes)) is not None:
            files[path] = content
            left_bytes -= len(content)
    return files


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _largest_words(folder: Path, ignored: Collection[str]) -> str:
    """Name the folder directly below that holds most, as far as it is counted; empty where there is none."""
    sizes: dict[str, tuple[int, int]] = {}
    for path in islice(walk_folder(folder, ignored), _MOST_COUNTED):
        try:
            size_bytes = path.lstat().st_size
        except OSError:
            continue
        if size_bytes <= MAX_FOUND_BYTES:
            parts = path.relative_to(folder).parts
            name = parts[0] if len(parts) > 1 else ""
            count, total_bytes = sizes.get(name, (0, 0))
            sizes[name] = (count + 1, total_bytes + size_bytes)
    whole_count, whole_bytes = (sum(sizes[one][part] for one in sizes) for part in (0, 1))
    sizes.pop("", None)
    if not sizes:
        return ""
    name = max(sizes, key=lambda one: (sizes[one][0] / MAX_FILES + sizes[one][1] / MAX_TOTAL_BYTES, one))
    count, total_bytes = sizes[name]
    most = 2 * count > whole_count or 2 * total_bytes > whole_bytes
    said = "Most of it is" if most else "Its largest folder is"
    return f" {said} {one_line(name, 100)}/ ({plural(count, 'file')}, {total_bytes / 1e6:,.1f} MB)."


def walk_folder(folder: Path, ignored: Collection[str] = ()) -> Iterator[Path]:
    """Yield every file below a folder that is not hidden, generated or installed, nor ignored. Raises: InputError.

    `ignored` are paths relative to the folder. Hidden files at its top that pytest reads are among them.
    """
    gone = {os.path.join(folder, path) for path in ignored}

    def fail(error: OSError) -> None:
        raise InputError(f"{error.filename} cannot be read: {error.strerror}.") from error

    for top, folders, names in os.walk(folder, onerror=fail):
        here = Path(top)
        folders[:] = sorted(f for f in folders if not is_skipped(here / f) and os.path.join(top, f) not in gone)
        shown = [f for f in sorted(names) if not f.startswith(".") or (here == folder and f in HIDDEN_CONFIGS)]
        yield from (here / f for f in shown if os.path.join(top, f) not in gone)


def is_test_name(path: Path) -> bool:
    """Tell whether pytest would collect a file of this name."""
    return path.suffix == ".py" and (path.name.startswith("test_") or path.stem.endswith("_test"))


def defines_tests(source: str) -> bool:
    """Tell whether the source has a `test_` function or a class of tests; False when it does not parse."""
    return any(map(_is_test, _definitions(source)))


def holds_only_tests(source: str) -> bool:
    """Tell whether all that the source defines at its top are tests and fixtures; False when it does not parse."""
    defined = _definitions(source)
    return any(map(_is_test, defined)) and all(_is_test(node) or is_fixture(node) for node in defined)


def _definitions(source: str) -> list[Definition]:
    tree = parse_or_none(source)
    return [node for node in tree.body if isinstance(node, Definition)] if tree is not None else []


def _is_test(node: Definition) -> bool:
    return is_test_class(node) or (not isinstance(node, ast.ClassDef) and node.name.startswith("test_"))


def is_skipped(folder: Path) -> bool:
    """Tell whether a folder is left out: hidden, generated, installed, a link, or a session of selfheal itself."""
    name = folder.name
    return (
        name.startswith(".")
        or name in _SKIPPED_FOLDERS
        or name.endswith(".egg-info")
        or folder.is_symlink()
        or os.path.lexists(folder / "pyvenv.cfg")
        or os.path.lexists(folder / DB_NAME)
    )
