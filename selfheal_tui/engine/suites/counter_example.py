"""A critic's counter-example: the file it becomes, and whether its failure speaks against the program. Pure."""

from __future__ import annotations

import ast
import builtins
import io
import tokenize
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePosixPath

from selfheal_tui.python_source import callables_in, parse_python
from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.sandbox.inside.roots import module_names
from selfheal_tui.text import one_line

from .test_cases import case_functions

_ASSERTION = ("assert ", "AssertionError", "Failed")
"""How the message of a failed claim begins; `Failed` is pytest's own, as when nothing was raised."""
_LEAST_BASIS = 10
_HEAD = "# Objection of iteration "


def as_file(test: str, program: Mapping[str, str], existing_paths: Collection[str]) -> tuple[str, str]:
    """Return path and text of the file for a test; what it uses of the program and of pytest is imported.

    Modules of one name in two folders cannot both be collected, so the name is new
    anywhere. Raises: ValueError saying why this is no counter-example.
    """
    if not test.strip():
        raise ValueError("it has no counter-example")
    try:
        tree = parse_python(test)
    except SyntaxError as error:
        raise ValueError(f"its counter-example does not parse: {one_line(str(error))}") from None
    if len(case_functions(test)) != 1:
        raise ValueError(f"its counter-example must be one test function, and there are {len(case_functions(test))}")
    imports = missing_imports(tree, program)
    own = {name.split(".")[0] for path in program if (name := module_name(path))}
    if not own & {line.split(".")[0] for line in [*_imported(tree), *(line.split()[1] for line in imports)]}:
        raise ValueError("its counter-example does not use the program")
    stems = {PurePosixPath(path).stem for path in existing_paths}
    stem = next(name for name in _names() if name not in stems)
    future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    at = max((node.end_lineno or 0 for node in future), default=0)
    lines = test.splitlines()
    return f"{stem}.py", "\n".join([*lines[:at], *imports, *["", ""][: 2 * bool(imports)], *lines[at:]]).strip(
        "\n"
    ) + "\n"


def headed(text: str, iteration: int, summary: str, basis: str) -> str:
    """Put what a counter-example objects to on top of its file, for whoever reads the tests."""
    lines = [f"{_HEAD}{iteration}: {one_line(summary, 90)}", f'# It goes by: "{one_line(basis, 100)}"']
    return "\n".join([*lines, text])


def objected(files: Mapping[str, str], iteration: int) -> bool:
    """Tell whether one of these files (path -> text) holds an objection confirmed at this iteration."""
    return any(text.startswith(f"{_HEAD}{iteration}:") for text in files.values())


def is_quoted(basis: str, spec: str, sources: Iterable[str]) -> bool:
    """Tell whether the sentence stands in the spec, or in a docstring or the comments of a source text.

    Spacing, case, quotes and comment signs do not count.
    """
    wanted = _plain(basis)
    passages = [spec, *(words for source in sources for words in _words(source))]
    return len(wanted) >= _LEAST_BASIS and any(wanted in _plain(text) for text in passages)


def why_not(report: SuiteReport, path: str, program: Collection[str]) -> str:
    """Return why the run of a counter-example does not speak against the program; empty when it does."""
    cases = [case for case in report["cases"] if case["id"].startswith(f"{path}::")]
    if not cases:
        messages = [case["message"] for case in report["cases"]] or [report["error"] or "no case was found"]
        return one_line(f"its counter-example cannot be run: {messages[0]}")
    bad = [case for case in cases if case["outcome"] not in ("passed", "skipped")]
    if not bad:
        skipped = all(case["outcome"] == "skipped" for case in cases)
        return "its counter-example skips itself" if skipped else "the program passes its counter-example"
    return next((why for case in bad if (why := _own_mistake(case, program))), "")


def module_name(path: str) -> str:
    """Return the name that a program file is imported by; empty when it cannot be imported."""
    name = min(module_names([path]), key=len, default="")
    return name if all(part.isidentifier() for part in name.split(".")) else ""


def _body(text: str) -> list[ast.stmt]:
    try:
        return parse_python(text).body
    except SyntaxError:
        return []


def _own_mistake(case: CaseResult, program: Collection[str]) -> str:
    """Return what went wrong in the test itself; empty when a claim failed or the program raised or never ended."""
    in_program = (case["location"] or "").rpartition(":")[0] in program
    if in_program or (case["outcome"] == "failed" and case["message"].startswith(_ASSERTION)):
        return ""
    if case["outcome"] == "timeout":
        return "its counter-example ran out of time, and not in the program"
    return one_line(f"its counter-example stops at a mistake of its own: {case['message']}")


def _names() -> Iterable[str]:
    yield "test_critic"
    number = 2
    while True:
        yield f"test_critic_{number}"
        number += 1


def missing_imports(tree: ast.Module, program: Mapping[str, str], *, with_bound: bool = False) -> list[str]:
    """Return import lines for names that a text uses, does not bind, and the program (or pytest) has.

    `with_bound` adds what the program itself imports, or binds in any other way at its top level.
    """
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)} | set(dir(builtins))
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    free = {node.id for node in names} - bound
    lines = ["import pytest"] if "pytest" in free else []
    for path, text in program.items():
        if not (module := module_name(path)):
            continue
        if names_here := sorted(free & _defined(text)):
            lines.append(f"from {module} import {', '.join(names_here)}")
            free -= set(names_here)
        for name in sorted(free & _bound_at_top(text)) if with_bound else ():
            # What stands below an `if` may not be there.
            lines.append(f"try:\n    from {module} import {name}\nexcept ImportError:\n    pass")
            free.discard(name)
    return lines


def _defined(text: str) -> set[str]:
    names = callables_in(text)
    for node in _body(text):
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def _bound_at_top(text: str) -> set[str]:
    """Return what a file binds outside of its functions and classes: imports, loops, `with`, also below an `if`."""
    names: set[str] = set()
    todo: list[ast.AST] = list(_body(text))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names} - {"*"}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if not isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            todo += ast.iter_child_nodes(node)
    return names


def _imported(tree: ast.AST) -> set[str]:
    modules: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module)
    return modules


def _words(source: str) -> list[str]:
    """Return the docstrings of a source text, and its comments as one text; what cannot be read says nothing."""
    try:
        nodes = list(ast.walk(parse_python(source)))
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (SyntaxError, tokenize.TokenError):
        return []
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = [ast.get_docstring(node) or "" for node in nodes if isinstance(node, kinds)]
    return [*docs, " ".join(token.string for token in tokens if token.type == tokenize.COMMENT)]


def _plain(text: str) -> str:
    letters = "".join(" " if c in "#\"'`*" else c for c in text.casefold())
    return " ".join(letters.split()).strip(" .,:;")
