"""Write the user's own settings file: a value is changed in place, comments and all other lines stay."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfheal_tui.errors import SettingsError
from selfheal_tui.settings import own_file, setting_names
from selfheal_tui.whole_file import write_whole

if TYPE_CHECKING:
    import yaml


def save_settings(changes: Mapping[str, Any], environ: Mapping[str, str] | None = None) -> Path:
    """Write values into the user's own file and return its path; None removes a setting.

    The file is replaced in one step: another program sees the old one or the new one.
    Raises: SettingsError when it cannot be read, changed or written; then it is unchanged.
    """
    path = own_file(os.environ if environ is None else environ)
    target = Path(os.path.realpath(path))
    try:
        text = target.read_bytes().decode() if target.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}.", "Mend or remove it.") from error
    for name, value in changes.items():
        text = with_value(text, name, value, str(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o600
        write_whole(target, text.encode(), mode)
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror}.", "Nothing was changed.") from error
    return path


def with_value(text: str, name: str, value: Any, where: str) -> str:
    """Return the YAML text with one setting changed, or removed when `value` is None. Raises: SettingsError."""
    import yaml

    if name not in setting_names():
        raise SettingsError(f"There is no setting {name!r}.")
    if isinstance(value, Mapping):
        value = {key: str(one) for key, one in value.items()}
    try:
        before = yaml.safe_load(text) or {}
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        if not isinstance(before, dict) or (root is not None and not isinstance(root, yaml.MappingNode)):
            raise SettingsError(f"{where} must hold `name: value` lines.", "Mend or remove it.")
    except yaml.YAMLError as error:
        raise SettingsError(f"{where} is not valid YAML: {_line(error)}.", "Mend or remove it.") from error
    except RecursionError as error:
        raise SettingsError(f"{where} is nested too deeply.", "Mend or remove it.") from error
    changed = _changed(text, root, name, value)
    wanted = {key: own_value for key, own_value in before.items() if key != name}
    if value is not None:
        wanted[name] = value
    if _loaded(changed) != wanted:
        raise SettingsError(
            f"{name} cannot be changed in {where}, because of how it is written there.", "Change it by hand."
        )
    return changed


def _changed(text: str, root: yaml.MappingNode | None, name: str, value: Any) -> str:
    pairs = [] if root is None else root.value
    entry = next(((key, old) for key, old in pairs if key.value == name), None)
    if entry is None:
        if value is None:
            return text
        return text + ("" if not text or text.endswith("\n") else "\n") + f"{name}: {_dumped(value)}\n"
    key, old = entry
    start, end = old.start_mark.index, _end(old)
    if value is None:
        line_start = text.rfind("\n", 0, key.start_mark.index) + 1
        line_end = text.find("\n", max(end - 1, key.end_mark.index))
        return text[:line_start] + (text[line_end + 1 :] if line_end >= 0 else "")
    space = "" if start > 0 and text[start - 1].isspace() else " "
    newline = "\n" if text[start:end].endswith("\n") else ""
    return text[:start] + space + _dumped(value) + newline + text[end:]


def _end(node: yaml.Node) -> int:
    """Return where a value ends; PyYAML's mark of a block is after the comments that follow it."""
    if isinstance(node.value, list) and node.value and not getattr(node, "flow_style", False):
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def _dumped(value: Any) -> str:
    import yaml

    plain = dict(value) if isinstance(value, Mapping) else str(value) if isinstance(value, Path) else value

    def dump(unicode: bool) -> str:
        dumped: str = yaml.safe_dump(
            plain, default_flow_style=True, width=10**6, sort_keys=False, allow_unicode=unicode
        )
        return dumped.removesuffix("\n").removesuffix("\n...")

    # Some characters, such as U+0085, are not read back when they are written as themselves.
    written = dump(unicode=True)
    return written if _loaded(written) == plain else dump(unicode=False)


def _loaded(text: str) -> Any:
    """Parse the text: {} when it is empty, None when it is not YAML."""
    import yaml

    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError:
        return None
    return {} if content is None else content


def _line(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    return f"line {mark.line + 1}, {getattr(error, 'problem', '')}" if mark else str(error)
