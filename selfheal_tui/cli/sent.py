"""`selfheal sessions show SESSION --sent`: what left this machine, call by call and address by address."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from selfheal_tui.engine.history.sent import COUNTED, SentCall, SentTo, files_words, sent_to
from selfheal_tui.text import one_line, plural, strip_controls

if TYPE_CHECKING:
    from selfheal_tui.store.sessions import SessionRow

_WIDTH = 80


def build_sent(row: SessionRow, calls: Sequence[SentCall]) -> dict[str, Any]:
    """Build the JSON of `sessions show --sent`."""
    return {
        "session_id": row.session_id,
        "counted": COUNTED,
        "calls": [_call_json(call) for call in calls],
        "addresses": [_address_json(to) for to in sent_to(calls)],
    }


def _call_json(call: SentCall) -> dict[str, Any]:
    requests = [
        {
            "at": request.at,
            "address": request.address,
            "bytes": request.size_bytes,
            "files": list(request.files),
            "outcome": request.outcome,
        }
        for request in call.requests
    ]
    facts = {name: value for name, value in asdict(call).items() if name not in ("words", "requests")}
    return {**facts, "sent": call.words, "bytes": sum(one["bytes"] for one in requests), "requests": requests}


def _address_json(to: SentTo) -> dict[str, Any]:
    return {
        "address": to.address,
        "calls": to.calls,
        "requests": to.requests,
        "bytes": to.size_bytes,
        "files": list(to.files),
    }


def sent_text(row: SessionRow, calls: Sequence[SentCall]) -> str:
    """Return what left, for people."""
    lines = [f"{row.session_id}  {one_line(row.title)}", ""]
    if not calls:
        return strip_controls("\n".join([*lines, "Nothing left this machine: no model was called."]))
    for call in calls:
        doubt = "" if call.answered else "  (no answer)"
        where = f"  {one_line(call.branch, 40)}" if call.branch else ""
        lines.append(f"{one_line(call.at[11:19])}  {one_line(call.role, 20)} {one_line(call.model, 40)}{where}{doubt}")
        lines += _wrapped(call.words)
    addresses = sent_to(calls)
    lines += ["", "in all:" if addresses else "in all: no request left this machine"]
    for to in addresses:
        counts = f"{plural(to.calls, 'call')}, {plural(to.requests, 'request')}, {to.size_bytes:,} bytes"
        lines += [f"  {one_line(to.address)}  {counts}", *_wrapped(files_words(to.files, most=40), "    ")]
    if any(not call.requests and call.words == "not recorded" for call in calls):
        lines.append("Calls that are not recorded were made by an earlier selfheal; what they sent is not known.")
    return strip_controls("\n".join([*lines, *([COUNTED] if addresses else [])]))


def _wrapped(words: str, indent: str = "  ") -> list[str]:
    safe = one_line(words, 4000)
    return textwrap.wrap(safe, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
