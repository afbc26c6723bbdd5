"""A task: the frozen files, tests and spec a session is made from; reads the user's disk, never writes it."""

from __future__ import annotations

import glob
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from selfheal_tui.errors import InputError
from selfheal_tui.python_source import parse_python, why_not
from selfheal_tui.sandbox.inside.addopts import CONFIGS
from selfheal_tui.sandbox.inside.doctests import holds_examples
from selfheal_tui.sandbox.plain_tests import as_pytest
from selfheal_tui.text import and_list, plural

from ..moment.state import Mode
from ..suites.told import told_answers
from .local_imports import local_imports, tests_beside, tests_near
from .named_cases import check_cases
from .pytest_settings import DEFAULT_PATTERNS, PytestSettings, read_pytest_settings
from .source_files import (
    MAX_FILES,
    MAX_TOTAL_BYTES,
    defines_tests,
    holds_only_tests,
    is_test_name,
    read_folder,
    read_named,
)
from .unread import Unread, listed
from .walls import TEST_FOLDERS, Walls, import_base, named_path, walls_around

GENERATED_PATH = "solution.py"
"""Where the code written for a spec goes."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a session is created from."""

    mode: Mode
    title: str
    files: Mapping[str, str]
    """Relative POSIX path -> text: program, tests and what they import, the whole folder."""
    program: tuple[str, ...]
    """Paths that may be changed."""
    tests: tuple[str, ...]
    """Test files or node ids."""
    spec: str = ""
    """What the program should do, in the user's words; empty when not given."""
    root: str | None = None
    """Absolute folder the files came from; None for a demo or a spec."""
    pytest_args: tuple[str, ...] = ()
    spec_judges: bool = False
    """The examples in `spec` are cases beside the tests; in spec mode they always are."""
    left_out: tuple[str, ...] = ()
    """What was met and not read: links that lead out of the folder, and files beyond it."""
    unread: tuple[Unread, ...] = ()
    """Python files of the folder, or that one of its files imports, which cannot be read, by path."""
    wrong: tuple[tuple[str, str], ...] = ()
    """(call, right answer) that the user says the program does not give, `!Name` for an exception: cases beside the
    tests."""
    others_fail: int = 0
    """How many failing cases of the project are no part of the suite, as others were named."""
    seen_red: bool = False
    """Whether a run of the user's own, or the user, named each failing case of the suite."""
    collected_only_here: str = ""
    """Sentences about test files that the user's own pytest could not collect and the sandbox can; empty for none."""


def load_task(
    paths: Sequence[Path],
    tests: Sequence[Path] = (),
    spec: str = "",
    pytest_args: Sequence[str] = (),
    wrong: Sequence[str] = (),
) -> Task:
    """Read what is to be healed: program files or folders, their tests and what both import locally.

    Without `tests` they are looked for: beside the program, in `tests/`, or in the program itself. Without
    `paths` the task is to write code for `spec`. A test may be a node id (`test_x.py::test_y`). Program files
    that do not parse are accepted: that is something to heal. `wrong` are sentences such as `f(3) should be 5`; with
    one, no test is needed.

    Raises: InputError with one sentence for a path, a file or a spec that cannot be used.
    """
    if not paths:
        return _spec_task(spec, tuple(pytest_args))
    named = [named_path(path) for path in paths]
    given_tests = _named_tests(tests)
    walls = walls_around([*named, *given_tests])
    folders = [path for path in named if path.is_dir()]
    files: dict[Path, str] = {}
    for folder in folders:
        folder_files = read_folder(folder, walls)
        if not any(_is_python(path) for path in folder_files):
            _refuse_unread(f"{folder} holds no Python file that can be read", unread_of(walls, folder))
            raise InputError(f"{folder} holds no Python file.", "Name the folder or file with the program.")
        files |= folder_files
    files |= {path: read_named(path) for path in named if not path.is_dir()}
    named_files = list(files)
    if not any(map(_is_python, named_files)):
        raise InputError(f"{named[0].name} is not a Python file (.py).")

    settings = PytestSettings(arguments=tuple(pytest_args))
    if folders:
        settings = read_pytest_settings(folders[0], files, pytest_args)
    found = () if given_tests else _found_tests(named_files, folders, files, walls, settings, needed=not wrong)
    test_ids = given_tests or dict.fromkeys(found, ("",))
    for path in test_ids:
        files |= read_folder(path, walls) if path.is_dir() else {path: read_named(path)}
    test_folders = [top for top in test_ids if top.is_dir()]
    for top in test_folders:
        _check_holds_tests(top, files, walls, settings)
    holds_program = {top: any(path.is_relative_to(top) for path in named) for top in test_folders}
    test_files = [
        path
        for path in files
        if _is_python(path) and (path in test_ids or _is_below_tests(path, holds_program, settings))
    ]
    _check_a_test_parses(test_files, files)
    check_cases(test_ids, files)
    pytest_args = (*pytest_args, *_globs_for(test_ids, files, settings))
    # Plain assertions would run while pytest imports the file, and the first to fail would hide the rest.
    files |= {path: as_pytest(files[path]) for path in test_files if path in test_ids and path not in named_files}

    root = _common_root(files, [*folders, *test_folders], test_files)
    files |= local_imports([path for path in files if _is_python(path)], files, root, walls)
    _check_size(files)
    unread = unread_of(walls, root, files)
    program = _program(named_files, test_files, folders, files, settings, unread)
    relative = {path: path.relative_to(root).as_posix() for path in [*files, *test_ids]}
    named_tests = {relative[path]: files[path] for path in test_files if path in files}
    told = told_answers(wrong, {relative[path]: files[path] for path in program}, named_tests) if wrong else []
    return Task(
        mode="fix",
        title=_title(named, program),
        files={relative[path]: files[path] for path in sorted(files)},
        program=tuple(sorted(relative[path] for path in program)),
        tests=tuple(relative[path] + suffix for path, suffixes in test_ids.items() for suffix in suffixes),
        spec=spec,
        root=str(root),
        pytest_args=tuple(pytest_args),
        spec_judges=bool(spec.strip()),
        wrong=tuple((call, answer) for call, answer in told),
        left_out=tuple(sorted(os.path.relpath(path, root) for path in walls.stopped)),
        unread=tuple(unread),
    )


def unread_of(walls: Walls, root: Path, files: Collection[Path] = ()) -> list[Unread]:
    """Return the Python files that were met and could not be read, by path from `root`; not those in `files`."""
    left = {path: why for path, why in walls.unread.items() if path not in files}
    return [why._replace(path=os.path.relpath(path, root)) for path, why in sorted(left.items())]


def _refuse_unread(without: str, unread: Collection[Unread]) -> None:
    """Say which unread files are what is missing; nothing where there is none. Raises: InputError."""
    if unread:
        why, remedy = listed(unread)
        raise InputError(f"{without}: {why}", remedy)


def _spec_task(spec: str, pytest_args: tuple[str, ...]) -> Task:
    if not spec.strip():
        raise InputError("The spec is empty and no file was named.", "Say in a sentence what the code should do.")
    first = spec.strip().splitlines()[0].strip()
    title = first if len(first) <= 60 else first[:59] + "…"
    return Task("spec", title, {}, (GENERATED_PATH,), (), spec.strip(), None, pytest_args)


def _named_tests(tests: Sequence[Path]) -> dict[Path, tuple[str, ...]]:
    """Return test path -> node id suffixes (`` or `::test_x`), in the order given."""
    suffixes: dict[Path, tuple[str, ...]] = {}
    for test in tests:
        name, mark, node = str(test).partition("::")
        path = named_path(Path(name))
        suffixes[path] = (*suffixes.get(path, ()), mark + node)
    return suffixes


def _found_tests(
    named_files: Sequence[Path],
    folders: Sequence[Path],
    files: Mapping[Path, str],
    walls: Walls,
    settings: PytestSettings,
    *,
    needed: bool = True,
) -> list[Path]:
    python = [path for path in named_files if _is_python(path)]
    tests = [path for path in named_files if settings.collects(path) or settings.collects_doctests(path, files[path])]
    outside = [path for path in python if not any(map(path.is_relative_to, folders))]
    tests = tests or tests_near(outside, walls)
    tests = tests or [path for path in python if defines_tests(files[path])]
    tests = tests or tests_near(python, walls)
    if needed and not tests:
        names = ", ".join(path.name for path in (folders or named_files)[:3])
        unread = unread_of(walls, folders[0] if folders else named_files[0].parent, files)
        _refuse_unread(
            f"No tests were found for {names}", [one for one in unread if settings.names_test(Path(one.path))]
        )
        if beside := sorted({test for path in python for test in tests_beside(path, walls)}):
            named = f"{and_list([test.name for test in beside[:3]])}{' and others' if len(beside) > 3 else ''}"
            raise InputError(
                f"No tests were found for {names}: {named} {'do' if len(beside) > 1 else 'does'} not import it.",
                f"To use {'them' if len(beside) > 1 else 'it'} all the same: --tests PATH.",
            )
        raise InputError(
            f"No tests were found for {names}: no {' or '.join(settings.patterns)} beside it or in tests/.",
            "Name them with --tests PATH, or say what is wrong: selfheal fix PATH --wrong 'f(3) should be 5'.",
        )
    return sorted(tests, key=lambda path: (settings.place_of(path), path))


def _globs_for(tests: Iterable[Path], files: Mapping[Path, str], settings: PytestSettings) -> list[str]:
    """Return the arguments with which pytest takes the text files that were named for tests.

    Raises: InputError for one without examples.
    """
    globs: list[str] = []
    for path in tests:
        if path not in files or _is_python(path):
            continue
        if ">>>" not in files[path]:
            raise InputError(f"{path.name} holds no test: it is no Python file and has no examples (>>>).")
        if not holds_examples(str(path), files[path], (*settings.arguments, *globs), is_named=True):
            globs.append(f"--doctest-glob={glob.escape(path.name)}")
    return globs


def _check_holds_tests(folder: Path, files: Mapping[Path, str], walls: Walls, settings: PytestSettings) -> None:
    """Refuse a folder that was named for its tests and has none; what a plug-in may collect is left to pytest.

    Raises: InputError.
    """
    below = [path for path in files if path.is_relative_to(folder)]
    own = read_pytest_settings(folder, files, settings.arguments)
    # A folder that is named is looked through wherever the test paths lead.
    both = [replace(one, testpaths=()) for one in (settings, own)]
    if any(_may_hold_tests(path, files[path], one) for path in below for one in both):
        return
    patterns = settings.patterns if own.patterns == DEFAULT_PATTERNS else own.patterns
    name = folder.name or str(folder)
    unread = [one for one in unread_of(walls, folder) if settings.names_test(Path(one.path))]
    _refuse_unread(f"{name} holds no test file that can be read", unread)
    raise InputError(
        f"{name} holds no test file: no {' or '.join(patterns)}.", "Name a test file, or a folder that holds some."
    )


def _may_hold_tests(path: Path, text: str, settings: PytestSettings) -> bool:
    """Tell whether pytest may find a case in a file of a named folder; of a Python file its name or content says so."""
    if not _is_python(path):
        return path.name not in CONFIGS
    return settings.names_test(path) or settings.collects_doctests(path, text) or defines_tests(text)


def _is_below_tests(path: Path, holds_program: Mapping[Path, bool], settings: PytestSettings) -> bool:
    """Tell whether a file lies in a folder of tests; in one that also holds the program, its name has to say so."""
    return any(
        path.is_relative_to(top) and (not with_program or settings.names_test(path))
        for top, with_program in holds_program.items()
    )


def _program(
    named_files: Sequence[Path],
    test_files: Sequence[Path],
    folders: Sequence[Path],
    files: Mapping[Path, str],
    settings: PytestSettings,
    unread: Collection[Unread],
) -> list[Path]:
    """Choose what may be changed: what was named without its tests, else what the named tests import."""
    tests = {*test_files}
    named_tests = {path for path in test_files if not settings.names_test(path)}
    program = [
        path
        for path in named_files
        if _is_python(path)
        and (path in named_tests or path not in tests)
        and not _is_support(path, folders, settings)
        # What a link leads to is changed where it lies.
        and not path.is_symlink()
    ]
    # A file such as `tests.py`, which only its content tells from the program, is nothing to change beside others.
    if program := [path for path in program if path not in tests or not holds_only_tests(files[path])] or program:
        return program
    unread = [one for one in unread if not _is_support(Path(one.path), (), settings)]
    if folders:
        _refuse_unread(f"{folders[0]} holds tests but no program that can be read", unread)
        raise InputError(f"{folders[0]} holds tests but no program to heal.", "Name the program's file too.")
    imported = [path for path in files if _is_python(path) and path not in named_files and path not in test_files]
    imported = [path for path in imported if path.name not in ("conftest.py", "__init__.py")]
    if not imported:
        _refuse_unread("What the tests import cannot be read", unread)
    return imported or [path for path in named_files if _is_python(path)]


def _is_support(path: Path, folders: Sequence[Path], settings: PytestSettings) -> bool:
    """Tell whether a file helps the tests: named like one, or below a test folder of a named folder."""
    if path.name == "conftest.py" or is_test_name(path) or settings.names_test(path):
        return True
    inside = [path.relative_to(folder).parts for folder in folders if path.is_relative_to(folder)]
    return any(part in TEST_FOLDERS for parts in inside for part in parts)


def _check_a_test_parses(test_files: Iterable[Path], files: Mapping[Path, str]) -> None:
    """Refuse tests of which none parses; where some do, the first run says what is wrong with the others."""
    broken = ""
    for path in test_files:
        try:
            parse_python(files[path])
        except SyntaxError as error:
            broken = broken or f"{path.name} does not parse{why_not(error)}."
        else:
            return
    if broken:
        raise InputError(broken, "Mend the test file first.")


def _check_size(files: Mapping[Path, str]) -> None:
    size_bytes = sum(len(text.encode("utf-8", "surrogatepass")) for text in files.values())
    if len(files) > MAX_FILES or size_bytes > MAX_TOTAL_BYTES:
        raise InputError(
            f"This is too much to copy: {plural(len(files), 'file')}, {size_bytes / 1e6:.0f} MB "
            f"(at most {MAX_FILES:,} files and {MAX_TOTAL_BYTES // 1_000_000} MB).",
            "Name a smaller folder or the files themselves.",
        )


def _common_root(files: Iterable[Path], folders: Sequence[Path], test_files: Iterable[Path]) -> Path:
    """Return the deepest folder that holds all packages and the named folders whole.

    A test folder belongs to its parent.
    """
    tops = {path: import_base(path / "_") for path in {path.parent for path in files}}
    above_tests = [top.parent for top in {tops[path.parent] for path in test_files} if top.name in TEST_FOLDERS]
    return Path(os.path.commonpath([*folders, *tops.values(), *above_tests]))


def _is_python(path: Path) -> bool:
    return path.suffix == ".py"


def _title(named: Sequence[Path], program: Collection[Path]) -> str:
    """Return what a task is called: what was named, or the one program that named tests import."""
    if len(program) == 1 and not any(path.is_dir() or path in program for path in named):
        named = [*program]
    more = f" and {len(named) - 1} more" if len(named) > 1 else ""
    return (named[0].name or str(named[0])) + more
