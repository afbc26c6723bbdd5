"""Role: says what a call should give on which good repairs disagree; its prompt holds no body of any program."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from selfheal_tui.python_source import Definition, definitions, parse_or_none
from selfheal_tui.steps import call_steps

from ...moment.state import Question, Spent
from ...workshop.prompt_room import Shrinkable
from ...workshop.role_context import RoleContext
from ..describe import shown_tests
from ..reply import ask_model


async def ask_oracle(context: RoleContext, question: Question, number: int) -> tuple[str, Spent]:
    """Return the model's answer as it came, and what it cost; `number` counts from 0 how often it was asked this.

    The same question in another attempt, with the same words around it, is answered by the ledger.
    Raises: InvalidReply, ProviderError, SettingsError.
    """
    assert context.report is not None
    values: dict[str, str | Shrinkable] = {
        "spec": context.spec or "(none: the tests and the functions' own words say what is right)",
        "tests": shown_tests(context.workspace.test_texts, context.report),
        "promises": promises(context.workspace.program_texts, question["call"]),
        "call": "\n".join(call_steps(question["call"])),
    }
    salt = ".".join(filter(None, ["oracle", str(number), context.state.get("afresh", "")]))
    reply, spent = await ask_model(context, "oracle", values, salt, ("tests",))
    return str(reply["answer"]), spent


def promises(program: Mapping[str, str], call: str) -> str:
    """Return signatures and docstrings of the functions and classes that a call names; `program` is path -> text."""
    tree = parse_or_none(call)
    nodes = list(ast.walk(tree)) if tree is not None else []
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    parts = []
    for path, text in program.items():
        module = parse_or_none(text)
        if module is not None and (shown := list(_promised(module, names))):
            parts.append("\n".join([f"--- {path}", *([doc] if (doc := ast.get_docstring(module)) else []), *shown]))
    return "\n".join(parts) or "(nothing but their names)"


def _promised(module: ast.Module, names: set[str]) -> Iterator[str]:
    for name, node in definitions(module):
        if "." not in name and name in names:
            yield ast.unparse(_without_body(node, {*names, "__init__"}))


def _without_body(node: Definition, names: set[str]) -> Definition:
    """Return a definition with its docstring for a body; a class also with the methods of these names."""
    kept: list[ast.stmt] = [node.body[0]] if ast.get_docstring(node, clean=False) is not None else []
    if isinstance(node, ast.ClassDef):
        methods = [one for one in node.body if isinstance(one, Definition) and one.name in names]
        kept += [_without_body(one, names) for one in methods]
    body = kept or [ast.Expr(ast.Constant(...))]
    fields = {name: value for name, value in ast.iter_fields(node)}
    copy = type(node)(**{**fields, "body": body})
    return ast.copy_location(copy, node)
