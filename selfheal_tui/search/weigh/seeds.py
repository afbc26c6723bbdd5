"""The calls with literal arguments that tests compare: in assertions, and by the rows of parametrised tests. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from selfheal_tui.python_source import is_literal

from ..program.calls import compared_calls, imported_names, innermost
from .named_values import named_values
from .spoken import Spoken, spoken_calls


def seeds_of(tests: Mapping[str, str]) -> Iterator[tuple[str, list[Any]]]:
    """Yield (function, literal arguments) of the calls that assertions compare; `shop.f` for one of a module.

    `tests` is path -> text.
    """
    imported = {path: imported_names(text) for path, text in tests.items()}
    written: set[str] = set()
    for case, call, _ in compared_calls(tests):
        match innermost(call):
            case ast.Call(func=func, args=arguments, keywords=[]) if all(map(is_literal, arguments)):
                name = ast.unparse(func)
                if isinstance(func, ast.Name) or name.partition(".")[0] in imported[case.partition("::")[0]]:
                    written.add(Spoken(name, tuple(map(ast.unparse, arguments))).text)
                    yield name, [ast.literal_eval(argument) for argument in arguments]
    values = named_values(tests)
    for path, text in tests.items():
        if "parametrize" not in text:
            continue
        for row in spoken_calls(text, values.get(path)):
            call_text = Spoken(row.function, row.arguments).text
            if (
                not row.names
                and not row.is_of_object
                and call_text not in written
                and all(map(is_literal, row.arguments))
            ):
                written.add(call_text)
                yield row.function, [ast.literal_eval(argument) for argument in row.arguments]
