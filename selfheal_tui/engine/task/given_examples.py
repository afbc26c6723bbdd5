"""What came with code and tests, as suites: the examples of a specification, what the user says is wrong. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from selfheal_tui.python_source import callables_in
from selfheal_tui.spec_text.find import find_examples

from ..suites.answers import answers_suite
from ..suites.counter_example import module_name
from ..suites.examples import contradictions, suite_from
from .task import Task


def given_examples(task: Task) -> tuple[dict[str, str], list[str]]:
    """Return path -> text of the examples' file, and why examples are left out, one sentence each.

    The user's tests outrank the examples: where they contradict each other, the examples are left out.
    """
    if not task.spec_judges:
        return {}, []
    tests = {path: text for path, text in task.files.items() if path.endswith(".py") and path not in task.program}
    for path, text in tests.items():
        for why in contradictions(text, task.spec).values():
            return {}, [f"The examples of the specification are left out, as {path} says otherwise: {why}"]
    defined = {module_name(path): callables_in(task.files[path]) for path in task.program if path.endswith(".py")}
    examples = find_examples(task.spec)
    fitting = Counter(
        module
        for one in examples
        for module, names in defined.items()
        if module and one.names and names >= {*one.names}
    )
    if not fitting:
        return {}, []
    module = fitting.most_common(1)[0][0]
    usable = [one for one in examples if one.names and defined[module] >= {*one.names}]
    return suite_from(usable, module, task.files), []


def wrong_suite(task: Task, other_paths: Collection[str] = ()) -> dict[str, str]:
    """Return path -> text of test files with a case for each thing that the user says is wrong.

    None has one of the `other_paths`.
    """
    program = {path: task.files[path] for path in task.program if path in task.files}
    tests = {path: text for path, text in task.files.items() if path.endswith(".py") and path not in program}
    return answers_suite(task.wrong, program, {*task.files, *other_paths}, tests)
