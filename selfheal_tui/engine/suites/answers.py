"""Questions to the human: where programs that pass every case disagree, the right answer becomes a case. Pure."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from selfheal_tui.python_source import callables_in, parse_or_none
from selfheal_tui.python_values import as_imported, names_in, unknown_names, worked_out
from selfheal_tui.search.weigh.questions import Disagreement, is_answer
from selfheal_tui.spec_text.example import Example
from selfheal_tui.spec_text.find import find_examples
from selfheal_tui.steps import call_steps, call_words
from selfheal_tui.text import one_line

from ..moment.review import UNKNOWN
from ..moment.state import HealState, Question, RivalAnswer
from .answer_values import is_written_out
from .counter_example import module_name
from .examples import case_name, expected_otherwise, suite_from, unique
from .helpers import helpers_for
from .test_cases import unused_path

MOST_QUESTIONS = 5
"""Questions a human is asked on one branch."""
_LONGEST = 100
"""Characters of a call and of a value in a sentence."""


def may_ask(state: HealState) -> bool:
    """Tell whether the human may be asked one more question on this branch; what they said unasked does not count."""
    return len(settled_calls(state)) - state.get("volunteered", 0) < MOST_QUESTIONS


def settled_calls(state: HealState) -> list[str]:
    """Return the calls that are not asked about again: those answered, and those that the human does not know."""
    return [*(call for call, _ in state.get("answers", [])), *state.get("unknown", [])]


def question_of(disagreement: Disagreement, of_program: bool = False) -> Question:
    """Return the question as a state holds it; `of_program`: candidate 0 is the program itself, not a repair."""
    answers: list[RivalAnswer] = []
    question: Question = {"call": disagreement.call, "answers": answers}
    for answer in disagreement.answers:
        own = of_program and 0 in answer.candidates
        answers.append({"text": answer.text, "repairs": len(answer.candidates) - own, "share": answer.share})
        if own:
            question["now"] = answer.text
    return question


def answer_problem(text: str, program: Mapping[str, str] | None = None, tests: Mapping[str, str] | None = None) -> str:
    """Say what is wrong with an answer; empty when it can become a case.

    With the `program` (path -> text) the types that it names must be defined or imported there or in the `tests`.
    """
    if text == UNKNOWN:
        return ""
    if is_answer(text):
        unknown = _unknown_in(text, program, tests or {}) if program is not None else ""
        return f"names {unknown}, which neither the program nor its tests define or import" if unknown else ""
    quoted = one_line(repr(text.strip()), 40)
    if text.startswith("!"):
        return "names no exception; write it as !ValueError"
    if (value := worked_out(text)) is not None:
        return f"is a calculation; write what it gives: {value!r}"
    return (
        f"is no Python value; write a text in quotes ({quoted}), an exception as !ValueError, "
        f"and {UNKNOWN} where you do not know"
    )


def _unknown_in(text: str, program: Mapping[str, str], tests: Mapping[str, str]) -> str:
    if text.startswith("!"):
        return ""
    own = set().union(*map(callables_in, [*program.values(), *tests.values()]))
    return next(iter(unknown_names(text, own | {*import_lines([*tests.values(), *program.values()])})), "")


def answers_suite(
    answers: Sequence[Sequence[str]],
    program: Mapping[str, str],
    existing_paths: Collection[str],
    tests: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return path -> text of test files with a case for each [call, right answer], a file for each module called.

    `program` is path -> text, a file gets none of the `existing_paths`. What a call names and the program does not
    define is imported as `tests` (path -> text) or the program import it. Empty when no call fits the program.
    """
    lines = import_lines([*(tests or {}).values(), *program.values()])
    defined = {module_name(path): callables_in(text) for path, text in program.items()}
    homes = {name: f"from {home} import {name}" for home, names in reversed(defined.items()) if home for name in names}
    examples: dict[str, list[Example]] = {}
    needed: dict[str, str] = {}
    known = {*lines, *homes}
    named = sorted(name for pair in answers for text in pair for name in _names_in(text))
    helpers = helpers_for(named, tests or {}, known)
    of_helpers = [lines[name] for source in helpers.values() for name in _names_in(source) if name in lines]
    for call, answer in answers:
        # What a helper of the tests makes is of the program: `cart(tea=2)` calls `Cart`.
        made = _names_in(call) | {name for source in helpers.values() for name in _names_in(source)}
        if module := _module_of(_names_in(call), program, lines) or _module_of(made, program, lines):
            found = find_examples(_example(call, answer), names={*lines, *helpers})
            if is_written_out(answer, program):
                value, more = as_imported(answer, lines)
                needed |= more
                found = [_with_value(one, value) for one in found]
            examples.setdefault(module, []).extend(found)
    suite: dict[str, str] = {}
    for module, of_module in examples.items():
        elsewhere = {name: line for name, line in (needed | lines | homes).items() if name not in defined[module]}
        elsewhere |= dict.fromkeys(helpers, "")
        before = [*dict.fromkeys(of_helpers), *helpers.values()]
        for body in suite_from(of_module, module, elsewhere=elsewhere, before=before).values():
            suite[unused_path("test_answers.py", {*existing_paths, *suite})] = body.replace(_HEAD, _OURS)
    return suite


def _with_value(one: Example, value: str) -> Example:
    """Return an example that compares with a value which is no literal, and not with its repr."""
    names = (*one.names, *(name for name in names_in(value) if name not in one.names))
    return replace(one, value=value, shows="", names=names) if one.shows else one


def case_against(answer: Sequence[str], tests: Mapping[str, str]) -> str:
    """Say which case of the `tests` (path -> text) expects something else of a [call, right answer]; empty for none."""
    for path, text in tests.items():
        for label, expected in expected_otherwise(text, _example(*answer)).items():
            return f"{path}::{label}, which expects {expected}"
    return ""


def import_lines(texts: Sequence[str]) -> dict[str, str]:
    """Return name -> the line that imports it at the top of one of these files; the first one counts."""
    lines: dict[str, str] = {}
    for text in texts:
        tree = parse_or_none(text)
        for node in tree.body if tree is not None else ():
            if isinstance(node, ast.Import):
                found = {(one.asname or one.name.partition(".")[0]): f"import {ast.unparse(one)}" for one in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found = {
                    (one.asname or one.name): f"from {node.module} import {ast.unparse(one)}" for one in node.names
                }
            else:
                continue
            lines = found | lines
    lines.pop("*", None)
    return lines


def only_said_words(said: Sequence[str], *, repaired: bool) -> str:
    """Say that only the human's own words are not met; empty for none. `repaired`: a repair was taken before."""
    if not said:
        return ""
    taken = "A repair that was taken may be wrong: go back before it, and say it there (f). " if repaired else ""
    return (
        f"What still fails is only what you said: {'; '.join(said)}. {taken}If it is wrong, undo it, "
        "or start again without it (--wrong)."
    )


def only_said(
    failing: Collection[str],
    origins: Mapping[str, str],
    answers: Sequence[Sequence[str]],
    program: Mapping[str, str],
    tests: Mapping[str, str],
) -> list[str]:
    """Return what the human said that the `failing` case ids hold: `fee(3) should be 5`, a line for each.

    Empty where a case is among them that the human did not say, and where nothing fails. `origins` is test path ->
    kind of its suite, `program` and `tests` are path -> text.
    """
    if not all(origins.get(case.partition("::")[0]) == "answers" for case in failing):
        return []
    words: dict[str, str] = {}
    names: dict[str, set[str]] = {}
    lines = import_lines([*tests.values(), *program.values()])
    for call, answer in answers:
        module = _module_of(_names_in(call), program, lines)
        for example in find_examples(_example(call, answer), names=_names_in(call)):
            name = unique(case_name(example), names.setdefault(module, set()))
            words[name] = f"{call_words(call, _LONGEST)} should {_be(answer)}"
    return [words.get(case.rpartition("::")[2], case) for case in failing]


def _be(answer: str) -> str:
    return f"raise {answer[1:]}" if answer.startswith("!") else f"be {one_line(answer, _LONGEST)}"


_HEAD = '"""The examples of the specification, as it gives them."""'
_OURS = '"""What the human said that calls should give."""'


def _example(call: str, answer: str) -> str:
    """Return a session that shows the answer, a line for each step; any of the steps may raise the exception."""
    steps = call_steps(call)
    if answer.startswith("!"):
        return ">>> " + "\n... ".join(steps) + f"\nTraceback (most recent call last):\n    ...\n{answer[1:]}\n"
    return "".join(f">>> {step}\n" for step in steps) + f"{answer}\n"


def _module_of(names: set[str], program: Mapping[str, str], lines: Mapping[str, str]) -> str:
    """Return the module that defines a function or class of these names, or that one is, as `lines` import it.

    `lines` is name -> the line that imports it. Empty when there is none.
    """
    defined = (module_name(path) for path, text in program.items() if names & {*callables_in(text)})
    imported = {_imported(lines[name]) for name in names if name in lines}
    own = (module for path in program if (module := module_name(path)) and module in imported)
    return next(defined, "") or next(own, "")


def _imported(line: str) -> str:
    """Return the module that an import of one name may bind: `import a.b as c` and `from a import b` bind `a.b`."""
    match ast.parse(line).body[0]:
        case ast.Import(names=[one]):
            return one.name
        case ast.ImportFrom(module=str(package), names=[one]):
            return f"{package}.{one.name}"
    return ""


def _names_in(call: str) -> set[str]:
    tree = parse_or_none(call)
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} if tree is not None else set()
