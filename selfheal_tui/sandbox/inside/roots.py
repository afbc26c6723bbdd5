"""Import roots: the folders from which a suite's modules are imported, and so the names that its files have.

pytest puts them on `sys.path` where it runs. The candidate's process runs no pytest, and our side no Python: both ask
here. Example: `sub/geo.py` beside `sub/test_geo.py` is `geo` and `sub.geo`, from the roots `sub` and the work folder.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from .addopts import kept_addopts, setting, settings_file
from .path_lines import folders_added

TOP = ("", "src")
"""On the path of every run, after those of the suite."""
_MODE = "--import-mode"


def import_roots(
    files: Mapping[str, str], tests: Iterable[str], program: Collection[str], arguments: Sequence[str] = ()
) -> list[str]:
    """Return the folders on `sys.path` when the suite's test files are imported, first to last; "" is the work folder.

    As pytest's `rootdir`-relative settings and its import modes have it
    (https://docs.pytest.org/en/stable/explanation/pythonpath.html), and those that lines of test files put there.
    `arguments` are those of the command line.
    """
    config = settings_file(files)
    options = kept_addopts(config, files[config], ()) if config else []
    mode = _value_of(_MODE, [*options, *arguments]) or "prepend"
    paths = setting(config, files[config], "pythonpath") if config else []
    for word in arguments:
        if "pythonpath=" in word:
            paths = shlex.split(word.partition("pythonpath=")[2])
    settings = [folder for path in paths if (folder := _inside(path)) is not None]
    imported = [path for path in files if path.endswith(".py")]
    own = frozenset(program)
    if "--doctest-modules" not in (*options, *arguments):
        imported = [path for path in imported if path not in own]
    tops = [test.partition("::")[0].rstrip("/") for test in tests]
    collected = [path for path in imported if not tops or any(_is_below(path, top) for top in tops)]
    folders = {folder for path in collected for folder in PurePosixPath(path).parents}
    conftests = [path for path in imported if _is_conftest(path) and PurePosixPath(path).parent in folders]
    of_files = [_base(path, files) for path in (*sorted(conftests), *sorted(collected))] if mode != "importlib" else []
    before, after = ([], of_files) if mode == "append" else (of_files, [])
    of_lines = [
        folder
        for path in files
        if path.endswith(".py") and path not in own
        for folder in folders_added(path, files[path])
    ]
    return list(dict.fromkeys([*before, *settings, *TOP, *after, *of_lines]))


def module_names(paths: Iterable[str], roots: Sequence[str] = TOP) -> dict[str, str]:
    """Return module name -> path, for all names under which these files can be imported; the first root counts."""
    return {name: files[0] for name, files in _all_names(paths, roots).items()}


def named_twice(paths: Iterable[str], roots: Sequence[str]) -> dict[str, list[str]]:
    """Return the names that more than one file has: which one it means depends on who imports it first."""
    return {name: files for name, files in _all_names(paths, roots).items() if len(files) > 1}


def _all_names(paths: Iterable[str], roots: Sequence[str]) -> dict[str, list[str]]:
    python = [path for path in paths if path.endswith(".py")]
    names: dict[str, list[str]] = {}
    for root in roots:
        start = f"{root}/" if root else ""
        for path in python:
            if path.startswith(start):
                name = path[len(start) :].removesuffix(".py").removesuffix("__init__").rstrip("/").replace("/", ".")
                if name and path not in names.setdefault(name, []):
                    names[name].append(path)
    return names


def _base(path: str, files: Mapping[str, str]) -> str:
    """Return the first folder above a file that is no package."""
    folder = PurePosixPath(path).parent
    while folder.name.isidentifier() and f"{folder}/__init__.py" in files:
        folder = folder.parent
    return "" if folder == PurePosixPath(".") else str(folder)


def _inside(path: str) -> str | None:
    """Return a folder of the settings as a path below the work folder; None when it leads out."""
    parts: list[str] = []
    for part in PurePosixPath(path).parts:
        if part == "/" or (part == ".." and not parts):
            return None
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _is_below(path: str, top: str) -> bool:
    return top in ("", ".") or path == top or path.startswith(f"{top}/")


def _is_conftest(path: str) -> bool:
    return PurePosixPath(path).name == "conftest.py"


def _value_of(flag: str, words: Sequence[str]) -> str:
    """Return what the last word gives for a flag, as `--flag=value` or in two words; empty when none does."""
    value = ""
    for at, word in enumerate(words):
        if word == flag and at + 1 < len(words):
            value = words[at + 1]
        elif word.startswith(f"{flag}="):
            value = word.partition("=")[2]
    return value
