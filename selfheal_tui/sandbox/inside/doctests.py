"""Which text files hold examples that are cases, as pytest's own plug-in for doctest has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatch
from itertools import pairwise
from pathlib import PurePosixPath

_FLAG = "--doctest-glob"
_DEFAULT = ("test*.txt",)
_TEXTS = (".txt", ".rst")
"""Kinds of text that are cases wherever the command line names the file."""


def holds_examples(path: str, text: str, arguments: Sequence[str], *, is_named: bool = False) -> bool:
    """Tell whether the examples of a file are cases; `arguments` are those of pytest, `is_named`: the file is one."""
    pure = PurePosixPath(path)
    if pure.suffix == ".py" or ">>>" not in text:
        return False
    return (is_named and pure.suffix in _TEXTS) or any(_fits(pure, one) for one in _globs(arguments))


def text_tests(files: Mapping[str, str], tests: Iterable[str], arguments: Sequence[str]) -> list[str]:
    """Return the text files of a suite whose examples are cases; without `tests` all files are looked through."""
    tops = {test.partition("::")[0].rstrip("/") for test in tests}
    return [
        path
        for path, text in files.items()
        if not path.endswith(".py")
        and (not tops or not tops.isdisjoint(("", ".", path, *map(str, PurePosixPath(path).parents))))
        and isinstance(text, str)
        and holds_examples(path, text, arguments, is_named=path in tops)
    ]


def _globs(arguments: Sequence[str]) -> Sequence[str]:
    after = [value for word, value in pairwise(arguments) if word == _FLAG]
    return [*after, *(word.partition("=")[2] for word in arguments if word.startswith(f"{_FLAG}="))] or _DEFAULT


def _fits(path: PurePosixPath, pattern: str) -> bool:
    """Match as `fnmatch_ex` of pytest: the name alone where the pattern has no slash."""
    return fnmatch(f"/{path}", f"*/{pattern}") if "/" in pattern else fnmatch(path.name, pattern)
