"""Load and fill in prompts: one YAML file for each role, read again before each call.

Values are inserted by `string.Template`, which never looks inside what it inserted: braces, dollars and fences in
code stay as they are.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from string import Template
from typing import Any

from selfheal_tui.errors import SettingsError

_PACKAGE = Path(__file__).resolve().parents[2]
_KEYS = {"version", "system", "user", "schema", "limits"}
_FORMAT_KEYS = {"system", "schema", "limits"}
_ACTION_KEYS = {"system", "user", "schema"}


@dataclass(frozen=True, slots=True)
class Prompt:
    """One role's prompt file."""

    role: str
    version: int
    sha256: str
    """Of the file's bytes: it identifies the prompt that led to a reply."""
    system: str
    shared: str
    """Template of the message's start, which stays the same over a session: cached where the provider can."""
    moment: str
    """Template that follows `shared`: the same in all calls about one moment."""
    grows: str
    """Template that follows `moment`: later calls add to its end."""
    user: str
    """Template of the end: what is for one call alone."""
    schema: Mapping[str, Any]
    max_tokens: int
    or_schemas: tuple[Mapping[str, Any], ...] = ()
    """Other schemas that a reply may have."""
    actions: Prompt | None = None
    """The same prompt for a reply that is one action of the role's tools or its answer; None without tools."""
    formats: Mapping[str, Prompt] = field(default_factory=dict)
    """Format of the reply -> the same prompt asking for that; each takes replies of the others too."""

    @property
    def label(self) -> str:
        """Name the prompt with version and hash: `debugger v1 3f2a9c...`."""
        return f"{self.role} v{self.version} {self.sha256}"


def prompt_dirs(override: Path | None) -> list[Path]:
    """Return where prompts are looked for: the override, then a checkout's folder, then the wheel's."""
    places = [override] if override else []
    return [*places, *(p for p in (_PACKAGE.parent / "prompts", _PACKAGE / "_prompts") if p.is_dir())]


def load_prompt(role: str, override: Path | None = None) -> Prompt:
    """Read a role's prompt. Raises: SettingsError naming the file and what is wrong with it."""
    import yaml

    if override and not override.is_dir():
        raise SettingsError(f"The prompts folder {override} does not exist.", "Give a folder with --prompts DIR.")
    path = next((d / f"{role}.yaml" for d in prompt_dirs(override) if (d / f"{role}.yaml").is_file()), None)
    if path is None:
        raise SettingsError(f"There is no prompt for the role {role!r}.", "Reinstall selfheal, or add it to --prompts.")
    try:
        raw = path.read_bytes()
        content = _parsed(raw)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise SettingsError(f"The prompt {path} cannot be read: {' '.join(str(error).split())}.") from error
    missing = _KEYS - set(content) if isinstance(content, dict) else _KEYS
    if missing:
        raise SettingsError(f"The prompt {path} lacks the key {sorted(missing)[0]!r}.")
    prompt = Prompt(
        role=role,
        version=int(content["version"]),
        sha256=hashlib.sha256(raw).hexdigest(),
        system=str(content["system"]),
        shared=str(content.get("shared", "")),
        moment=str(content.get("moment", "")),
        grows=str(content.get("grows", "")),
        user=str(content["user"]),
        schema=content["schema"],
        max_tokens=int(content["limits"]["max_tokens"]),
    )
    if actions := content.get("actions"):
        prompt = replace(prompt, actions=_with_actions(prompt, actions, path))
    if formats := content.get("formats"):
        prompt = replace(prompt, formats=_with_formats(prompt, formats, path))
    return prompt


@functools.lru_cache(maxsize=32)
def _parsed(raw: bytes) -> Any:
    """Return a file's content, parsed once for the same bytes (15 ms). Raises: UnicodeDecodeError, YAMLError."""
    import yaml

    return yaml.safe_load(raw.decode("utf-8"))


def _with_actions(prompt: Prompt, actions: Any, path: Path) -> Prompt:
    missing = _ACTION_KEYS - set(actions) if isinstance(actions, dict) else _ACTION_KEYS
    if missing:
        raise SettingsError(f"The prompt {path} lacks the key {sorted(missing)[0]!r} in `actions`.")
    return replace(
        prompt,
        system=f"{prompt.system}\n{actions['system']}",
        user=f"{prompt.user}{actions['user']}",
        schema=actions["schema"],
        or_schemas=(prompt.schema,),
    )


def _with_formats(prompt: Prompt, formats: Any, path: Path) -> dict[str, Prompt]:
    """Return format -> prompt. Raises: SettingsError naming what a format lacks."""
    if not isinstance(formats, dict):
        raise SettingsError(f"The prompt {path} has `formats` that are no mapping.")
    for name, own in formats.items():
        missing = _FORMAT_KEYS - set(own) if isinstance(own, dict) else _FORMAT_KEYS
        if missing:
            raise SettingsError(f"The prompt {path} lacks the key {sorted(missing)[0]!r} in `formats.{name}`.")
    return {
        name: replace(
            prompt,
            system=f"{prompt.system}\n{own['system']}",
            schema=own["schema"],
            max_tokens=int(own["limits"]["max_tokens"]),
            or_schemas=tuple(other["schema"] for key, other in formats.items() if key != name),
        )
        for name, own in formats.items()
    }


def names_in(prompt: Prompt) -> set[str]:
    """Return the names of the values that the prompt's templates ask for."""
    templates = (prompt.shared, prompt.moment, prompt.grows, prompt.user)
    return {name for text in templates for name in Template(text).get_identifiers()}


def render(prompt: Prompt, template: str, values: Mapping[str, str]) -> str:
    """Fill one of the prompt's templates in. Raises: SettingsError when it names a value this role does not get."""
    try:
        return Template(template).substitute(values)
    except KeyError as error:
        raise SettingsError(
            f"The prompt of {prompt.role!r} asks for ${error.args[0]}, which this role does not get.",
            f"It gets: {', '.join('$' + name for name in sorted(values))}.",
        ) from None
    except ValueError as error:
        raise SettingsError(f"The prompt of {prompt.role!r} is not a valid template: {error}.") from None
