"""Writing healed files into the user's tree: all of them or none, each atomically, and no other file.

Every path is walked from the root folder's own descriptor without following a link, so that neither a link nor a
rename on the way can lead a write elsewhere. A file is replaced only while it holds what it was expected to hold.
"""

from __future__ import annotations

import os
import secrets
import shlex
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from selfheal_tui.errors import FileChanged, InputError
from selfheal_tui.python_encoding import BOM, encoded, encoding_of

_LARGEST_BYTES = 64_000_000
_SEARCH = getattr(os, "O_PATH", os.O_RDONLY)
"""Opens a folder that may be entered but not listed."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file to be written."""

    path: str
    """Relative, POSIX."""
    before: str | None
    """What it must hold now; None: it must not exist."""
    after: str


@dataclass(slots=True)
class _Staged:
    folder: int
    """Descriptor of the file's folder."""
    name: str
    full_path: str
    old: bytes | None
    mode: int
    temporary: str
    written: bool = False


def pending_changes(root: Path, wanted: Sequence[FileChange]) -> list[FileChange]:
    """Return those changes that are not made already, after a check that all can be made.

    Raises: InputError when a file changed meanwhile, is a link, or lies outside the root.
    """
    pending = []
    with _opened(root) as top:
        for change in wanted:
            now = _read(top, root, change)
            if now is not None and file_bytes(change, change.after, now) == now:
                continue
            _check_before(root, change, now)
            pending.append(change)
    return pending


def write_changes(root: Path, changes: Sequence[FileChange]) -> list[Path]:
    """Make all changes or none; return the files written. A file keeps its mode, and its byte order mark.

    Raises: InputError when one cannot be made; then every file is as it was.
    """
    with _opened(root) as top, ExitStack() as open_folders:
        staged: list[_Staged] = []
        try:
            for change in changes:
                staged.append(_stage(top, root, change, open_folders))
            for one, change in zip(staged, changes, strict=True):
                # The last look: a moment before the file is replaced.
                if _read(top, root, change) != one.old:
                    raise InputError(f"{one.full_path} changed while it was being written.", "Nothing was written.")
                os.rename(one.temporary, one.name, src_dir_fd=one.folder, dst_dir_fd=one.folder)
                one.written = True
            for folder in {one.folder for one in staged}:
                os.fsync(folder)
        except OSError as error:
            _undo(staged)
            beside = {one.temporary: one.full_path for one in staged}
            place = beside.get(error.filename, error.filename) or root
            raise InputError(f"{place} cannot be written: {error.strerror}.", "Nothing was written.") from error
        except BaseException:
            _undo(staged)
            raise
        return [root / change.path for change in changes]


@contextmanager
def _opened(root: Path) -> Iterator[int]:
    """Yield the folder's descriptor, reached without following a link: one on the way was put there since."""
    folders = [root, *root.parents][::-1]
    top = os.open(folders[0], os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for folder in folders[1:]:
            how = os.O_RDONLY if folder == root else _SEARCH
            try:
                below = os.open(folder.name, how | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=top)
            except OSError as error:
                if folder.is_symlink():
                    why = f"The folder {folder} is a link now, and nothing is written through one."
                    raise InputError(
                        why, "If you mean where it leads: selfheal sessions apply SESSION -o DIR"
                    ) from error
                why = f"The folder {root} cannot be opened: {error.strerror}."
                raise InputError(
                    why, "Take the changes over by hand: selfheal sessions export SESSION --format patch"
                ) from error
            os.close(top)
            top = below
        yield top
    finally:
        os.close(top)


def _parts(change: FileChange) -> tuple[str, ...]:
    parts = PurePosixPath(change.path).parts
    if not parts or change.path.startswith("/") or any(p in ("..", ".") or "\0" in p for p in parts):
        raise InputError(f"{change.path!r} lies outside the folder.", "It is never written.")
    return parts


@contextmanager
def _folder(top: int, root: Path, change: FileChange, *, make: bool = False) -> Iterator[int | None]:
    """Yield the descriptor of the file's folder; None when it does not exist and is not to be made."""
    parts = _parts(change)
    at = os.dup(top)
    try:
        for index, part in enumerate(parts[:-1]):
            full_path = root.joinpath(*parts[: index + 1])
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=at)
            try:
                below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
            except FileNotFoundError:
                yield None
                return
            except OSError as error:
                raise InputError(f"{full_path} is a link or no folder: nothing is written through it.") from error
            os.close(at)
            at = below
        yield at
    finally:
        os.close(at)


def _read(top: int, root: Path, change: FileChange) -> bytes | None:
    """Return what the file holds now; None when there is none. Raises: InputError for what is no regular file."""
    full_path = root / change.path
    with _folder(top, root, change) as folder:
        if folder is None:
            return None
        name = _parts(change)[-1]
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            if stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode):
                raise InputError(f"{full_path} is a link: nothing is written through it.") from error
            raise InputError(f"{full_path} cannot be read: {error.strerror}.") from error
        try:
            _check_regular(full_path, os.fstat(descriptor).st_mode)
            with closing(os.fdopen(descriptor, "rb", closefd=False)) as file:
                return file.read(_LARGEST_BYTES)
        finally:
            os.close(descriptor)


def _check_regular(full_path: Path, mode: int) -> None:
    """Raise InputError for what is no file: a folder cannot even be taken for one (os.fdopen refuses it)."""
    if stat.S_ISDIR(mode):
        raise InputError(
            f"{full_path} is a folder now: nothing was written.",
            "Move the folder away and put the file back, or write the whole program into another folder: "
            "selfheal sessions apply SESSION -o DIR",
        )
    if not stat.S_ISREG(mode):
        raise InputError(f"{full_path} is no regular file: nothing was written.")


def _put_back(root: Path, path: str) -> str:
    """Say how a file comes back that was deleted, so that the change has something to go into."""
    if any((folder / ".git").exists() for folder in (root, *root.parents)):
        command = shlex.join(["git", "-C", str(root), "checkout", "--", path])
        return f"Put it back first: {command}. Or leave it so, and commit the repair elsewhere: --branch NEW."
    return "Put it back first, or write the whole program into another folder: selfheal sessions apply SESSION -o DIR"


def _check_before(root: Path, change: FileChange, now: bytes | None) -> None:
    full_path = root / change.path
    if change.before is None:
        if now is not None:
            raise InputError(f"{full_path} is there already, with other content.", "Nothing was written.")
    elif now is None:
        raise InputError(f"{full_path} is not there any more: nothing was written.", _put_back(root, change.path))
    elif now != file_bytes(change, change.before, now):
        raise FileChanged(
            f"{full_path} changed since the session copied it.",
            "Nothing was written; to merge the repair into it: selfheal sessions apply SESSION --merge",
            str(full_path),
        )


def file_bytes(change: FileChange, text: str, now: bytes | None) -> bytes:
    """Return a text as the file would hold it: in the file's encoding, with a byte order mark if the file has one."""
    try:
        content = encoded(change.path, text)
    except UnicodeEncodeError as error:
        if encoding_of(change.path, text) != "utf-8":
            why = f"{change.path} names the encoding {encoding_of(change.path, text)}, which lacks a character of it."
            raise InputError(why, "Nothing was written.") from error
        raise InputError(f"{change.path} holds half a surrogate pair, which no file in UTF-8 can.") from error
    return BOM + content if now is not None and now.startswith(BOM) and not content.startswith(BOM) else content


def read_now(root: Path, changes: Sequence[FileChange]) -> list[bytes | None]:
    """Return what each file of the changes holds now; None for one that is not there. Raises: InputError."""
    with _opened(root) as top:
        return [_read(top, root, change) for change in changes]


def _stage(top: int, root: Path, change: FileChange, open_folders: ExitStack) -> _Staged:
    """Write the new text into a temporary file beside the file."""
    old = _read(top, root, change)
    _check_before(root, change, old)
    name = _parts(change)[-1]
    folder = open_folders.enter_context(_folder(top, root, change, make=change.before is None))
    if folder is None:
        raise InputError(f"{root / change.path} is not there any more.", "Nothing was written.")
    if old is not None:
        status = os.lstat(name, dir_fd=folder)
        mode, owner = stat.S_IMODE(status.st_mode), (status.st_uid, status.st_gid)
    else:
        mode, owner = 0o666 & ~_umask(), None
    return _write_beside(folder, name, str(root / change.path), file_bytes(change, change.after, old), old, mode, owner)


def _write_beside(
    folder: int, name: str, full_path: str, content: bytes, old: bytes | None, mode: int, owner: tuple[int, int] | None
) -> _Staged:
    temporary = f".{name[:200]}.{secrets.token_hex(6)}.selfheal"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(temporary, flags, 0o600, dir_fd=folder)
    except OSError as error:
        # The user knows the file and its folder, and not the name beside it.
        raise OSError(error.errno, error.strerror, os.path.dirname(full_path)) from error
    staged = _Staged(folder, name, full_path, old, mode, temporary)
    try:
        with closing(os.fdopen(descriptor, "wb")) as file:
            file.write(content)
            file.flush()
            if owner and owner != (os.geteuid(), os.getegid()):
                with suppress(PermissionError):
                    os.fchown(file.fileno(), *owner)
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
    except BaseException:
        _remove(staged)
        raise
    return staged


def _undo(staged: Sequence[_Staged]) -> None:
    """Put back what was replaced, and take the temporary files away."""
    for one in staged:
        if not one.written:
            _remove(one)
        elif one.old is None:
            os.unlink(one.name, dir_fd=one.folder)
        else:
            back = _write_beside(one.folder, one.name, one.full_path, one.old, None, one.mode, None)
            os.rename(back.temporary, one.name, src_dir_fd=one.folder, dst_dir_fd=one.folder)


def _remove(staged: _Staged) -> None:
    with suppress(FileNotFoundError):
        os.unlink(staged.temporary, dir_fd=staged.folder)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def changes_of(base: Mapping[str, str], program: Mapping[str, str]) -> list[FileChange]:
    """Return the changes that turn the files as given into the program."""
    return [FileChange(p, base.get(p), text) for p, text in sorted(program.items()) if base.get(p) != text]
