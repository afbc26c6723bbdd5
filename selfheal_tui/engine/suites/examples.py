"""The specification's own examples as a suite, and generated tests that contradict them. Pure.

An example outranks a test that a model wrote from the same text: where the two give different results for the very
same call, the test is wrong.
"""

from __future__ import annotations

import ast
import builtins
import re
import textwrap
from collections.abc import Collection, Mapping, Sequence

from selfheal_tui.python_source import parse_expression
from selfheal_tui.spec_text.example import Example
from selfheal_tui.spec_text.find import find_examples
from selfheal_tui.text import one_line

from .expectations import Expectation, conflict, expectations, keyed, parameter_rows
from .test_cases import case_functions, unused_path, without_case

_NAME_LENGTH = 60


def examples_suite(spec: str, module: str, existing_paths: Collection[str] = ()) -> dict[str, str]:
    """Return path -> text of a pytest file with one case for each example; nothing when the spec has none.

    `module` is what the program is imported from; the file gets none of the `existing_paths`.
    """
    return suite_from(find_examples(spec), module, existing_paths)


def suite_from(
    examples: Sequence[Example],
    module: str,
    existing_paths: Collection[str] = (),
    elsewhere: Mapping[str, str] | None = None,
    before: Sequence[str] = (),
) -> dict[str, str]:
    """Return path -> text of a pytest file with one case for each of these examples; nothing without examples.

    `elsewhere` is name -> the line that imports it, for what does not come from `module`; an empty one for what the
    file has: `before` are sources that stand above its cases.
    """
    names: set[str] = set()
    cases = [_case(one, module, elsewhere or {}, unique(case_name(one), names)) for one in examples]
    if not cases:
        return {}
    helpers = [*before, _CLOSE] if any("_close(" in case for case in cases) else [*before]
    body = "\n\n\n".join([*helpers, *cases])
    imports = "".join(f"import {name}\n" for name in ("contextlib", "io", "math") if f"{name}." in body)
    imports += ("\n" if imports else "") + "import pytest\n" if "pytest." in body else ""
    path = unused_path("test_examples.py", existing_paths)
    head = '"""The examples of the specification, as it gives them."""\n'
    return {path: head + (f"\n{imports}" if imports else "") + f"\n\n{body}\n"}


def contradiction(test_source: str, spec: str) -> str:
    """Return why a test contradicts an example of the spec, one sentence; empty when none does."""
    return next(iter(contradictions(test_source, spec).values()), "")


def contradictions(text: str, spec: str) -> dict[str, str]:
    """Return the name after `::` -> why, for each case of a test file that contradicts an example of the spec.

    The name of one row of a parametrised case ends in its number from 0: `test_a[2]`.
    """
    return {
        label: one_line(f"it expects {expected.text}, the specification says {example.text}", 300)
        for label, (expected, example) in _conflicts(text, spec).items()
    }


def expected_otherwise(text: str, spec: str) -> dict[str, str]:
    """Return what each case of a test file that contradicts the spec expects, by its name as in `contradictions`."""
    return {label: one_line(expected.text, 200) for label, (expected, _) in _conflicts(text, spec).items()}


def _conflicts(text: str, spec: str) -> dict[str, tuple[Expectation, Expectation]]:
    settled = _settled(spec)
    conflicts: dict[str, tuple[Expectation, Expectation]] = {}
    for name, function in case_functions(text).items() if settled else ():
        for row, expected in expectations(function):
            label = name if row is None else f"{name}[{row}]"
            if (example := settled.get(expected.key)) and label not in conflicts and conflict(expected, example):
                conflicts[label] = expected, example
    return conflicts


def uncontradicted(text: str, spec: str) -> tuple[str, dict[str, str]]:
    """Return the test file without what contradicts the spec, and why by case; only the rows of a parametrised one."""
    why = contradictions(text, spec)
    rows: dict[str, list[int]] = {}
    for label in why:
        name, bracket, row = label.partition("[")
        if bracket:
            rows.setdefault(name, []).append(int(row.rstrip("]")))
    for label in why:
        if "[" not in label and label in case_functions(text):
            text = without_case(text, label)
    for name, numbers in rows.items():
        if name in case_functions(text):
            text = without_rows(text, name, numbers)
    return text, why


def without_rows(text: str, name: str, numbers: Collection[int]) -> str:
    """Return the text without these rows of a parametrised case, without the case when none is left."""
    function = case_functions(text)[name]
    rows = parameter_rows(function)
    remaining = [row for n, row in enumerate(rows.elts) if n not in numbers] if rows is not None else []
    if rows is None or not remaining:
        return without_case(text, name)
    sources = [ast.get_source_segment(text, row) or ast.unparse(row) for row in remaining]
    indent = " " * (function.col_offset + 8)
    table = "[\n" + "".join(f"{indent}{source},\n" for source in sources) + " " * (function.col_offset + 4) + "]"
    # Columns of the syntax tree count bytes.
    lines = [f"{line}\n".encode() for line in text.split("\n")]
    before = b"".join(lines[: rows.lineno - 1]) + lines[rows.lineno - 1][: rows.col_offset]
    end = rows.end_lineno or rows.lineno
    after = lines[end - 1][rows.end_col_offset :] + b"".join(lines[end:])
    return (before + table.encode() + after).decode().rstrip("\n") + "\n"


def _settled(spec: str) -> dict[str, Expectation]:
    expected: dict[str, Expectation] = {}
    for one in find_examples(spec):
        if not one.setup and not one.holds and not one.shows:
            key = keyed(one.call)
            if key and (one.error or one.value):
                expected[key] = Expectation(key, one.text, one.value, one.error, one.within)
    return expected


# --- writing a case


def _case(one: Example, module: str, elsewhere: Mapping[str, str], name: str) -> str:
    lines = [f"# {one.text}", *_imports(one, module, elsewhere), *one.setup, *_check(one)]
    return f"def {name}():\n" + textwrap.indent("\n".join(lines), "    ")


def _imports(one: Example, module: str, elsewhere: Mapping[str, str]) -> list[str]:
    """Import inside the case: a name that the program lacks fails the cases that need it, not the file."""
    own = [name for name in one.names if name not in elsewhere]
    others = dict.fromkeys(elsewhere[name] for name in one.names if elsewhere.get(name))
    return [*others, *([f"from {module} import {', '.join(own)}"] if own else [])]


def _check(one: Example) -> list[str]:
    if one.holds:
        return [f"assert {one.holds}"]
    if one.error:
        is_builtin = isinstance(getattr(builtins, one.error, None), type)
        caught = " as caught" if one.message or not is_builtin else ""
        kind = one.error if is_builtin else "Exception"
        lines = [f"with pytest.raises({kind}){caught}:", textwrap.indent(one.call, "    ")]
        if not is_builtin:
            lines.append(f"assert {one.error!r} in [kind.__name__ for kind in type(caught.value).__mro__]")
        return [*lines, f"assert str(caught.value) == {one.message!r}"] if one.message else lines
    if one.shows:
        return [
            "printed = io.StringIO()",
            "with contextlib.redirect_stdout(printed):",
            f"    value = {one.call}",
            'shown = printed.getvalue() + ("" if value is None else repr(value))',
            f"assert shown.strip() == {one.shows.strip()!r}",
        ]
    return [_equal(one)]


def _equal(one: Example) -> str:
    tree = parse_expression(one.value)
    numbers = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)]
    if one.value == "None":
        return f"assert {one.call} is None"
    if not one.within and not any(isinstance(n, float) for n in numbers):
        return f"assert {one.call} == {one.value}"
    limits = f"rel=1e-9, abs={max(one.within, 1e-12):g}"
    items = tree.elts if isinstance(tree, ast.List | ast.Tuple) else [tree]
    if all(_is_number(item) for item in items):
        return f"assert {one.call} == pytest.approx({one.value}, {limits})"
    return f"assert _close({one.call}, {one.value}, {max(one.within, 1e-12):g})"


def _is_number(node: ast.expr) -> bool:
    node = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


_CLOSE = '''def _close(got, want, within):
    """Compare numbers within a tolerance, containers item by item."""
    if isinstance(want, (int, float)) and isinstance(got, (int, float)):
        return got == want or math.isclose(got, want, rel_tol=1e-9, abs_tol=within)
    if isinstance(want, (list, tuple)):
        same = type(got) is type(want) and len(got) == len(want)
        return same and all(_close(a, b, within) for a, b in zip(got, want))
    if isinstance(want, dict):
        same = isinstance(got, dict) and got.keys() == want.keys()
        return same and all(_close(got[key], want[key], within) for key in want)
    return got == want'''


def case_name(one: Example) -> str:
    """Return what the case of an example is called, but for the number of a second one of that name."""
    told = re.sub(r"(?<!\d)-(?=[\d.])", " minus ", one.call or one.holds)  # a negative number; "2024-01-31" is none
    words = told + (f" raises {one.error}" if one.error else "")
    slug = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]+", "_", words)).strip("_").lower()
    return f"test_{slug[:_NAME_LENGTH].rstrip('_') or 'example'}"


def unique(name: str, used_names: set[str]) -> str:
    """Return the name, numbered when it is among those used; they hold it then."""
    unique, number = name, 1
    while unique in used_names:
        number += 1
        unique = f"{name}_{number}"
    used_names.add(unique)
    return unique
