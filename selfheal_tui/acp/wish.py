"""What a prompt asks for: a command, paths to heal, or only words. Pure, but for looking which paths are there."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from acp.helpers import ContentBlock
from acp.schema import EmbeddedResourceContentBlock, ResourceContentBlock, TextContentBlock

from selfheal_tui.errors import InputError
from selfheal_tui.setting_values import nearest
from selfheal_tui.text import one_line

from .commands import COMMANDS

_AROUND = "`'\"()[]{},;:!?"
"""What stands around a path in a sentence; a full stop is looked at by itself."""
_PROJECT_WORDS = ("heal", "fix", "repair")
_FEW_WORDS = 5


@dataclass(frozen=True, slots=True)
class Wish:
    """A prompt, read."""

    command: str
    """One of COMMANDS; empty for words alone."""
    text: str
    """What follows the command, or all of the words."""
    paths: tuple[Path, ...] = ()
    """Files and folders that were named or attached, absolute."""
    tests: tuple[Path, ...] = ()
    """Node ids that were named: `/home/me/shop/test_shop.py::test_sum`."""
    spec: str = ""
    """With fix: what the program should do."""

    @property
    def means_project(self) -> bool:
        """Whether the words can only mean the project one stands in: `heal this project`."""
        words = self.text.lower().split()
        return not words or (len(words) <= _FEW_WORDS and words[0].strip(_AROUND + ".") in _PROJECT_WORDS)


def read_wish(blocks: Sequence[ContentBlock], folder: Path) -> Wish:
    """Read a prompt in a folder. Raises: InputError for an unknown command, a path that is not there, or a picture."""
    texts: list[str] = []
    attached: list[Path] = []
    for one in blocks:
        match one:
            case TextContentBlock():
                texts.append(one.text)
            case ResourceContentBlock():
                attached.append(_attached(one.uri))
            case EmbeddedResourceContentBlock():
                attached.append(_attached(one.resource.uri))
            case _:
                raise InputError("Pictures and sounds cannot be used.", "Say it in words, or name a file.")
    text = "\n".join(texts).strip()
    word, _, rest = text.partition(" ") if "\n" not in text.partition(" ")[0] else text.partition("\n")
    command = word.removeprefix("/") if word.startswith("/") else ""
    if command and command not in COMMANDS:
        if not Path(word.partition("::")[0]).exists():
            hint = nearest(command, COMMANDS, f"There are: {', '.join('/' + name for name in COMMANDS)}.")
            raise InputError(f"There is no command /{one_line(command, 40)}.", hint)
        command = ""
    if command == "fix":
        return _fix(rest, attached, folder)
    if command:
        return Wish(command, rest.strip(), tuple(attached))
    paths, tests = _named(_words(text), folder)
    return Wish("", text, (*paths, *(one for one in attached if one not in paths)), tests)


def _fix(rest: str, attached: Sequence[Path], folder: Path) -> Wish:
    named, _, spec = rest.partition("-- ") if rest.startswith("-- ") else rest.partition(" -- ")
    try:
        words = shlex.split(named)
    except ValueError as error:
        raise InputError(f"The paths cannot be read: {error}.", "Put one with blanks into quotes.") from error
    for word in words:
        if word.startswith("-"):
            raise InputError(f"/fix takes no option {one_line(word, 40)}.", "Options belong to `selfheal acp` itself.")
        if not (folder / word.partition("::")[0]).exists():
            raise InputError(f"{one_line(word, 200)} does not exist.", f"Paths are taken from {folder}.")
    tests = tuple(folder / word for word in words if "::" in word)
    paths = [folder / word for word in words if "::" not in word]
    return Wish("fix", rest.strip(), (*paths, *(one for one in attached if one not in paths)), tests, spec.strip())


def _words(text: str) -> list[str]:
    return [word.strip(_AROUND).removesuffix(".") if word != "." else word for word in text.split()]


def _named(words: Sequence[str], folder: Path) -> tuple[list[Path], tuple[Path, ...]]:
    """Return the paths among words, and the node ids: a word that is only the name of a folder may be no path."""
    paths: list[Path] = []
    tests: list[Path] = []
    for word in words:
        name, mark, _ = word.partition("::")
        looks_so = "/" in name or name.endswith(".py") or name == "."
        if not looks_so or len(name) > 1000 or not _is_there(folder / name):
            continue
        (tests if mark else paths).append(folder / word)
    return list(dict.fromkeys(paths)), tuple(dict.fromkeys(tests))


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _attached(uri: str) -> Path:
    """Return the file that an editor attached. Raises: InputError for what is no file of this machine."""
    parts = urlsplit(uri)
    path = Path(unquote(parts.path)) if parts.scheme in ("", "file") else None
    if path is None or not path.is_absolute() or parts.netloc not in ("", "localhost") or not _is_there(path):
        raise InputError(f"{one_line(uri, 200)} is no file here.", "Attach files and folders of this machine only.")
    return path
