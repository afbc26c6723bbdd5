"""Where a project's own settings for pytest say that its tests lie; read from the files that pytest would read."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from selfheal_tui.sandbox.inside.addopts import CONFIGS, kept_addopts, settings_in
from selfheal_tui.sandbox.inside.doctests import holds_examples

from .collect_ignore import ignored_patterns, is_ignored

DEFAULT_PATTERNS = ("test_*.py", "*_test.py")
"""What pytest collects from where nothing is set."""
_NO_DOCTESTS = ("setup.py", "__main__.py", "conftest.py")


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

    def place_of(self, path: Path) -> int:
        """Return the place of the first test path that leads to a file: pytest collects from one after the other."""
        places = (at for at, top in enumerate(self.testpaths) if path.is_relative_to(top))
        return next(places, len(self.testpaths))

    def _is_reached(self, path: Path) -> bool:
        below = not self.testpaths or any(map(path.is_relative_to, self.testpaths))
        return below and not is_ignored(path, self.ignored)


def read_pytest_settings(folder: Path, files: Mapping[Path, str], arguments: Sequence[str] = ()) -> PytestSettings:
    """Read the settings of the project in `folder` from the texts of its files; those of a broken file are left out.

    `arguments` are those that pytest gets beside. Test paths that lead to nothing count as none, as for pytest.
    """
    ignored = ignored_patterns(files)
    for name in CONFIGS:
        text = files.get(folder / name)
        values = None if text is None else settings_in(name, text)
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
