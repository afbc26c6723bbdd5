"""Candidate repairs: every edit of every operator at a suspicious place, most promising first; each parses."""

from __future__ import annotations

import ast
import hashlib
import json
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .localise import Suspect
from .operators import OPERATORS, Family, Splice
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


@dataclass(frozen=True, slots=True)
class _Draft:
    """An edit before its text is made: a large file has thousands."""

    source: Source
    splice: Splice
    family: Family
    why: str
    cost: float
    size: int
    order: int

    def candidate(self) -> Candidate:
        splice, text = self.splice, self.source.text
        line = text.count("\n", 0, splice.start) + 1
        return Candidate(
            changes={self.source.path: text[: splice.start] + splice.text + text[splice.end :]},
            summary=f"line {line}: {splice.reason}",
            operator=self.family.name,
            path=self.source.path,
            line=line,
            cost=self.cost,
            size=self.size,
            reasons=tuple(reason for reason in (self.why, self.family.reason) if reason),
        )


class Candidates:
    """The distinct candidates, made one by one as they are drawn."""

    def __init__(self, drafts: Sequence[_Draft], program: Mapping[str, str], exclude: Collection[str]) -> None:
        self._drafts = drafts
        self._shapes = _Shapes()
        self._seen = {self._shapes.of(text) for text in program.values()}
        self._exclude = frozenset(exclude)

    def __len__(self) -> int:
        """Return an upper bound: doubles and edits that do not parse are only found when drawn."""
        return len(self._drafts)

    def __iter__(self) -> Iterator[Candidate]:
        for draft in self._drafts:
            candidate = draft.candidate()
            text = candidate.changes[candidate.path]
            shape = self._shapes.of(text)
            if shape is None or shape in self._seen:
                continue
            self._seen.add(shape)
            names = (changes_key(candidate.changes), text, hashlib.sha256(text.encode()).hexdigest())
            if self._exclude.isdisjoint(names):
                yield candidate


def changes_key(changes: Mapping[str, str]) -> str:
    """Return the sha256 by which a set of changes (path -> text) is recognised again."""
    return hashlib.sha256(json.dumps(changes, sort_keys=True, default=str).encode()).hexdigest()


def build_candidates(
    program: Mapping[str, str],
    test_texts: Sequence[str],
    suspects: Sequence[Suspect],
    hints: Collection[tuple[str, int]] = (),
    exclude: Collection[str] = (),
) -> Candidates:
    """Return all single edits at suspicious lines, cheapest first.

    `hints` are lines (path, 1-based) that a diagnosis points to: they count as most suspicious. `exclude` holds
    what was tried or rejected: a `changes_key`, a new text, or a new text's sha256. A file that does not parse
    yields nothing.
    """
    observed = observed_values(test_texts)
    drafts: list[_Draft] = []
    for path, text in program.items():
        try:
            source = parse_source(path, text, observed)
        except (SyntaxError, ValueError):
            continue
        scores = {s.line: s for s in suspects if s.path == path}
        hinted = frozenset(line for where, line in hints if where == path)
        drafts.extend(_drafts(source, scores, hinted))
    drafts.sort(key=lambda d: (d.cost, d.size, d.source.path, d.order))
    return Candidates(drafts, program, exclude)


def _drafts(source: Source, scores: Mapping[int, Suspect], hinted: frozenset[int]) -> Iterator[_Draft]:
    best = max((suspect.score for suspect in scores.values()), default=0.0)
    for order, node in enumerate(source.nodes()):
        statement = source.statement(node)
        score, why = best, ""
        if statement is not None:
            lines = _header(statement)
            suspect = max((scores[n] for n in lines if n in scores), key=lambda s: s.score, default=None)
            score, why = (suspect.score, f"line {suspect.line} {suspect.why}") if suspect else (0.0, "")
            if hinted.intersection(lines):
                score, why = max(score, _HINTED_SCORE), f"the diagnosis points to line {lines.start}"
        if score <= 0.0:
            continue
        for family in OPERATORS.values():
            for splice in family.edits(source, node):
                cost = round(family.cost * splice.weight / (_FLOOR + score), 4)
                size = splice.end - splice.start + len(splice.text)
                yield _Draft(source, splice, family, why, cost, size, order)


def _header(statement: ast.stmt) -> range:
    """Return the lines of a statement without the blocks under it."""
    body = getattr(statement, "body", None)
    last = statement.end_lineno or statement.lineno
    if isinstance(body, list) and body:
        last = max(statement.lineno, body[0].lineno - 1)
    return range(statement.lineno, last + 1)


class _Shapes:
    """Recognises programs that differ in formatting only; remembers top-level statements, as edits touch one."""

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}

    def of(self, text: str) -> bytes | None:
        """Return what identifies a program whatever its formatting; None when it does not compile."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)
                tree = ast.parse(text)
                compile(tree, "<candidate>", "exec")
        except (SyntaxError, ValueError, RecursionError):
            return None
        lines = text.split("\n")
        whole = hashlib.sha256()
        end = 0
        for place, statement in enumerate(tree.body):
            start, end = end, statement.end_lineno or statement.lineno
            following = tree.body[place + 1].lineno if place + 1 < len(tree.body) else end + 1
            alone = start < statement.lineno and end < following and "\r" not in text
            whole.update(self._statement(statement, "\n".join(lines[start:end]) if alone else ""))
        return whole.digest()

    def _statement(self, statement: ast.stmt, rows: str) -> bytes:
        """Return one statement's digest; `rows` are its lines, empty when it shares them with another."""
        if rows in self._known:
            return self._known[rows]
        digest = hashlib.sha256(ast.dump(statement).encode()).digest()
        if rows:
            self._known[rows] = digest
        return digest
