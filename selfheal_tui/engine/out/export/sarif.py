"""Findings as SARIF 2.1.0, which code scanning of forges and editors reads. Pure.

The form: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from selfheal_tui import __version__

from .findings import RULES, Finding, findings

_ROOT = "%SRCROOT%"


def sarif(story: Mapping[str, Any]) -> dict[str, Any]:
    """Return a log with one run: a result for each finding, with what repairs it where that is known."""
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "selfheal",
                        "version": __version__,
                        "rules": [
                            {"id": rule, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}
                            for rule, (text, level) in RULES.items()
                        ],
                    }
                },
                "automationDetails": {"id": f"selfheal/{story['session_id']}"},
                "columnKind": "unicodeCodePoints",
                "results": [_result(one) for one in findings(story)],
                "properties": {name: story[name] for name in ("session_id", "branch", "head", "outcome")},
            }
        ],
    }


def _result(one: Finding) -> dict[str, Any]:
    place = {"uri": quote(one.path), "uriBaseId": _ROOT}
    result: dict[str, Any] = {
        "ruleId": one.rule,
        "ruleIndex": list(RULES).index(one.rule),
        "level": RULES[one.rule][1],
        "message": {"text": one.message},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": place,
                    "region": {"startLine": one.first, "endLine": one.last},
                }
            }
        ],
        "partialFingerprints": {"selfheal/v1": _fingerprint(one)},
    }
    if one.fix is not None:
        replacement = {"deletedRegion": _region(one), "insertedContent": {"text": one.fix.after}}
        change = {"artifactLocation": place, "replacements": [replacement]}
        result["fixes"] = [{"description": {"text": one.message}, "artifactChanges": [change]}]
    return result


def _region(one: Finding) -> dict[str, int]:
    """Return the region of the lines with their ends; an empty one before the first line where nothing goes."""
    assert one.fix is not None
    start = {"startLine": one.first, "startColumn": 1}
    if not one.fix.before:
        return {**start, "endLine": one.first, "endColumn": 1}
    if one.fix.before.endswith("\n"):
        return {**start, "endLine": one.last + 1, "endColumn": 1}
    return {**start, "endLine": one.last, "endColumn": len(one.fix.before.rpartition("\n")[2]) + 1}


def _fingerprint(one: Finding) -> str:
    """Return what is the same for the same finding wherever its lines move to."""
    said = one.fix.before if one.fix is not None else one.message
    return hashlib.sha256("\0".join((one.rule, one.path, said)).encode("utf-8", "backslashreplace")).hexdigest()[:32]
