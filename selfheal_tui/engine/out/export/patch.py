"""A patch as git writes it: names quoted where they must be, new files with a mode. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from ...moment.workspace import unified_diff

_ESCAPED = {"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def git_patch(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """Return what `git apply` turns `old` into `new` with; only files of `new` are in it. Empty: nothing differs."""
    return "".join(_file(path, old.get(path), text) for path, text in sorted(new.items()) if old.get(path) != text)


def _file(path: str, before: str | None, after: str) -> str:
    a, b = _quoted(f"a/{path}"), _quoted(f"b/{path}")
    lines = [f"diff --git {a} {b}\n"]
    if before is None:
        lines.append("new file mode 100644\n")
    hunks = unified_diff({"": before or ""}, {"": after}).partition("@@ ")
    if hunks[1]:
        lines += [f"--- {_ended(a) if before is not None else '/dev/null'}\n", f"+++ {_ended(b)}\n", "@@ ", hunks[2]]
    return "".join(lines)


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
