"""From what `heal` was given to a task: a text, a mapping, a file or a folder, with tests in as many forms.

A `str` is always text and never a path (but for `path` itself): what a model wrote must not make us read a file.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from selfheal_tui.engine.task.given_examples import given_examples
from selfheal_tui.engine.task.local_imports import local_imports
from selfheal_tui.engine.task.source_files import defines_tests, holds_only_tests, is_test_name, read_named
from selfheal_tui.engine.task.task import Task, load_task
from selfheal_tui.engine.task.walls import TEST_FOLDERS, import_base, named_path, walls_around
from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line

from .test_texts import as_test_file, file_meant, module_of

Given = str | os.PathLike[str]
Code = Given | Mapping[str, str]
"""Text, a file (`Path`), or path -> text."""
Tests = Given | Sequence[Given]
"""Text, a file or folder (`Path`), or a list of paths, node ids and pytest commands."""


def build_task(
    spec: str | None,
    code: Code | None,
    tests: Tests | None,
    path: Given | Sequence[Given] | None,
    pytest_args: Sequence[str],
) -> Task:
    """Return what is to be healed. Raises: InputError with one sentence for what cannot be used."""
    spec = spec or ""
    if not isinstance(spec, str):
        raise InputError(f"spec must be text, not {type(spec).__name__}.")
    if code is not None and path is not None:
        raise InputError("code and path say the same thing: what to heal.", "Give one of them.")
    if path is not None:
        paths = [Path(one) for one in _listed(path, "path")]
        if not paths:
            raise InputError("path is empty.", "Give a file or a folder, or several.")
        return _from_disk(paths, tests, spec, pytest_args)
    if isinstance(code, os.PathLike):
        if isinstance(tests, str):
            return _file_with_text(Path(code), tests, spec, pytest_args)
        return _from_disk([Path(code)], tests, spec, pytest_args)
    if code is None:
        return _to_be_written(spec, tests, pytest_args)
    return _from_texts(code, tests, spec, pytest_args)


def folder_of(code: Code | None, path: Given | Sequence[Given] | None) -> Path | None:
    """Return the folder that what is healed comes from; None for text."""
    named = next(iter(_listed(path, "path")), None) or (code if isinstance(code, os.PathLike) else None)
    if named is None:
        return None
    place = Path(os.path.abspath(named))
    return place if place.is_dir() else place.parent


def _from_disk(paths: Sequence[Path], tests: Tests | None, spec: str, pytest_args: Sequence[str]) -> Task:
    if isinstance(tests, str):
        raise InputError(
            "With a folder, tests are paths, not text.",
            "Give a list of paths or node ids: tests=['tests/test_shop.py'].",
        )
    top = paths[0] if paths and paths[0].is_dir() else Path()
    words = [word for one in _listed(tests) for word in _words(one)]
    # As pytest would take them: from the folder it runs in. What lies elsewhere is named from here.
    named = [top / word if (top / word.partition("::")[0]).exists() else Path(word) for word in words]
    return load_task(paths, named, spec, pytest_args)


def _file_with_text(path: Path, tests: str, spec: str, pytest_args: Sequence[str]) -> Task:
    """Return a task of a file on disk, with what it imports beside it, and tests that are text."""
    named = named_path(path)
    if named.is_dir():
        raise InputError(f"{path} is a folder; code is a file or text.", "Give it as path=.")
    root, walls = import_base(named), walls_around([named])
    files = {named: read_named(named)}
    files |= local_imports([named], files, root, walls)
    texts = {one.relative_to(root).as_posix(): text for one, text in files.items()}
    program = named.relative_to(root).as_posix()
    task = _task(texts, (program,), _text_of(tests), spec, pytest_args, path.name)
    return replace(task, root=str(root))


def _to_be_written(spec: str, tests: Tests | None, pytest_args: Sequence[str]) -> Task:
    if not spec.strip():
        raise InputError("There is nothing to heal.", "Give code=, path=, or a spec= to write code for.")
    task = load_task([], [], spec, pytest_args)
    texts = _test_texts(tests)
    if not texts:
        return task
    path = f"{module_of([*texts.values()], None) or 'solution'}.py"
    files = {name: as_test_file(text, path, None) for name, text in texts.items()}
    return replace(task, files=files, program=(path,), tests=tuple(files))


def _from_texts(code: str | Mapping[str, str], tests: Tests | None, spec: str, pytest_args: Sequence[str]) -> Task:
    if isinstance(code, str):
        _refuse_name(code, "code")
        if not code.strip():
            raise InputError("code is empty.", "To have it written, leave code out and give a spec.")
        texts = _test_texts(tests)
        path = f"{module_of([*texts.values()], code) or 'solution'}.py"
        return _task({path: code}, (path,), texts, spec, pytest_args, path)
    files = _checked(code)
    program = tuple(path for path in files if path.endswith(".py") and not _is_support(path))
    if not program:
        raise InputError("code holds no Python file that is no test.", "Give path -> text, as in {'shop.py': text}.")
    title = program[0] + (f" and {len(program) - 1} more" if len(program) > 1 else "")
    if isinstance(tests, str | os.PathLike) or any(isinstance(one, os.PathLike) for one in _listed(tests)):
        return _task(files, program, _test_texts(tests), spec, pytest_args, title)
    ids = [word for one in _listed(tests) for word in _words(one)]
    for word in ids:
        _check_held(word.partition("::")[0], files)
    return _task(files, program, {}, spec, pytest_args, title, named=ids or [one for one in files if _is_test(one)])


def _task(
    files: Mapping[str, str],
    program: tuple[str, ...],
    texts: Mapping[str, str],
    spec: str,
    pytest_args: Sequence[str],
    title: str,
    named: Sequence[str] = (),
) -> Task:
    """Return a task of texts; `texts` are test files, `named` tests among `files`. Raises: InputError."""
    if taken := sorted({*texts} & {*files}):
        raise InputError(f"{taken[0]} is both code and a test.", "Give each file once.")
    code = {path: files[path] for path in program}
    meant = {name: file_meant(text, code) for name, text in texts.items()}
    tests = {name: as_test_file(text, meant[name], files[meant[name]]) for name, text in texts.items()}
    own = [path for path in program if defines_tests(files[path])] if not (tests or named) else []
    program = tuple(path for path in program if path not in own or not holds_only_tests(files[path])) or program
    task = Task(
        "fix",
        title,
        {**files, **tests},
        program,
        (*tests, *named, *own),
        spec.strip(),
        None,
        tuple(pytest_args),
        spec_judges=bool(spec.strip()),
    )
    if not task.tests and not given_examples(task)[0]:
        raise InputError(
            "There is nothing to judge the code by.", "Give tests, or a spec with examples such as f(2) == 4."
        )
    return task


def _test_texts(tests: Tests | None) -> dict[str, str]:
    """Return path -> text of tests that are text or files."""
    if isinstance(tests, str):
        return _text_of(tests)
    texts: dict[str, str] = {}
    for one in _listed(tests):
        if isinstance(one, str):
            raise InputError(
                f"tests names {one_line(one, 60)!r}, which is not among the files of code.",
                "For a file on disk give a Path; for text give the text itself, not a list.",
            )
        path = Path(one)
        if path.is_dir():
            raise InputError(f"{path} is a folder: it goes with path=, not with code that is text.")
        name = path.name if is_test_name(path) else f"test_{path.name}"
        if name in texts:
            raise InputError(f"Two test files are called {name}.", "Give another name to one, or use path=.")
        texts[name] = read_named(path)
    return texts


def _text_of(tests: str) -> dict[str, str]:
    _refuse_name(tests, "tests")
    if not tests.strip():
        raise InputError("tests is empty.", "Leave it out, or give a test: assert f(2) == 4.")
    return {"test_given.py": tests}


def _refuse_name(text: str, argument: str) -> None:
    """Refuse what was meant as a path: one line that is the name of a file. Raises: InputError."""
    word = text.strip().partition("::")[0]
    if word.endswith(".py") and len(word.split()) == 1:
        raise InputError(
            f"{argument} is the name of a file, and is taken as text.", f"Give Path({one_line(word, 60)!r})."
        )


def _words(test: Given) -> list[str]:
    """Return what an item of `tests` names: `pytest tests/test_x.py::test_y` names one. Raises: InputError."""
    if isinstance(test, os.PathLike):
        return [os.fspath(test)]
    try:
        words = shlex.split(test)
    except ValueError:
        words = [test]
    if "pytest" in words[:3]:
        words = words[words.index("pytest") + 1 :]
    elif words != [test]:
        words = [test]  # a node id may hold blanks
    if options := [word for word in words if word.startswith("-")]:
        raise InputError(f"tests holds the option {one_line(options[0], 40)!r}.", "Options go into pytest_args=[...].")
    return words


def _listed(given: Tests | None, argument: str = "tests") -> list[Given]:
    if given is None:
        return []
    if isinstance(given, str | os.PathLike):
        return [given]
    items: list[Any] = list(given) if isinstance(given, Iterable) else [given]
    for one in items:
        if not isinstance(one, str | os.PathLike):
            wanted = "paths" if argument == "path" else "paths, node ids, pytest commands, or text"
            raise InputError(f"{argument} cannot be {one_line(repr(given), 40)}.", f"Give {wanted}.")
    return items


def _checked(files: Mapping[str, str]) -> dict[str, str]:
    """Return the files, sorted by path. Raises: InputError for a path that leads elsewhere."""
    if not isinstance(files, Mapping) or not all(isinstance(one, str) for pair in files.items() for one in pair):
        raise InputError("code must be text, a Path, or a mapping of paths to texts.")
    for path in files:
        parts = PurePosixPath(path).parts
        is_inside = parts and not path.startswith("/") and ".." not in parts and path == "/".join(parts)
        if not is_inside or "\\" in path or any(ord(character) < 32 for character in path):
            raise InputError(
                f"code holds the path {one_line(repr(path), 60)}.", "Give relative paths, as in 'package/shop.py'."
            )
    return dict(sorted(files.items()))


def _check_held(path: str, files: Mapping[str, str]) -> None:
    if path not in files and not any(one.startswith(path.rstrip("/") + "/") for one in files):
        raise InputError(
            f"tests names {one_line(path, 60)!r}, which is not among the files of code.",
            "For a file on disk give a Path.",
        )


def _is_test(path: str) -> bool:
    return is_test_name(Path(path))


def _is_support(path: str) -> bool:
    """Tell whether a file is a test or helps tests: no repair changes it."""
    place = PurePosixPath(path)
    return _is_test(path) or place.name == "conftest.py" or any(part in TEST_FOLDERS for part in place.parts[:-1])
