"""What the fake server answers: entries keyed by role and content, never by the order of calls.

    key: sk-test                  # requests with another key get 401; optional
    models: [tiny, small]         # requests for another model get 404; optional
    context_length: 8192          # told by Ollama's /api/show and Anthropic's /v1/models/NAME; optional
    tells_of_models: false        # Anthropic's /v1/models/NAME is unknown, as at a gateway; optional
    thinks: true                  # told by both: the model thinks, and takes levels of effort; optional
    caches: true                  # cached tokens are counted as the vendors' prompt caches do; optional
    ends: {tiny: 2026-11-30}      # models that are taken away on a day, told by Anthropic and OpenAI; optional
    sizes: {tiny: 5000000000}     # bytes of Ollama's models; optional
    vram: 3000000000              # bytes of a loaded model that fit on the graphics card; all when left out; optional
    pulls:                        # models that Ollama can get; the fault happens once, half-way; optional
      qwen3:8b: {bytes: 4000}     # fault: missing, too_new, no_registry, disk_full, reset, cut or stall
    redirect: http://elsewhere    # every request is answered with 307 to this address, its path kept; optional
    roles:                        # role -> a text that its system prompt holds; optional
      debugger: You are the debugger
    replies:
      - role: debugger            # optional: any role
        when: [ZeroDivisionError] # texts that system prompt or user message must hold, all of them; optional
        reply: {cause: ...}       # an object (sent as JSON) or the raw text
        thinking: "Let me see."   # before the reply, as a thinking model sends it; optional
        thinking_tokens: 5000     # of the output: with the reply more than was granted, the reply is cut; optional
        pings: 5                  # signs of life before the reply, `delay_s` apart; optional
        stop: length              # end (default), length, refusal; optional
        usage: {input_tokens: 10, output_tokens: 20, cached_tokens: 5, cache_write_tokens: 0}   # optional
        piece: 24                 # characters per event; optional
        delay_s: 0.05             # before each piece; optional
        chunk_bytes: 3            # cut the stream into network chunks of this size; optional
        fault: 429                # what goes wrong instead, see below; optional
        times: 2                  # only the first so many matching calls go wrong; optional

A fault is a status (400: context too long; 401, 403, 404: the model; 408, 409, 413, 429, 500, 503, 529), one of the
names in NAMES, or a mapping of one of those with its value:

    {status: 429, retry_after: 7}         {status: 429, retry_after_date: 7}   seconds from now, as an HTTP date
    {reset_at: 200}  {cut_at: 200}        reset or quietly close after so many bytes of the body
    {stall_at: 200}  {drip: 0.01}         fall silent for ever after so many bytes; one byte per interval
    {html: 502}                           a proxy's page with this status

Roles without a text in `roles` are known by the first sentence of their prompt in this repository. `refuse_connection`
closes the port for the whole script: a connection cannot be matched before it is made.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NAMES = {
    "stall": "never answers",
    "empty": "a reply without text or count of tokens",
    "silent": "a reply without text that is counted",
    "refusal": "the model declines",
    "html": "a proxy's page with status 200",
    "wrong_content_type": "plain text instead of the protocol",
    "invalid_utf8": "bytes that are not UTF-8 in the middle",
    "bad_json_event": "an event whose JSON is broken",
    "deep_json_event": "an event whose JSON is nested too deeply to be read",
    "error_event": "an error in the middle of the stream",
    "unknown_event_types": "events nobody knows, which have to be ignored",
    "no_usage": "no count of tokens",
    "no_end": "everything but what says that the reply has ended",
    "never_ends": "the whole reply, but the stream stays open",
    "reset_at_end": "the whole reply, and then the connection is reset",
    "quota": "no credit left",
    "declined": "the prompt is refused by a content filter",
    "refuse_connection": "nothing listens",
    "refuse_response_format": "400 as long as a schema or JSON mode is asked for",
    "refuse_json_schema": "400 as long as a schema is asked for",
    "refuse_stream_options": "400 as long as stream_options is there",
    "refuse_effort": "400 as long as a level of effort is asked for",
    "refuse_thinking": "400 as long as something is said about thinking",
    "refuse_max_tokens": "400 as long as max_tokens is there (max_completion_tokens is fine)",
    "refuse_max_completion_tokens": "400 as long as max_completion_tokens is there",
    "max_tokens_limit": "400 as long as more than 4,096 output tokens are asked for",
    "context_full": "400 as long as prompt and reply may take more than `context_length`; Ollama gives no such answer",
    "context_shared": "400 as long as more than 3,000 output tokens are asked for: the prompt has 6,000 of 9,000",
}
_VALUED = {"status", "reset_at", "cut_at", "stall_at", "drip", "html"}
_STATUSES = {400, 401, 402, 403, 404, 408, 409, 413, 429, 500, 501, 502, 503, 504, 529}
_KEYS = {
    "role", "when", "reply", "thinking", "thinking_tokens", "pings", "stop", "usage", "piece", "delay_s", "chunk_bytes",
    "fault", "times",
}  # fmt: skip
_SCRIPT_KEYS = {
    "key", "models", "context_length", "roles", "redirect", "tells_of_models", "thinks", "ends", "sizes",
    "vram", "pulls", "caches",
}  # fmt: skip
_PROMPTS = Path(__file__).resolve().parents[2] / "prompts"


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong."""

    name: str
    """`status`, `reset_at`, ... or one of NAMES."""
    value: float = 0
    """The status, bytes or seconds."""
    retry_after: float | None = None
    """Seconds to ask the client to wait."""
    as_date: bool = False
    """Whether to ask for it with a date."""

    @classmethod
    def of(cls, given: Any) -> Fault:
        """Read a fault as a script writes it. Raises: ValueError."""
        if isinstance(given, int):
            given = {"status": given}
        if isinstance(given, str):
            given = {given: 200 if given == "html" else 0}
        fields = dict(given)
        date = fields.pop("retry_after_date", None)
        seconds = fields.pop("retry_after", date)
        if len(fields) != 1:
            raise ValueError(f"a fault has one name, not {sorted(fields)}")
        ((name, value),) = fields.items()
        if name not in _VALUED | set(NAMES):
            raise ValueError(f"there is no fault {name!r}; there are: {', '.join(sorted(_VALUED | set(NAMES)))}")
        if name == "status" and value not in _STATUSES:
            raise ValueError(f"no vendor is known to answer {value}")
        return cls(name, value, seconds, date is not None)


@dataclass(slots=True)
class Entry:
    """One reply and when it is given."""

    reply: Any = ""
    role: str = ""
    when: Sequence[str] = ()
    thinking: str = ""
    thinking_tokens: int = 0
    pings: int = 0
    stop: str = "end"
    usage: Mapping[str, int] = field(default_factory=dict)
    piece: int = 24
    delay_s: float = 0.0
    chunk_bytes: int = 0
    fault: Fault | None = None
    times: int | None = None
    calls: int = 0
    """How many requests it has matched."""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Entry:
        """Read an entry. Raises: ValueError."""
        if unknown := set(given) - _KEYS:
            raise ValueError(f"unknown key {sorted(unknown)[0]!r}")
        fields = dict(given)
        if isinstance(fields.get("when"), str):
            fields["when"] = [fields["when"]]
        if "fault" in fields:
            fields["fault"] = Fault.of(fields["fault"])
        if "times" in fields and "fault" not in fields:
            raise ValueError("`times` counts faults, and there is none")
        return cls(**fields)

    def next_fault(self) -> Fault | None:
        """Count a call; return what goes wrong with it."""
        self.calls += 1
        return self.fault if self.times is None or self.calls <= self.times else None


@dataclass(slots=True)
class Script:
    """All that the server knows."""

    entries: list[Entry]
    key: str = ""
    models: Sequence[str] = ()
    context_length: int = 32768
    roles: Mapping[str, str] = field(default_factory=dict)
    redirect: str = ""
    thinks: bool = False
    caches: bool = False
    ends: Mapping[str, Any] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    vram: int | None = None
    pulls: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    tells_of_models: bool = True

    @classmethod
    def of(cls, *entries: Mapping[str, Any], **rest: Any) -> Script:
        """Make a script of entries. Raises: ValueError."""
        return cls([Entry.of(entry) for entry in entries], **rest)

    @property
    def refuses_connections(self) -> bool:
        """Whether nothing listens."""
        return any(entry.fault and entry.fault.name == "refuse_connection" for entry in self.entries)

    def find(self, system: str, user: str) -> Entry | None:
        """Return the first entry that fits a prompt."""
        text = f"{system}\n{user}"
        return next(
            (e for e in self.entries if self._is_role(e.role, system) and all(str(w) in text for w in e.when)), None
        )

    def role_of(self, system: str) -> str:
        """Return which role's system prompt this is; empty if none's."""
        known = {*self.roles, *(entry.role for entry in self.entries), *(p.stem for p in _PROMPTS.glob("*.yaml"))}
        return next((role for role in sorted(known) if role and self._is_role(role, system)), "")

    def _is_role(self, role: str, system: str) -> bool:
        return not role or (self.roles.get(role) or _first_sentence(role)) in system


def load_script(path: Path) -> Script:
    """Read a script file. Raises: ValueError naming the entry, OSError."""
    import yaml

    content = yaml.safe_load(path.read_text("utf-8"))
    entries = []
    for number, entry in enumerate(content.pop("replies"), 1):
        try:
            entries.append(Entry.of(entry))
        except (ValueError, TypeError) as error:
            raise ValueError(f"entry {number} of {path}: {error}") from error
    if unknown := set(content) - _SCRIPT_KEYS:
        raise ValueError(f"{path} has the unknown key {sorted(unknown)[0]!r}")
    return Script(entries, **content)


@functools.cache
def _first_sentence(role: str) -> str:
    """Return the first sentence of a role's system prompt in this repository, as far as it stands in one line."""
    import yaml

    path = _PROMPTS / f"{role}.yaml"
    if not path.is_file():
        return f"You are the {role}"
    first_line = str(yaml.safe_load(path.read_text("utf-8"))["system"]).strip().splitlines()[0]
    return first_line.partition(". ")[0]
