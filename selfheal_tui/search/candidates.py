"""Candidate repairs: every edit of every operator at a suspicious place, most promising first, each a program that parses."""

from __future__ import annotations

import ast
import hashlib
import json
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .localise import Suspect
from .operators import OPERATORS
from .source import Source, observed_values, parse_source

_FLOOR = 0.2
_HINTED_SCORE = 1.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A changed program, and once judged what it does to the cases."""

    changes: Mapping[str, str]
    """Program path -> whole new text; only files that change."""
    summary: str
    """One line: "line 12: `<` becomes `<=`"."""
    operator: str
    path: str
    line: int
    cost: float
    """Operator cost over suspiciousness; lower was tried earlier."""
    size: int
    """Characters removed and added."""
    reasons: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()
    """Case ids that failed before and pass now."""
    breaks: tuple[str, ...] = ()
    """Case ids that passed before and do not now."""
    complete: bool = False
    """Every case passed."""


def changes_key(changes: Mapping[str, str]) -> str:
    """Return the sha256 by which a set of changes (path -> text) is recognised again."""
    return hashlib.sha256(json.dumps(dict(sorted(changes.items())), ensure_ascii=True).encode()).hexdigest()


def build_candidates(
    program: Mapping[str, str],
    test_texts: Sequence[str],
    suspects: Sequence[Suspect],
    hints: Collection[tuple[str, int]] = (),
    exclude: Collection[str] = (),
) -> list[Candidate]:
    """Return all single edits at suspicious lines, cheapest first, without doubles.

    `hints` are lines (path, 1-based) that a diagnosis points to: they count as most suspicious. `exclude` holds what
    was tried or rejected: a `changes_key`, a new text, or a new text's sha256. Files that do not parse yield nothing.
    """
    observed = observed_values(list(test_texts))
    found: list[Candidate] = []
    for path, text in program.items():
        try:
            source = parse_source(path, text, observed)
        except (SyntaxError, ValueError):
            continue
        scores = {s.line: s for s in suspects if s.path == path}
        hinted = frozenset(line for where, line in hints if where == path)
        found.extend(_edits(source, scores, hinted))
    found.sort(key=lambda c: (c.cost, c.size, c.path, c.line, c.summary))
    return list(_distinct(found, program, exclude))


def _edits(source: Source, scores: Mapping[int, Suspect], hinted: frozenset[int]) -> Iterator[Candidate]:
    best = max((s.score for s in scores.values()), default=0.0)
    for node in source.nodes():
        statement = source.statement(node)
        if statement is None:
            lines: range = range(1, 2)
            score, why = best, ""
        else:
            lines = _header(statement)
            suspect = max((scores[n] for n in lines if n in scores), key=lambda s: s.score, default=None)
            score, why = (suspect.score, suspect.why) if suspect else (0.0, "")
            if hinted.intersection(lines):
                score, why = max(score, _HINTED_SCORE), "the diagnosis points here"
        if score <= 0.0:
            continue
        line = getattr(node, "lineno", 1)
        for family in OPERATORS.values():
            for splice in family.edits(source, node):
                if source.text[splice.start : splice.end] == splice.text:
                    continue
                at = source.text.count("\n", 0, splice.start) + 1 if splice.start else line
                yield Candidate(
                    changes={source.path: source.text[: splice.start] + splice.text + source.text[splice.end :]},
                    summary=f"line {at}: {splice.reason}",
                    operator=family.name,
                    path=source.path,
                    line=at,
                    cost=round(family.cost * splice.weight / (_FLOOR + score), 4),
                    size=splice.end - splice.start + len(splice.text),
                    reasons=tuple(r for r in (f"line {line} {why}" if why else "", family.reason) if r),
                )


def _header(statement: ast.stmt) -> range:
    """Return the lines of a statement without the blocks under it."""
    body = getattr(statement, "body", None)
    last = statement.end_lineno or statement.lineno
    if isinstance(body, list) and body:
        last = max(statement.lineno, body[0].lineno - 1)
    return range(statement.lineno, last + 1)


def _distinct(
    found: list[Candidate], program: Mapping[str, str], exclude: Collection[str]
) -> Iterator[Candidate]:
    excluded = frozenset(exclude)
    seen = {_shape(text) for text in program.values()}
    for candidate in found:
        text = candidate.changes[candidate.path]
        shape = _shape(text)
        if shape is None or shape in seen:
            continue
        seen.add(shape)
        names = (changes_key(candidate.changes), text, hashlib.sha256(text.encode()).hexdigest())
        if excluded.isdisjoint(names):
            yield candidate


def _shape(text: str) -> bytes | None:
    """Return what identifies a program whatever its formatting; None when it does not compile."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(text)
            compile(tree, "<candidate>", "exec")
    except (SyntaxError, ValueError):
        return None
    return hashlib.sha256(ast.dump(tree).encode()).digest()
