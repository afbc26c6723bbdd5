"""The command line in words: each argument is explained, and each command that a sentence names can be copied."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path

from selfheal_tui.cli.parser import front_parser, whole_parser

PACKAGE = Path(__file__).resolve().parents[2] / "selfheal_tui"
NEEDS_SESSION = ("decide", "fork", "race", "try", "compare", "export", "apply", "rename", "branch", "undo", "delete")
"""Actions that a sentence must name with a session: `show` and `check` alone mean the newest, and all."""
_NAMED = re.compile(rf"selfheal (?:sessions (?:{'|'.join(NEEDS_SESSION)})|resume)\b(?! (?:SESSION|FILE|\{{))")


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from parsers(below)


def test_every_argument_of_every_command_is_explained() -> None:
    for parser in parsers(whole_parser()):
        unexplained = [
            action.dest for action in parser._actions if not (action.help or action.dest in ("command", "action"))
        ]
        assert unexplained == [], parser.prog


def test_a_usage_line_has_the_command_and_does_not_list_the_settings() -> None:
    assert "COMMAND" in front_parser().format_usage()
    for parser in (front_parser(), *parsers(whole_parser())):
        assert "--silence-s" not in parser.format_usage(), parser.prog


def sentences(path: Path) -> Iterator[str]:
    """Yield the texts of a file as they are written, docstrings left out, `{` for what is filled in."""
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "{" for part in node.values)  # type: ignore[misc]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings | inside:
            yield node.value


def test_a_command_that_a_sentence_names_has_its_session() -> None:
    lacking = [
        f"{path.relative_to(PACKAGE)}: {text}"
        for path in PACKAGE.rglob("*.py")
        if not {"demos", "tasks"} & set(path.relative_to(PACKAGE).parts)
        for text in sentences(path)
        if _NAMED.search(text)
    ]
    assert lacking == []
