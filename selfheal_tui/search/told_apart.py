"""Repairs that do the same for the cases are told apart: by what they do on calls that no case makes, and by signs.

Both those that pass every case and those that mend the same part of them: what the cases cannot tell, calls may.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from selfheal_tui.sandbox.base import Sandbox, run_through

from .hunt.candidates import Candidate
from .hunt.places import is_at
from .hunt.rounds import Hunt, Stage
from .program.avoid import functions_at
from .program.bound import with_values
from .program.git_had import with_git_had
from .program.localise import is_failing
from .weigh.argument_calls import build_argument_calls
from .weigh.as_refused import as_refused
from .weigh.asked import functions_of_calls, results_differ
from .weigh.behaviour import build_behaviours
from .weigh.boundaries import build_boundary_calls
from .weigh.equal_values import equal_as_one
from .weigh.floats import floats_mark
from .weigh.found import NEAR_BITS, Asked, Found, Ranking, build_ranking, differing_first, with_question
from .weigh.helper_calls import as_tests, calls_seen, unnamed_helpers
from .weigh.inputs import build_calls, build_examples, easiest_first
from .weigh.left_over import left_over_marks
from .weigh.marks import find_marks
from .weigh.near_tests import near_tests
from .weigh.neutral import dearer_where_neutral
from .weigh.not_whole import not_whole_calls
from .weigh.plainer import dearer_beside_comparison, dearer_beside_git
from .weigh.rank import MARK_BITS, rank_key, useful_first
from .weigh.relations.asking import ask_breaches
from .weigh.rivals import BitsOfMarks, Swap, with_rival_instead, with_rivals
from .weigh.sequences import asked_by_tests, build_sequences
from .weigh.short_calls import build_short_calls
from .weigh.signs import find_signs, marks_of_search
from .weigh.spoken_changed import build_spoken_calls
from .weigh.text_calls import build_text_calls
from .weigh.unlikely import unlikely_calls

_MOST_RANKED = 60
_RANKING_S = 10.0
"""For telling repairs apart, beyond the budget; without an answer they are ranked by what they are."""
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
"""What parts the reprs of two objects of one type."""
_TOLD_APART, _ASKED = 2, 24
"""For so many sets of cases edits that mend these are compared by calls, and so many of each beside those judged."""
_SHOWN_OF_EACH = 8
_FEW_CALLS = 12
"""Where there are fewer, functions that no test names are asked too: what a caller gives says more to a person."""
_SEEN, _SEEN_S = "what helpers are handed", 3.0
"""Stands for a test file; a suite that takes longer is not run once more for it."""
_COPIED = frozenset({"copies", "special", "borrowed", "part", "single"})
"""Marks of an edit that has its values from the tests."""
_ASKED_ALONE, _ALONE_S = 60, 3.0
"""Calls of one repair that mends other cases than those compared, and seconds for them, beyond the budget."""
_SWAPPED_IN, _MOST_SWAPS = 4, 8
"""In so many repairs rivals of their edits are tried in these edits' place, and so many of these in all."""
_SWAPS_S = 10.0
"""For judging them one after the other, beyond the budget."""


async def likeliest(hunt: Hunt, stage: Stage) -> list[Candidate]:
    """Return the likeliest of those that pass every case; rivals of parts of the first few are tried in their place."""
    bits_of = _bits_of_marks(stage)
    in_vain = await _try_rivals(hunt, stage, bits_of)
    few = _cheapest(hunt, stage)
    return await asyncio.to_thread(_with_rivals, stage, few, hunt.improving(), few, in_vain, bits_of)


def with_their_rivals(stage: Stage, candidates: Sequence[Candidate], singles: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates, marked where one of their edits has rivals among the `singles`, which mend a part."""
    return _with_rivals(stage, candidates, singles, (), (), _bits_of_marks(stage))


def _with_rivals(
    stage: Stage,
    candidates: Sequence[Candidate],
    singles: Sequence[Candidate],
    compared: Sequence[Candidate],
    in_vain: Collection[Swap],
    bits_of: BitsOfMarks,
) -> list[Candidate]:
    several = len(stage.sources) > 1
    return [
        with_rivals(one, singles, compared, in_vain=in_vain, several_files=several, bits_of=bits_of)
        for one in candidates
    ]


def _bits_of_marks(stage: Stage) -> BitsOfMarks:
    """Return what tells how much less likely an edit is by the marks of its text; each is looked at once."""
    failing = [case["id"] for case in stage.report["cases"] if is_failing(case)]
    known: dict[tuple[tuple[str, str], ...], float] = {}

    def bits_of(one: Candidate) -> float:
        if one.texts not in known:
            kinds = {mark.kind for mark in find_marks(stage.sources, one.changes, stage.test_texts, failing)}
            known[one.texts] = (
                sum(MARK_BITS.get(kind, 0.0) for kind in kinds) if kinds.isdisjoint(_COPIED) else math.inf
            )
        return known[one.texts]

    return bits_of


def _cheapest(hunt: Hunt, stage: Stage) -> list[Candidate]:
    every = dearer_beside_comparison([dearer_where_neutral(stage.sources, candidate) for candidate in hunt.complete])
    every = dearer_beside_git(every)
    return sorted(every, key=lambda c: (c.cost, c.size, c.summary))[:_MOST_RANKED]


async def _try_rivals(hunt: Hunt, stage: Stage, bits_of: BitsOfMarks) -> set[Swap]:
    """Judge joined repairs with a rival of one edit in its place, and keep those that pass every case.

    Return those that do not: there the rival is none. Where the tests are slow few are judged, or none.
    """
    few, improving = _cheapest(hunt, stage), hunt.improving()
    swaps: dict[tuple[tuple[str, str], ...], Candidate] = {}
    of_texts: defaultdict[tuple[tuple[str, str], ...], list[Swap]] = defaultdict(list)
    for one in [one for one in few if one.parts > 1][:_SWAPPED_IN]:
        for swap, joined in with_rival_instead(stage.sources, one, improving, few, bits_of):
            if hunt.is_wanted(joined):
                swaps.setdefault(joined.texts, joined)
                of_texts[joined.texts].append(swap)
    most = min(_MOST_SWAPS, int(_SWAPS_S / max(stage.report["duration_s"], 0.01)))
    judged = await hunt.judging.confirm([*swaps.values()][:most]) if swaps and most else []
    hunt.complete += [one for one in judged if one.complete]
    return {swap for one in judged if not one.complete for swap in of_texts[one.texts]}


async def told_apart(
    hunt: Hunt,
    stage: Stage,
    sandbox: Sandbox,
    spec: str,
    without: Collection[str],
    judged: Sequence[Candidate],
    plain: Sequence[Candidate],
    prefer: Collection[tuple[str, int]],
) -> tuple[list[Candidate], Ranking]:
    """Return repairs that mend a part, best first, and how those that mend what the first does were told apart.

    Of the first few sets of cases all `plain` edits are asked that mend these and break none: what the cases cannot
    tell, calls may, also while other cases fail.
    """
    groups: dict[frozenset[str], list[Candidate]] = {}
    for one in useful_first(judged):
        groups.setdefault(frozenset(one.fixes), []).append(one)
    rankings: dict[frozenset[str], Ranking] = {}
    for cases, group in [*groups.items()][:_TOLD_APART]:
        known = {one.texts for one in group}
        others = (c for c in plain if frozenset(c.fixes) == cases and not c.breaks and c.texts not in known)
        # They have the rivals that those have which were looked at first.
        more = await asyncio.to_thread(with_their_rivals, stage, [*islice(others, _ASKED)], plain)
        asked = await marked(stage, [*group, *more])
        if len(asked) < 2:
            continue
        ranking, _ = with_question(await compared(hunt, stage, sandbox, spec, without, asked))
        rankings[cases] = ranking = favoured(ranking.with_ties(NEAR_BITS), prefer)
        in_order = differing_first(ranking)
        new = [one for one in in_order[:_SHOWN_OF_EACH] if one.texts not in known]
        again = await hunt.judging.confirm(new) if new else []
        known |= {one.texts for one in again if {*one.fixes} == cases and not one.breaks}
        # Of parts one without a doubt comes first: a person may take it, and the rest is mended after it.
        groups[cases] = sorted(
            (one for one in in_order if one.texts in known), key=lambda one: (not is_at(one, prefer), bool(one.marks))
        )
    # Whoever chose a place saw what its best edit mends, and its doubts.
    at_chosen = {cases: is_at(group[0], prefer) for cases, group in groups.items()}
    firsts = sorted(groups, key=lambda cases: (-len(cases) if at_chosen[cases] else 0, rank_key(groups[cases][0])))
    first = rankings.get(firsts[0]) if firsts else None
    return [one for cases in firsts for one in groups[cases]], first or Ranking()


async def compared(
    hunt: Hunt, stage: Stage, sandbox: Sandbox, spec: str, without: Collection[str], complete: Sequence[Candidate]
) -> Ranking:
    """Return repairs that pass the same cases, ranked by what they do on examples and on calls that no test makes."""
    examples = build_examples(stage.sources, spec, stage.test_texts)
    written = await asyncio.to_thread(with_values, stage.test_texts)
    tests = near_tests(written, stage.coverage, complete, hunt.judging.failing)
    calls = await asyncio.to_thread(_calls, tests, stage.sources, complete)
    if len(calls) < _FEW_CALLS and (seen := await _handed_to_helpers(sandbox, stage, complete)):
        written = {**written, _SEEN: as_tests(seen)}
        tests = {**tests, _SEEN: written[_SEEN]}
        calls = [*await asyncio.to_thread(_calls, tests, stage.sources, complete), *seen]
    not_whole = await asyncio.to_thread(not_whole_calls, tests, stage.sources, complete)
    calls = [*dict.fromkeys([*examples, *calls, *not_whole])]
    variants = [{}, *(candidate.changes for candidate in complete)]
    answers = await _answers(hunt, [*variants, *stage.refused], calls, _RANKING_S)
    answers, of_refused = answers[: len(variants)], answers[len(variants) :]
    same = [as_refused(row, answers[0], of_refused) for row in answers[1:]]
    floats = [floats_mark(answers[0], row) for row in answers[1:]]
    texts = [(), *(candidate.texts for candidate in complete)]
    in_words = {of: tuple(row) for of, row in zip(texts, answers, strict=True)}
    answers = equal_as_one(answers)
    differ = results_differ(functions_of_calls(calls), stage.test_texts)
    behaviours = build_behaviours(answers[0], answers[1:], dict(enumerate(examples.values())), differ)
    signs = await find_signs(
        sandbox,
        stage.suite,
        stage.coverage,
        stage.test_texts,
        complete,
        hunt.judging.failing,
        stage.other_tests,
        stage.recent,
        spec,
    )
    if "signs" not in without and all(answers):
        given = dict(zip(calls, zip(*answers, strict=True), strict=True))
        breaches = await ask_breaches(hunt.judging, stage.test_texts, stage.sources, spec, variants, given)
        signs = [replace(sign, breaches=own) for sign, own in zip(signs, breaches, strict=True)]
    last = unlikely_calls(calls, written) | {*not_whole}
    failing = [*stage.copies.real(hunt.judging.failing)]
    left_over = await left_over_marks(sandbox, stage.suite, stage.sources, failing, complete)
    more = [(*one, *other, *third) for one, other, third in zip(floats, same, left_over, strict=True)]
    signs = [replace(sign, marks=(*sign.marks, *marks)) for sign, marks in zip(signs, more, strict=True)]
    ran = [stage.coverage.get(case, {}) for case in stage.copies.real([case["id"] for case in stage.report["cases"]])]
    signs = [replace(sign, tested=_tested(one, ran)) for one, sign in zip(complete, signs, strict=True)]
    ranking = build_ranking(complete, behaviours, calls, signs, len(ran), frozenset(last), answers[0])
    return replace(ranking, of_tests=asked_by_tests(calls, written), in_words=in_words)


async def _handed_to_helpers(sandbox: Sandbox, stage: Stage, edits: Sequence[Candidate]) -> list[str]:
    """Return calls of the functions that are edited and that no test names, with what the suite hands to them.

    Raises: SandboxError.
    """
    places = {place for one in edits for place in ((one.path, one.line), *one.before)}
    helpers = await asyncio.to_thread(unnamed_helpers, stage.sources, stage.test_texts, places)
    if not helpers or stage.report["duration_s"] > _SEEN_S:
        return []
    watch = {path: tuple(one.line for one in helpers.values() if one.path == path) for path in stage.sources}
    ran = await run_through(sandbox, replace(stage.suite, watch=watch, explain=False))
    return calls_seen(helpers, (one for of_case in ran.watched.values() for one in of_case))


async def asked_alone(hunt: Hunt, stage: Stage, found: Found) -> Found:
    """Return what was found, with what repairs shown answer that mend other cases than those ranked; the question too.

    Raises: SandboxError.
    """
    ranked = {one.texts for one in found.ranking.candidates}
    alone = [one for one in found.candidates if one.texts not in ranked]
    written = await asyncio.to_thread(with_values, stage.test_texts) if alone else {}
    beside: dict[tuple[tuple[str, str], ...], Asked] = {}
    for one in alone:
        tests = near_tests(written, stage.coverage, [one], hunt.judging.failing)
        own = await asyncio.to_thread(_calls, tests, stage.sources, [one])
        calls = [*([found.question.call] if found.question is not None else []), *own[:_ASKED_ALONE]]
        given, row = equal_as_one(await _answers(hunt, [{}, one.changes], calls, _ALONE_S))
        beside[one.texts] = Asked(tuple(calls), tuple(given), tuple(row), asked_by_tests(calls, written))
    return replace(found, beside=beside)


async def _answers(
    hunt: Hunt, variants: Sequence[Mapping[str, str]], calls: Sequence[str], seconds: float
) -> list[list[str]]:
    """Return what each variant answers to each call, without addresses; nothing where it could not be asked.

    Raises: SandboxError.
    """
    answers = await hunt.judging.ask(variants, calls, seconds) if calls else []
    if len(answers) != len(variants):
        return [[] for _ in variants]
    return [[_ADDRESS.sub("", answer) for answer in row] for row in answers]


def _tested(candidate: Candidate, ran: Sequence[Mapping[str, Collection[int]]]) -> int:
    """Count the tests that run a line which a candidate edits: the others say nothing of it.

    `ran` is of each test: path -> lines (1-based).
    """
    places = ((candidate.path, candidate.line), *candidate.before)
    return sum(any(line in lines.get(path, ()) for path, line in places) for lines in ran)


def _calls(tests: Mapping[str, str], program: Mapping[str, str], edits: Sequence[Candidate]) -> list[str]:
    """Return calls that no test makes, those first that a person can judge."""
    places = {place for one in edits for place in ((one.path, one.line), *one.before)}
    edited = {name.rpartition(".")[2] for path, line in places for name in functions_at(program.get(path, ""), line)}
    near = [*build_boundary_calls(tests, program), *build_short_calls(tests), *build_text_calls(tests, program)]
    plain = [*near, *build_calls(tests)]
    calls = easiest_first(plain, tests)
    of_arguments = build_argument_calls(tests, program, edited)
    return [*calls, *build_spoken_calls(tests), *build_sequences(tests, program, edited), *of_arguments]


async def marked(stage: Stage, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates with the marks that their texts bear, beside those that they have."""
    failing = [case["id"] for case in stage.report["cases"] if is_failing(case)]

    def mark(candidate: Candidate) -> Candidate:
        before = with_git_had(stage.sources, candidate.changes, stage.recent)
        by_text = find_marks(before, candidate.changes, stage.test_texts, failing)
        more = marks_of_search(stage.sources, candidate, stage.coverage)
        kinds = {one.kind: one for one in (*by_text, *more, *candidate.marks)}
        return replace(candidate, marks=tuple(kinds.values()))

    return await asyncio.to_thread(lambda: tuple(map(mark, candidates)))


def favoured(ranking: Ranking, prefer: Collection[tuple[str, int]]) -> Ranking:
    """Return the ranking with the repairs at these places before all others."""
    order = sorted(range(len(ranking.candidates)), key=lambda n: not is_at(ranking.candidates[n], prefer))
    return replace(
        ranking,
        candidates=tuple(ranking.candidates[n] for n in order),
        behaviours=tuple(ranking.behaviours[n] for n in order),
        scores=tuple(ranking.scores[n] for n in order),
        signs=tuple(ranking.signs[n] for n in order),
    )
