"""What most checkpoints have in common, for zlib to refer to: with it a checkpoint takes less than half the room.

Frozen: rows on disk can only be read with the very same bytes. A better one gets a new name beside this one.
"""

from __future__ import annotations

_CHANNELS = (
    *("__start__", "graph_version", "node", "mode", "title", "spec_ref", "manifest_ref", "changes", "suites", "green"),
    *("written", "pinned", "thrown_out", "report_ref", "passed", "failed", "diagnosis_ref", "debug_ref", "round"),
    *("strategy", "proposed", "failures", "candidates", "ever_passed_ref", "repeats", "repeated", "clean_lines"),
    *("question_ref", "answers", "again", "gain", "decision", "feedback", "lessons", "offered", "rules", "policy"),
    *("objection_ref", "opinions", "advice", "iteration", "attempt", "afresh", "head", "spent", "limits", "models"),
    *("autonomy", "best", "budget_ref", "budget_next", "outcome", "reason", "__pregel_tasks"),
)
_NODES = (
    *("write_spec_tests", "review_tests", "generate", "review_code", "write_adversarial_tests", "run_suite"),
    *("diagnose", "review_diagnosis", "plan", "propose", "rank", "review_repair", "apply", "learn", "critique"),
    *("security_review", "quality", "review_end", "review_stalled", "review_budget", "settle_budget", "conclude"),
)
_SPENT = ("calls", "replayed_calls", "input_tokens", "output_tokens", "cost_usd", "time_s")
_LIMITS = ("max_iterations", "max_tokens", "max_cost_usd", "max_time_s", "max_calls")
_POLICY = (
    b"\x88\xaastrategies\x91\xa7minimal\xaemin_confidence\xcb?\xd3333333\xabdebug_steps\x04"
    b"\xabnear_miss_s\xcb@\x08\x00\x00\x00\x00\x00\x00\xa9adversary\xa4auto\xa6critic\xa4auto\xa8advisors\x90"
    b"\xa7lessons\xc3"
)
_DECISION = b"\x85\xa7verdict\xa7approve\xa9value_ref\xa0\xa4pick\xa0\xa4note\xa0\xa2by\xa5human"
_REF = b"\xd9@"
"""How a text of 64 characters begins."""


def _text(name: str) -> bytes:
    """Return a short text as MessagePack writes it."""
    return (bytes([0xA0 | len(name)]) if len(name) < 32 else bytes([0xD9, len(name)])) + name.encode()


def _values() -> bytes:
    given = {
        "graph_version": b"\x04",
        "mode": _text("fix"),
        "spent": b"\x86" + b"\x00".join(_text(name) for name in _SPENT),
        "limits": b"\x85" + b"\xc0".join(_text(name) for name in _LIMITS),
        "models": b"\x81\xa1*\xa6search",
        "autonomy": _text("review_repairs"),
        "policy": _POLICY,
        "decision": _DECISION,
        "best": b"\x85\xa9iteration\x00\xa6passed\x00\xa6failed\x01\xa7changes\x80\xaareport_ref" + _REF,
        "candidates": b"\x81\xa11" + _REF,
        "proposed": b"\x81\xa7minimal" + _REF,
        "round": b"\x91\xa7minimal",
        "green": b"\xc2",
        "again": b"\xc2",
        "__pregel_tasks": b"\x90",
    }
    lists = dict.fromkeys(("pinned", "thrown_out", "feedback", "lessons", "offered", "rules"), b"\x90")
    maps = dict.fromkeys(("changes", "suites", "failures", "advice"), b"\x80")
    texts = dict.fromkeys(("debug_ref", "question_ref", "repeated", "budget_ref", "outcome", "reason"), b"\xa0")
    known = {**given, **lists, **maps, **texts}
    return b"".join(
        _text(name) + known.get(name, _REF if name.endswith("_ref") or name == "head" else b"\x00")
        for name in _CHANNELS
    )


def _versions() -> bytes:
    return b"".join(_text(name) + b"\xcc\x80" for name in (*_CHANNELS, *(f"branch:to:{node}" for node in _NODES)))


DICTIONARY = (
    b"".join(b"\x81" + _text(f"branch:to:{node}") + b"\xcd\x01\x00" + _text(node) for node in _NODES)
    + b"\x87\xa1v\x04\xa2ts\xd9 2026-11-21T22:13:19.523595+00:00\xa2id\xd9$\xaechannel_values\xde\x00("
    + _values()
    + b"\xb0channel_versions\xde\x00,"
    + _versions()
    + b"\xadversions_seen\x8a\xa9__input__\x80\xa9__start__\x81\xa9__start__\x01\xad__interrupt__\xde\x00("
    + _versions()
    + b"\xb0updated_channels\x94"
)
