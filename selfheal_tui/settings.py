"""Settings: one frozen value; `setting_layers.py` reads it from flags, environment, settings files and defaults.

Each value remembers where it came from. A new setting is a field here; its flag, environment name
(`SELFHEAL_<NAME>`) and place in selfheal.yaml follow from the field's name and type.
"""

from __future__ import annotations

import ast
import inspect
import os
import shlex
import sys
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, Union

from selfheal_tui.hook_settings import Hook
from selfheal_tui.setting_values import EFFORT_BY_ROLE, SEARCH, parse_value

FILE_NAME = "selfheal.yaml"


class LeftOut(NamedTuple):
    """A value that the current folder brings and that is not used."""

    name: str
    """A setting or a provider's variable; a file's name where all of it is left out."""
    value: str
    """As text for people, without secrets; empty where there is none to show."""
    where: str
    """`selfheal.yaml, line 3`."""
    why: str = ""
    """Why it would not be used even if the folder were trusted; empty when a yes is all it lacks."""
    meanwhile: str = ""
    """What is used in its place for now, whether or not the folder is trusted; empty for nothing."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a user can set."""

    sessions: Path
    """Folder that holds the sessions."""
    prompts: Path | None = None
    """Folder with prompts of your own; the bundled ones otherwise."""
    model: str = SEARCH
    """PROVIDER:NAME for every role (as ollama:qwen3:8b), or ROLE=PROVIDER:NAME for one (repeatable); `search` needs no
    model, `auto` takes what is there."""
    role_models: Mapping[str, str] = field(default_factory=dict)
    """Role -> PROVIDER:NAME, where it differs from `model`."""
    effort: Mapping[str, str] = field(default_factory=lambda: dict(EFFORT_BY_ROLE))
    """How much models think: LEVEL for every role, or ROLE=LEVEL for one (repeatable). Levels: none, minimal, low,
    medium, high, xhigh, max; or auto for what the model does by itself."""
    prices: Mapping[str, str] = field(default_factory=dict)
    """Prices of your own, in dollars for a million tokens, with commas:
    PROVIDER:NAME=INPUT/OUTPUT[/CACHED[/WRITTEN]]."""
    call_time_s: float = 3600.0
    """The longest that one model call may take."""
    silence_s: float = 120.0
    """A model that shows no sign of life for this long is given up; its first one may take 300 s at least."""
    context_tokens: int | None = None
    """The longest context to ask a local model server for; by default as long as the prompts need."""
    autonomy: Literal["review_all", "review_repairs", "full_auto"] = "review_repairs"
    """What waits for your decision. review_repairs: each diagnosis and each repair; review_all: also generated tests,
    the first code and the end; full_auto: nothing."""
    max_iterations: int = 6
    """Stop unhealed after this many repairs were tried."""
    max_tokens: int | None = None
    """Stop once this many tokens were used."""
    max_cost_usd: float | None = None
    """Stop once this much was paid."""
    max_time_s: float | None = None
    """Stop once a run has worked for this long. A search has 60 s, or with this limit four fifths of the time that is
    left where that is more: a higher limit lets it search longer."""
    max_calls: int | None = None
    """Stop once a run has made this many model calls."""
    replay_only: bool = False
    """Answer from recorded replies only: a run that would need a new model call stops."""
    strategies: str = "minimal"
    """Strategies that compete to find a repair in each round, with commas: minimal, rewrite, defensive, search."""
    repair_format: Literal["auto", "edits", "functions", "files"] = "auto"
    """How a model writes repairs down: edits of lines, whole functions, whole files; `auto` goes by size and model."""
    near_miss_s: float = 3.0
    """Seconds of search on a model's repair that mends some cases but not all; 0 for none."""
    min_confidence: float = 0.3
    """A diagnosis below this confidence is not used: the model writes the code anew from the spec; 0 to 1."""
    debug_steps: int = 4
    """Most steps a model may look around with tools before its diagnosis; 0 asks for it at once."""
    adversary: Literal["auto", "on", "off"] = "auto"
    """Tests by a hostile reader of the code; `auto` writes them for code made from a spec."""
    critic: Literal["auto", "on", "off"] = "auto"
    """A last reader of code that passes every case; `auto` asks it when the loop wrote or changed the code."""
    oracle_calls: int = 3
    """How often a model is asked what a call should give on which good repairs disagree; its opinion is shown beside
    the question and never answers it. 0 for never, at most 9."""
    agent_decides: bool = False
    """Let an agent that is connected by `selfheal mcp` answer questions in your place; your own settings file alone can
    say so."""
    advisors: str = ""
    """Steps that advise once every case passes, with commas: security_review, quality."""
    lessons: bool = True
    """Offer the models what other sessions learnt, and keep what this one learns for others."""
    tracing: bool = False
    """Let LangSmith trace the run, as its own variables say; it sends code and prompts away."""
    otel: bool = False
    """Send spans of each run to an OpenTelemetry collector, as the OTEL_EXPORTER_OTLP_* variables say: steps, calls,
    times and counts, without prompts, replies and code."""
    sandbox: str = "local"
    """Where programs run: `local` (the sandbox of this machine), `container` (podman or docker) or `e2b` (a cloud)."""
    python: str = ""
    """Interpreter that runs programs and tests, as `.venv/bin/python`; selfheal's own when empty."""
    verify: bool = True
    """Judge a passing suite once more from a process that the program never enters, before it counts."""
    suite_time_s: float = 30.0
    """The longest that one run of the whole suite may take, in seconds."""
    case_time_s: float = 5.0
    """The longest that one case may take, in seconds; the others still run."""
    allow_unsandboxed: bool = False
    """Run programs even when no isolation is possible here."""
    allow_read: tuple[str, ...] = ()
    """A file or folder that tests may read in the sandbox (repeatable); in a variable, paths with colons between."""
    allow_network: bool = False
    """Let tests use the network of this machine, with all that it reaches."""
    plugins: tuple[str, ...] = ()
    """Names of installed plug-ins that may be used, with commas; `selfheal doctor` lists what is installed."""
    theme: str = "textual-dark"
    """Colours of the app, as textual-dark, textual-light, nord, or selfheal-contrast; the app's settings list all."""
    bell: bool = True
    """Ring the terminal's bell when a decision waits and you look elsewhere, or the run took its time."""
    notify: Literal["auto", "off", "osc9", "osc777", "osc99"] = "auto"
    """Let the terminal show a notification when a decision waits and you look elsewhere. auto: where the terminal is
    known to have them; off: never; osc9, osc777, osc99: always in this way."""
    reduced_motion: bool = False
    """Let nothing on the screen move by itself: no animation, no blinking cursor, no ticking clock."""
    plain: bool = False
    """Run demo, new, fix and resume as plain lines instead of the app: for a screen reader, or a bare terminal."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Other keys for the app: binding id -> key, as `{review.approve: ctrl+y}`; `selfheal config --keys` lists them."""
    hooks: Mapping[str, Hook] = field(default_factory=dict)
    """Commands that are told what happens, on stdin as JSON: review_asked, decided, healed, ended, budget_near, and
    before_apply, which may refuse. As `{review_asked: ~/bin/ask}`, or NAME=COMMAND with semicolons; no shell runs."""
    hook_time_s: float = 10.0
    """The longest that a hook may take, in seconds."""
    hook_diff: bool = False
    """Tell hooks the change as a diff too; without it they get no code."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """Field name -> where its value came from, for people to read."""
    left_out: tuple[LeftOut, ...] = ()
    """What the current folder brings and is not used."""
    accepted: str = ""
    """Hash of what that folder brings, when the user has accepted it."""

    def models(self) -> dict[str, str]:
        """Return role -> PROVIDER:NAME, with `*` for all other roles."""
        return {"*": self.model, **self.role_models}


_NOT_SET = ("origins", "left_out", "accepted")
"""Fields that say something about the settings."""


def setting_names() -> tuple[str, ...]:
    """Return the names of all settings, in the order they are declared."""
    return tuple(f.name for f in fields(Settings) if f.name not in _NOT_SET)


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


def own_file(environ: Mapping[str, str]) -> Path:
    """Return the path of the user's own settings file, which need not exist."""
    return own_folder(environ) / FILE_NAME


def own_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of the user's own configuration, which need not exist."""
    return _xdg(environ, "XDG_CONFIG_HOME", ".config") / "selfheal"


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
    """Return ` --sessions FOLDER` where a later command needs it to find the same sessions, else empty."""
    was_flag = settings.origins.get("sessions", "").startswith("flag")
    return f" --sessions {shlex.quote(str(settings.sessions))}" if was_flag else ""


def parse_setting(name: str, value: Any, where: str, base: Path) -> Any:
    """Check and convert one value. Raises: SettingsError saying `where`."""
    if value is None and type(None) in typing.get_args(_declared_types()[name]):
        return None
    return parse_value(name, setting_type(name), value, where, base)


def _xdg(environ: Mapping[str, str], variable: str, fallback: str) -> Path:
    """Return a base folder; a relative one is ignored, as the XDG specification (0.8) asks."""
    base = Path(environ.get(variable, ""))
    return base if base.is_absolute() else Path.home() / fallback
