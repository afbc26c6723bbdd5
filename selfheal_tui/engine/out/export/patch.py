"""A patch as git writes it: names quoted where they must be, new files with a mode. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from selfheal_tui.python_encoding import encoding_of

from ...moment.workspace import unified_diff

_MARK = "\ufeff"
_ESCAPED = {"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def git_patch(old: Mapping[str, str], new: Mapping[str, str], marked: Collection[str] = ()) -> str:
    """Return what `git apply` turns `old` into `new` with; only files of `new` are in it. Empty: nothing differs.

    `marked` are the files that begin with a byte order mark. A file in another encoding than UTF-8 stands in it byte
    for byte, as `surrogateescape` writes bytes. Raises: UnicodeEncodeError for text that no file can hold.
    """
    changed = {path: text for path, text in sorted(new.items()) if old.get(path) != text}
    return "".join(_in_bytes(path, _file(path, old.get(path), text, path in marked)) for path, text in changed.items())


def patch_bytes(text: str) -> bytes:
    """Return a patch, or the text of any other export, as the bytes of a file."""
    return text.encode("utf-8", "surrogateescape")


def _in_bytes(path: str, patch: tuple[str, str, str]) -> str:
    head, body, source = patch
    return head + body.encode(encoding_of(path, source)).decode("utf-8", "surrogateescape")


def _file(path: str, before: str | None, after: str, marked: bool) -> tuple[str, str, str]:
    """Return the lines about the file, the hunks, and the text that says how the hunks are encoded."""
    source = after if before is None else before
    if marked and before is not None:
        # Such a file is UTF-8, whatever its first lines say.
        before, after, source = _MARK + before, _MARK + after, ""
    a, b = _quoted(f"a/{path}"), _quoted(f"b/{path}")
    lines = [f"diff --git {a} {b}\n"]
    if before is None:
        lines.append("new file mode 100644\n")
    hunks = unified_diff({"": before or ""}, {"": after}).partition("@@ ")
    if hunks[1]:
        lines += [f"--- {_ended(a) if before is not None else '/dev/null'}\n", f"+++ {_ended(b)}\n"]
    return "".join(lines), "".join(hunks[1:]), source


def _quoted(name: str) -> str:
    """Quote a name with characters that would end it, as git does (core.quotePath off)."""
    if not any(c in _ESCAPED or ord(c) < 32 or ord(c) == 127 for c in name):
        return name
    return (
        '"' + "".join(_ESCAPED.get(c) or (f"\\{ord(c):03o}" if ord(c) < 32 or ord(c) == 127 else c) for c in name) + '"'
    )


def _ended(name: str) -> str:
    """Put a tab behind a name with a blank: without it git takes what follows the blank for a date."""
    return f"{name}\t" if " " in name and not name.startswith('"') else name
