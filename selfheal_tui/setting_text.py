"""Parse the text of a settings file: each value keeps its line, and only existing settings are accepted."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from selfheal_tui.errors import SettingsError
from selfheal_tui.setting_values import nearest
from selfheal_tui.settings import parse_setting, setting_names
from selfheal_tui.text import one_line

_DEEPEST = 4
"""Levels of a settings file; a mapping of roles has two."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Parsed values of one source; `origins` per field."""

    values: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)


def read_layer(path: Path) -> Layer:
    """Read the user's own settings file; empty when there is none. Raises: SettingsError."""
    if not path.is_file():
        return Layer()
    try:
        return parse_layer(path.read_bytes(), path)
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from error


def parse_layer(content: bytes, path: Path) -> Layer:
    """Parse a settings file's content. Raises: SettingsError naming file and line.

    Anchors, aliases, merge keys and tags are refused: a few lines of them make gigabytes.
    """
    if not content.strip():
        return Layer()
    import yaml

    try:
        text = content.decode("utf-8")
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            # Checked while parsing: the parser takes quadratic time for depth.
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                raise SettingsError(f"{path} is not valid YAML, line {_line(event)}: it is nested too deeply.")
            if getattr(event, "anchor", None) or getattr(event, "tag", None):
                why = "anchors, aliases and tags are not allowed"
                raise SettingsError(f"{path} is not valid YAML, line {_line(event)}: {why}.", "Write the value out.")
        loader = yaml.SafeLoader(text)
        try:
            node = loader.get_single_node()
            if node is not None and not isinstance(node, yaml.MappingNode):
                raise SettingsError(f"{path} must hold `name: value` lines (line {node.start_mark.line + 1}).")
            pairs = [] if node is None else node.value
            entries = [
                (
                    key.start_mark.line + 1,
                    loader.construct_object(key),
                    loader.construct_object(value, deep=True),
                )
                for key, value in pairs
            ]
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise SettingsError(f"{path} is not valid YAML, line {line}: {error.problem}.") from error
    except (yaml.YAMLError, ValueError, KeyError, OverflowError, RecursionError) as error:
        raise SettingsError(f"{path} cannot be read: {one_line(str(error))}.", "Save it as UTF-8 YAML.") from error
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for line, name, value in entries:
        where = f"{path}, line {line}"
        if name not in setting_names():
            hint = nearest(str(name), setting_names())
            raise SettingsError(f"There is no setting {one_line(str(name), 40)!r} ({where}).", hint)
        if name in values:
            raise SettingsError(f"{name} is set twice ({where}).")
        try:
            values[name] = parse_setting(name, value, where, path.parent)
        except (ValueError, OverflowError, RuntimeError) as error:
            raise SettingsError(f"{name} cannot be read ({where}): {one_line(str(error))}.") from error
        origins[name] = where
    return Layer(values, origins)


def _line(event: Any) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1
