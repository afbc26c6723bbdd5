"""Where a project's own settings for pytest say that its tests lie; read from the files that pytest would read."""

from __future__ import annotations

import configparser
import glob
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from selfheal_tui.sandbox.inside.addopts import kept_addopts
from selfheal_tui.sandbox.inside.doctests import holds_examples

from .collect_ignore import ignored_patterns, is_ignored

DEFAULT_PATTERNS = ("test_*.py", "*_test.py")
"""What pytest collects from where nothing is set."""
_SECTIONS = {"pytest.ini": "pytest", "pyproject.toml": "", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}
"""Files with settings, in pytest's order: the first that has the section counts, and pytest.ini without any."""
_NO_DOCTESTS = ("setup.py", "__main__.py", "conftest.py")
CONFIG_FILES = tuple(_SECTIONS)


@dataclass(frozen=True, slots=True)
class PytestSettings:
    """What decides which files pytest collects."""

    testpaths: tuple[Path, ...] = ()
    """Folders and files that pytest collects from when nothing is named; empty for everywhere."""
    patterns: tuple[str, ...] = DEFAULT_PATTERNS
    """Patterns of test files (`python_files`)."""
    cache_folder: Path = Path(".pytest_cache")
    """Where pytest keeps what failed last, in the project."""

    arguments: tuple[str, ...] = ()
    """Those of `addopts` and of the command line that say which cases there are."""
    ignored: tuple[str, ...] = ()
    """Patterns of paths that conftest files keep from being collected."""

    def names_test(self, path: Path) -> bool:
        """Tell whether pytest would collect a file of this name."""
        if path.suffix != ".py":
            return False
        return any(fnmatch(str(path), f"*/{one}") if "/" in one else fnmatch(path.name, one) for one in self.patterns)

    def collects_doctests(self, path: Path, text: str) -> bool:
        """Tell whether pytest would collect examples from this file when nothing is named: docstrings, or its text."""
        in_docstrings = (
            "--doctest-modules" in self.arguments
            and path.suffix == ".py"
            and path.name not in _NO_DOCTESTS
            and ">>>" in text
        )
        return (in_docstrings or holds_examples(str(path), text, self.arguments)) and self._is_reached(path)

    def collects(self, path: Path) -> bool:
        """Tell whether pytest would collect this file when nothing is named."""
        return self.names_test(path) and self._is_reached(path)

    def _is_reached(self, path: Path) -> bool:
        below = not self.testpaths or any(map(path.is_relative_to, self.testpaths))
        return below and not is_ignored(path, self.ignored)


def read_pytest_settings(folder: Path, files: Mapping[Path, str], arguments: Sequence[str] = ()) -> PytestSettings:
    """Read the settings of the project in `folder` from the texts of its files; those of a broken file are left out.

    `arguments` are those that pytest gets beside. Test paths that lead to nothing count as none, as for pytest.
    """
    ignored = ignored_patterns(files)
    for name, section in _SECTIONS.items():
        text = files.get(folder / name)
        values = None if text is None else _section(name, section, text)
        if values is not None:
            paths = [path for one in _words(values.get("testpaths", "")) for path in _existing(folder, one)]
            return PytestSettings(
                tuple(paths),
                tuple(_words(values.get("python_files", ""))) or DEFAULT_PATTERNS,
                Path(str(values.get("cache_dir", "")).strip() or ".pytest_cache"),
                (*kept_addopts(name, text or "", ()), *arguments),
                ignored,
            )
    return PytestSettings(arguments=tuple(arguments), ignored=ignored)


def _section(name: str, section: str, text: str) -> Mapping[str, Any] | None:
    """Return the settings of one file; None where pytest would go on to the next one."""
    if name == "pyproject.toml":
        try:
            values = tomllib.loads(text).get("tool", {}).get("pytest", {}).get("ini_options")
        except (tomllib.TOMLDecodeError, AttributeError, RecursionError):
            return None
        return values if isinstance(values, dict) else None
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    if parser.has_section(section):
        return dict(parser[section])
    return {} if name == "pytest.ini" else None


def _words(value: object) -> list[str]:
    """Return a setting's words; TOML also has lists of them."""
    return [str(word) for word in value] if isinstance(value, list) else str(value).split()


def _existing(folder: Path, pattern: str) -> list[Path]:
    """Return what a test path leads to in the folder; one that names what lies outside of it leads to nothing."""
    if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
        return []
    matches = sorted(glob.glob(pattern, root_dir=folder, recursive=True))
    paths = [Path(folder, match).resolve() for match in matches]
    return [path for path in paths if path.is_relative_to(folder)]
