"""Findings in the Reviewdog Diagnostic Format (`reviewdog -f=rdjson`), with suggestions that a reviewer takes. Pure.

The form: https://github.com/reviewdog/reviewdog/tree/master/proto/rdf. A range without columns means whole lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .findings import RULES, Finding, Fix, findings

_SEVERITY = {"error": "ERROR", "warning": "WARNING"}


def rdjson(story: Mapping[str, Any]) -> dict[str, Any]:
    """Return a diagnostic result."""
    return {"source": {"name": "selfheal"}, "diagnostics": [_diagnostic(one) for one in findings(story)]}


def _diagnostic(one: Finding) -> dict[str, Any]:
    lines = {"start": {"line": one.first}, "end": {"line": one.last}}
    diagnostic: dict[str, Any] = {
        "message": one.message,
        "location": {"path": one.path, "range": lines},
        "severity": _SEVERITY[RULES[one.rule][1]],
        "code": {"value": one.rule},
    }
    if one.fix is not None:
        diagnostic["suggestions"] = [_suggestion(one, one.fix)]
    return diagnostic


def _suggestion(one: Finding, fix: Fix) -> dict[str, Any]:
    """Return the lines that take the place of others; columns (bytes, from 1) only where whole lines cannot say it."""
    start, text = {"line": one.first, "column": 1}, fix.after.removesuffix("\n")
    if not fix.before:
        return {"range": {"start": start, "end": start}, "text": fix.after}
    if fix.after and not text:
        # No text at all would delete the lines, and one of them stays, empty.
        last = fix.before.removesuffix("\n").rpartition("\n")[2].encode("utf-8", "backslashreplace")
        return {"range": {"start": start, "end": {"line": one.last, "column": len(last) + 1}}, "text": ""}
    return {"range": {"start": {"line": one.first}, "end": {"line": one.last}}, "text": text}
