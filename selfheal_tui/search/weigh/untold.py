"""Repairs at different lines that nothing tells apart: no call that can be made shows what any of them does. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from selfheal_tui.steps import call_words
from selfheal_tui.text import both_ends, one_line, plural

from ..hunt.candidates import Candidate
from ..program.mark import Mark
from ..program.purified import checks_among, tests_among
from .behaviour import Behaviour

_NEAR_BITS = 4.0
"""A rival that is less likely than this many bits says nothing."""
_NOT_ASKED = "!NameError"
"""The answer to a call that could not be made: the program has no such name."""
TIE_BITS = 0.5
"""One that is less likely by no more than this is about as likely."""
_LONGEST = 120
"""Characters of what a repair changes."""
_NAME = 60
_ENOUGH = 10
"""Calls from which on it says something that none shows what a repair changes."""
_SEVERAL = 3
"""Edits in one repair from which on each needs more than one case."""


def untold_mark(
    number: int, candidates: Sequence[Candidate], behaviours: Sequence[Behaviour], scores: Sequence[float]
) -> tuple[Mark, ...]:
    """Return the mark of candidate `number` that others at other lines pass every case too and no call parts them.

    Those that bear a mark are counted only beside one without. All three sequences are in the same order.
    """
    own = candidates[number]
    if behaviours[number].is_seen or own.parts > 1:
        return ()
    alike = [
        (candidate, score)
        for other, (candidate, behaviour, score) in enumerate(zip(candidates, behaviours, scores, strict=True))
        if not behaviour.is_seen and other != number
    ]
    unseen = [(candidate, score) for candidate, score in alike if not _is_same_line(candidate, own)]
    near = scores[number] + (0 if own.is_as_git_had else _NEAR_BITS)
    if not any(one.parts == 1 and not one.marks and score <= near for one, score in unseen):
        return ()
    tried = _tried(behaviours[number])
    why = f"{_passing_words(own, len(unseen), len(alike) - len(unseen))}, and {_apart_words(tried)}."
    return (Mark("untold", why),)


def unseen_mark(candidate: Candidate, behaviour: Behaviour) -> tuple[Mark, ...]:
    """Return the mark that no call shows what a repair changes beside the failing cases; none where none was asked."""
    tried = _tried(behaviour)
    if (
        behaviour.is_seen
        or tried < _ENOUGH
        or candidate.is_as_git_had
        or any(one.kind == "untold" for one in candidate.marks)
    ):
        return ()
    return (Mark("unseen", f"None of the {tried} calls tried shows what it changes: only the failing cases do."),)


def _tried(behaviour: Behaviour) -> int:
    """Count the calls that could be made."""
    return sum(answer != _NOT_ASKED for answer in behaviour.answers)


def _is_same_line(one: Candidate, other: Candidate) -> bool:
    return (one.path, one.line) == (other.path, other.line)


def _passing_words(own: Candidate, elsewhere: int, here: int) -> str:
    """Say how many others do what a candidate does for the cases: at other lines, and at the same one."""
    lines = "another line" if elsewhere == 1 else "other lines"
    one, several, what = ("passes", "pass", "every case") if own.complete else ("mends", "mend", "these cases")
    if here:
        return f"{plural(elsewhere + here, 'other repair')} {several} {what} too, {elsewhere} of them at {lines}"
    return f"{plural(elsewhere, 'other repair')} at {lines} {one if elsewhere == 1 else several} {what} too"


def _apart_words(tried: int) -> str:
    """Say that none of so many calls tells repairs apart; without any, nothing of how alike they are."""
    if tried > 1:
        return f"none of the {tried} calls tried tells them apart"
    if tried:
        return "the only call tried does not tell them apart"
    return "no call was tried that could tell them apart"


def contested(candidates: Sequence[Candidate], behaviours: Sequence[Behaviour], call: str) -> tuple[Candidate, ...]:
    """Return the candidates, those marked that a rival at another line contests: it answers `call` otherwise.

    For a call that is a sequence of steps, where the search is not sure: what an object has become is seen by few
    cases, and a repair at the wrong line changes it as well as one at the right line.
    """
    return tuple(_contested(number, candidates, behaviours, call) for number in range(len(candidates)))


def tied(
    candidates: Sequence[Candidate],
    behaviours: Sequence[Behaviour],
    scores: Sequence[float],
    likely: Collection[int],
    near: float = TIE_BITS,
) -> tuple[Candidate, ...]:
    """Return the candidates, best first, all of them marked where one that behaves otherwise is as likely as the first,
    or less likely by at most `near` bits.

    Which of the two is meant is for a person to say. A rival that bears a mark, or does not bring back what git had
    where the first does, is none; nor is one that differs on no call at the positions `likely`.
    """
    rivals = [
        one
        for one, behaviour, score in zip(candidates, behaviours, scores, strict=True)
        if score <= scores[0] + near
        and _differ(behaviour, behaviours[0], likely)
        and not one.marks
        and (one.is_as_git_had or not candidates[0].is_as_git_had)
    ]
    if not rivals:
        return tuple(candidates)
    mark = Mark("untold", f"The two likeliest repairs do different things: {_both(candidates[0], rivals[0])}.")
    return tuple(replace(one, marks=one.marks or (mark,)) for one in candidates)


def unasked_tie(
    candidates: Sequence[Candidate], scores: Sequence[float], near: float = TIE_BITS
) -> tuple[Candidate, ...]:
    """Return the candidates, best first, of which no call could be asked, all of them marked where the second is less
    likely than the first by at most `near` bits: nothing says that they do the same.
    """
    two = [one for one in candidates[:2] if not one.marks]
    if len(two) < 2 or scores[1] > scores[0] + near or two[0].is_as_git_had > two[1].is_as_git_had:
        return tuple(candidates)
    mark = Mark("untold", f"Two repairs are about as likely, and no call could be tried: {_both(*two)}.")
    return tuple(replace(one, marks=one.marks or (mark,)) for one in candidates)


def _both(one: Candidate, other: Candidate) -> str:
    """Say what two repairs change; of a long one both ends, as it may differ from the other in either."""
    return f"{both_ends(one.summary, _LONGEST)}; and {both_ends(other.summary, _LONGEST)}"


def _differ(one: Behaviour, other: Behaviour, likely: Collection[int]) -> bool:
    """Tell whether two answer one of these calls otherwise; what could not be asked is no answer."""
    if one.cluster == other.cluster or not (one.answers and other.answers):
        return False
    return any(one.answers[at] != other.answers[at] for at in likely)


def _contested(number: int, candidates: Sequence[Candidate], behaviours: Sequence[Behaviour], call: str) -> Candidate:
    own = candidates[number]
    differing = [
        one
        for one, behaviour in zip(candidates, behaviours, strict=True)
        if not one.marks
        and (one.is_as_git_had or not own.is_as_git_had)
        and behaviour.cluster != behaviours[number].cluster
    ]
    rivals = sum(not _is_same_line(one, own) for one in differing)
    if not rivals or own.marks:
        return own
    why = f"{_passing_words(own, rivals, len(differing) - rivals)}; they differ on {call_words(call)}."
    return replace(own, marks=(Mark("untold", why),))


def joined_mark(candidate: Candidate) -> tuple[Mark, ...]:
    """Return the mark of three or more independent edits of which some mend only one case, or one check of a test;
    none of what git had.
    """
    single = [number for number, mends in enumerate(candidate.mends) if checks_among(mends) == 1]
    one = "case" if all(tests_among(mends) == {*mends} for mends in candidate.mends) else "check"
    if candidate.parts < _SEVERAL or not single or candidate.is_as_git_had:
        return ()
    if len(single) == candidate.parts:
        return (Mark("joined", f"Each of its {candidate.parts} edits has only one {one} that speaks for it."),)
    if len(single) == 1 and len(candidate.edits) == candidate.parts:
        place = candidate.edits[single[0]].partition(": ")[0]
        return (Mark("joined", f"Only one {one} speaks for its edit at {one_line(place, _NAME)}."),)
    return (Mark("joined", f"Only one {one} each speaks for {len(single)} of its {candidate.parts} edits."),)
