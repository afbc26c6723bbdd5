"""What a user says that a call should give, in a sentence: `f(3) gives 4, should be 5`. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from selfheal_tui.errors import InputError
from selfheal_tui.python_source import definitions, is_literal, parse_expression, parse_or_none
from selfheal_tui.python_values import is_value
from selfheal_tui.steps import call_of_steps, setting_step
from selfheal_tui.text import one_line

from .answers import answer_problem, answers_suite, case_against

_SHOULD = re.compile(
    r"(?:\s*[,;:]|\s+(?:and|but))?(?:\s+it)?\s+(?:should|must|has\s+to)\s+"
    r"(?P<word>be|equal|give|return|yield|raise|throw)s?\b\s*|\s*(?P<is>==)\s*|\s+(?P<raises>raises|throws)\s+"
)
_GIVES = re.compile(r"\s*[,;:]?\s+(?:(?:now|currently|wrongly)\s+)?(?:gives|returns|is|raises|yields)\b")
_EXCEPTION = re.compile(r"(?:an?\s+)?(?:[A-Za-z_]\w*\.)*([A-Za-z_]\w*)$")
_AFTER = re.compile(r"(?P<read>.+?)\s+\(after (?P<steps>.+)\)", re.DOTALL)
"""A call after steps, as `steps.call_words` shows it."""
_HOW = (
    "Write it as 'f(3) should be 5', 'f(3) gives 4, should be 5' or 'f(3) should raise ValueError'; "
    "with steps before it as 'b = Box(2); b.put(1); b.size() should be 1'."
)
_LONGEST = 120


def told_answers(
    sentences: Sequence[str], program: Mapping[str, str], tests: Mapping[str, str] | None = None
) -> list[list[str]]:
    """Return [call, right answer] for each sentence, `!Name` for an exception, once for each call.

    `program` and `tests` are path -> text; a call may use what they import. Raises: InputError for a sentence that
    cannot be read, a call that calls nothing of the program, and two sentences that contradict each other.
    """
    answers: dict[str, str] = {}
    for sentence in sentences:
        call, answer = read_told(sentence)
        if answers.setdefault(call, answer) != answer:
            shown = one_line(call, _LONGEST)
            raise InputError(f"{shown} cannot be {answer_text(answers[call])} and {answer_text(answer)}.", "Say one.")
        if not answers_suite([[call, answer]], program, (), tests):
            raise InputError(
                f"No case can be made of {one_line(call, _LONGEST)!r}.",
                _of_object(call, program)
                or "Call a function or a class that a file of the program defines at its top, with plain values.",
            )
        if test := case_against((call, answer), tests or {}):
            raise InputError(
                f"{one_line(call, _LONGEST)} should be {answer_text(answer)} contradicts {test}.",
                "Change the test, or do not say this.",
            )
        if why := answer_problem(answer, program, tests):
            raise InputError(f"What {one_line(call, _LONGEST)} should be {why}.", "Name what can be imported.")
    return [[call, answer] for call, answer in answers.items()]


def _of_object(call: str, program: Mapping[str, str]) -> str:
    """Return how a method that is called without its object is written; empty for all else."""
    match parse_expression(call):
        case ast.Call(func=ast.Name(id=name)):
            for text in program.values():
                tree = parse_or_none(text)
                for qualified, node in definitions(tree) if tree is not None else ():
                    holder, _, own = qualified.rpartition(".")
                    if holder and own == name and not isinstance(node, ast.ClassDef):
                        return f"{name} is a method: call it of an object, as {holder}(...).{call}"
    return ""


def read_told(sentence: str) -> tuple[str, str]:
    """Return the call and its right answer, a repr or `!Name`. Raises: InputError for anything else."""
    text = sentence.strip()
    for left, word, right in _parts(text):
        call = _call(left)
        answer = _raised(right) if word in ("raise", "raises", "throw", "throws") else _value(right)
        if call and answer:
            return call, answer
    raise InputError(f"{one_line(text, _LONGEST)!r} does not say what a call should give.", _HOW)


def told_now(sentence: str) -> str:
    """Return what the user says that a call gives now, as repr writes it; empty where they do not say."""
    left = next((text for text, _, _ in _parts(sentence.strip())), "")
    return next((value for match in _GIVES.finditer(left) if (value := _value(left[match.end() :]))), "")


def answer_text(answer: str) -> str:
    """Say an answer: `5`, `ValueError` for `!ValueError`."""
    return one_line(answer.removeprefix("!"), _LONGEST)


def _parts(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (before, the word that says it, after) for each place that may part the call from what it should give."""
    for match in _SHOULD.finditer(text):
        yield text[: match.start()], match["word"] or match["is"] or match["raises"], text[match.end() :]


def _call(text: str) -> str:
    """Return the call in front, without what it gives now; empty where there is none."""
    for source in (*(text[: match.start()] for match in _GIVES.finditer(text)), text):
        plain = source.strip().strip("`")
        if after := _AFTER.fullmatch(plain):
            plain = f"{after['steps']}; {after['read']}"
        tree = parse_or_none(plain)
        steps = [_step(statement) for statement in tree.body] if tree is not None else []
        calls = any(isinstance(node, ast.Call) for step in steps if step is not None for node in ast.walk(step))
        if not calls or isinstance(steps[-1], ast.NamedExpr):
            continue
        known = [step for step in steps if step is not None]
        if len(known) == len(steps):
            return ast.unparse(known[0]) if len(known) == 1 else call_of_steps(known)
    return ""


def _step(statement: ast.stmt) -> ast.expr | None:
    """Return a statement as an expression: `box = Box(2)` as `box := Box(2)`; None for one that is none."""
    match statement:
        case ast.Expr(value=value):
            return value
        case ast.Assign(targets=[ast.Name() as target], value=value):
            return ast.NamedExpr(target, value)
        case ast.Assign(targets=[ast.Attribute(value=owner, attr=name)], value=value):
            return setting_step(owner, name, value)
    return None


def _value(text: str) -> str:
    """Return the value, a literal as repr writes it; empty where it is none."""
    for source in (text.rstrip(" .!"), text):
        plain = source.strip().strip("`")
        if is_literal(plain) and not plain.startswith(("set(", "frozenset(")):
            return repr(ast.literal_eval(plain))
        if is_value(plain):
            return ast.unparse(parse_expression(plain))
    return ""


def _raised(text: str) -> str:
    match = _EXCEPTION.match(text.strip(" .!`"))
    return f"!{match[1]}" if match else ""
