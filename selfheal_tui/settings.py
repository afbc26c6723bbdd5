"""Settings: one frozen value, read from flags, environment, a settings file and defaults, in that order.

Each value remembers where it came from. A new setting is a field here; its flag, environment name
(`SELFHEAL_<NAME>`) and place in selfheal.yaml follow from the field's name and type.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import os
import shlex
import sys
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, Union

from selfheal_tui.errors import SettingsError
from selfheal_tui.setting_values import nearest, parse_value, split_models
from selfheal_tui.text import one_line

FILE_NAME = "selfheal.yaml"
_PREFIX = "SELFHEAL_"
_NEEDS_TRUST = ("allow_unsandboxed", "keys", "prompts", "python", "tracing", "verify")
"""Not read from the current folder's file: a cloned project must not loosen the sandbox, nor move what `a` does."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a user can set."""

    sessions: Path
    """Folder that holds the sessions."""
    prompts: Path | None = None
    """Folder with prompts of your own; the bundled ones otherwise."""
    model: str = "search"
    """PROVIDER:NAME for every role (ollama:qwen3:8b, transformers:OWNER/NAME or transformers:./FOLDER), or
    ROLE=PROVIDER:NAME for one (repeatable); `search` needs no model."""
    role_models: Mapping[str, str] = field(default_factory=dict)
    """Role -> PROVIDER:NAME, where it differs from `model`."""
    autonomy: Literal["review_all", "review_repairs", "full_auto"] = "review_repairs"
    """What waits for your decision: diagnoses and repairs, repairs only, or nothing."""
    max_iterations: int = 6
    """Stop unhealed after this many tried repairs."""
    max_tokens: int | None = None
    """Stop once this many tokens were used."""
    max_cost_usd: float | None = None
    """Stop once this much was paid."""
    max_time_s: float | None = None
    """Stop once a run has worked for this long."""
    max_calls: int | None = None
    """Stop once a run has made this many model calls."""
    replay_only: bool = False
    """Answer from recorded replies only: a run that would need a new model call stops."""
    strategies: str = "minimal"
    """Repair strategies that compete in each round, with commas: minimal, rewrite, defensive, search."""
    near_miss_s: float = 3.0
    """Seconds of search on a model's repair that mends some cases but not all; 0 for none."""
    min_confidence: float = 0.3
    """Below it a diagnosis is not gone by: the model writes the code anew from the spec; 0 to 1."""
    debug_steps: int = 4
    """Most steps a model may look around with tools before its diagnosis; 0 asks for it at once."""
    adversary: Literal["auto", "on", "off"] = "auto"
    """Tests by a hostile reader of the code; `auto` writes them for code made from a spec."""
    critic: Literal["auto", "on", "off"] = "auto"
    """A reader of what passes every case; `auto` asks it whenever the loop wrote or changed the code."""
    advisors: str = ""
    """Advisory steps after that, with commas: security_review, quality."""
    lessons: bool = True
    """Offer what other sessions learnt to the models, and leave what this one learns."""
    tracing: bool = False
    """Let LangSmith trace the run, as its own variables say; it sends code and prompts away."""
    sandbox: str = "local"
    """Where programs run."""
    python: str = ""
    """Interpreter that runs programs and tests, as `.venv/bin/python`; selfheal's own when empty."""
    verify: bool = True
    """Judge a passing suite once more from a process that the program never enters, before it counts."""
    allow_unsandboxed: bool = False
    """Run programs even when no isolation is possible here."""
    theme: str = "textual-dark"
    """Colours of the app."""
    bell: bool = True
    """Ring the terminal's bell when a decision waits and you look elsewhere, or the run took its time."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Other keys for the app: binding id -> key, as `{review.approve: ctrl+y}`; `selfheal config --keys` lists them."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """Field name -> where its value came from, for people to read."""

    def models(self) -> dict[str, str]:
        """Return role -> PROVIDER:NAME, with `*` for all other roles."""
        return {"*": self.model, **self.role_models}


@dataclass(frozen=True, slots=True)
class _Layer:
    """Parsed values of one source; `origins` per field."""

    values: Mapping[str, Any]
    origins: Mapping[str, str]


def setting_names() -> tuple[str, ...]:
    """Return the names of all settings, in the order they are declared."""
    return tuple(f.name for f in fields(Settings) if f.name != "origins")


def setting_type(name: str) -> Any:
    """Return the declared type of a setting, without `| None`."""
    declared = _declared_types()[name]
    if typing.get_origin(declared) in (Union, types.UnionType):
        return next(t for t in typing.get_args(declared) if t is not type(None))
    return declared


@cache
def _declared_types() -> dict[str, Any]:
    return typing.get_type_hints(Settings)


def setting_help() -> dict[str, str]:
    """Return setting name -> the sentence under its field."""
    module = ast.parse(inspect.getsource(sys.modules[__name__]))
    body = next(node for node in module.body if isinstance(node, ast.ClassDef) and node.name == Settings.__name__)
    return {
        above.target.id: below.value.value
        for above, below in zip(body.body, body.body[1:], strict=False)
        if isinstance(above, ast.AnnAssign)
        and isinstance(above.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }


def load_settings(
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Settings:
    """Read the settings in force.

    `flags` maps setting names to what was given on the command line (None: not given); `model` may be a list
    with `ROLE=PROVIDER:NAME` items. A `model` given in one place overrides `role_models` of weaker places.
    An environment variable `SELFHEAL_*` that resembles a setting is refused; others are not ours.

    Raises: SettingsError naming the place (flag, variable, or file and line).
    """
    environ = os.environ if environ is None else environ
    cwd = Path.cwd() if cwd is None else cwd
    layers = [_default_layer(environ), *_file_layers(environ, cwd), _env_layer(environ, cwd)]
    layers.append(_flag_layer(flags or {}, cwd))
    values: dict[str, Any] = {}
    origins: dict[str, str] = {name: "default" for name in setting_names()}
    roles: dict[str, str] = {}
    for layer in layers:
        if "model" in layer.values:
            roles = {}
            origins["role_models"] = "default"
        roles |= layer.values.get("role_models", {})
        values |= layer.values
        origins |= layer.origins
    return Settings(**{**values, "role_models": roles}, origins=origins)


def own_file(environ: Mapping[str, str]) -> Path:
    """Return where the user's own settings lie, whether or not there are any."""
    return _xdg(environ, "XDG_CONFIG_HOME", ".config") / "selfheal" / FILE_NAME


def reload_settings(now: Settings, environ: Mapping[str, str] | None = None, cwd: Path | None = None) -> Settings:
    """Read the settings again; what flags said still holds. Raises: SettingsError."""
    read = load_settings(environ=environ, cwd=cwd)
    given = {name for name, origin in now.origins.items() if origin.startswith("flag")}
    values = {name: getattr(now, name) for name in given}
    return replace(read, **values, origins={**read.origins, **{name: now.origins[name] for name in given}})


def default_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Return the settings of a machine where nothing was set."""
    folder, origin = default_sessions(os.environ if environ is None else environ)
    return Settings(folder, origins={name: "default" for name in setting_names()} | {"sessions": origin})


def default_sessions(environ: Mapping[str, str]) -> tuple[Path, str]:
    """Return the sessions folder used when none is set, and why: a checkout's own, else the user's."""
    checkout = Path(__file__).resolve().parent.parent
    if (checkout / "pyproject.toml").is_file() and (checkout / "sessions" / "README.md").is_file():
        return checkout / "sessions", "default (this checkout)"
    return _xdg(environ, "XDG_DATA_HOME", ".local/share") / "selfheal" / "sessions", "default"


def sessions_flag(settings: Settings) -> str:
    """Return the flag, after a space, with which a later command finds the same sessions; empty when it does anyway."""
    given = settings.origins.get("sessions", "").startswith("flag")
    return f" --sessions {shlex.quote(str(settings.sessions))}" if given else ""


def parse_setting(name: str, value: Any, where: str, base: Path) -> Any:
    """Check and convert one value. Raises: SettingsError saying `where`."""
    if value is None and type(None) in typing.get_args(_declared_types()[name]):
        return None
    return parse_value(name, setting_type(name), value, where, base)


def _default_layer(environ: Mapping[str, str]) -> _Layer:
    folder, origin = default_sessions(environ)
    return _Layer({"sessions": folder}, {"sessions": origin})


def _file_layers(environ: Mapping[str, str], cwd: Path) -> list[_Layer]:
    """Read the settings files, weakest first: the user's own, then the current folder's."""
    own = own_file(environ)
    layers = [_read_file(own, trusted=True)]
    if (cwd / FILE_NAME) != own:
        layers.append(_read_file(cwd / FILE_NAME, trusted=False))
    return layers


def _read_file(path: Path, trusted: bool) -> _Layer:
    if not path.is_file():
        return _Layer({}, {})
    import yaml

    try:
        loader = yaml.SafeLoader(path.read_text(encoding="utf-8"))
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
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SettingsError(f"{path} cannot be read: {one_line(str(error))}.", "Save it as UTF-8 YAML.") from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from error
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for line, name, value in entries:
        where = f"{path}, line {line}"
        if name not in setting_names():
            hint = nearest(str(name), setting_names())
            raise SettingsError(f"There is no setting {one_line(str(name), 40)!r} ({where}).", hint)
        if name in values:
            raise SettingsError(f"{name} is set twice ({where}).")
        if name in _NEEDS_TRUST and not trusted:
            raise SettingsError(
                f"{name} cannot be set by the file of a project folder ({where}).",
                "Give it as a flag, a variable or in your own settings file.",
            )
        values[name] = parse_setting(name, value, where, path.parent)
        origins[name] = where
    return _Layer(values, origins)


def _env_layer(environ: Mapping[str, str], cwd: Path) -> _Layer:
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for variable, value in environ.items():
        name = variable.removeprefix(_PREFIX).lower()
        if not variable.startswith(_PREFIX) or not value:
            continue
        if name in setting_names():
            values[name] = parse_setting(name, value, variable, cwd)
            origins[name] = f"environment ({variable})"
        elif near := difflib.get_close_matches(name, setting_names(), n=1, cutoff=0.75):
            raise SettingsError(
                f"There is no setting for the variable {variable}.",
                f"Did you mean {_PREFIX}{near[0].upper()}?",
            )
    return _Layer(values, origins)


def _flag_layer(flags: Mapping[str, Any], cwd: Path) -> _Layer:
    values: dict[str, Any] = {}
    for name, value in flags.items():
        if value is None:
            continue
        flag = "--" + name.replace("_", "-")
        if name == "model":
            everyone, roles = split_models([value] if isinstance(value, str) else value, flag)
            values |= ({"model": everyone} if everyone else {}) | ({"role_models": roles} if roles else {})
        else:
            values[name] = parse_setting(name, value, flag, cwd)
    origins = {name: "flag (--" + name.replace("_", "-") + ")" for name in values}
    if "role_models" in values:
        origins["role_models"] = "flag (--model)"
    return _Layer(values, origins)


def _xdg(environ: Mapping[str, str], variable: str, fallback: str) -> Path:
    """Return a base folder; a relative one is ignored, as the XDG specification (0.8) asks."""
    given = Path(environ.get(variable, ""))
    return given if given.is_absolute() else Path.home() / fallback
