"""A name that is imported and used nowhere: it may be meant where another one of its module is used, or is called."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from selfheal_tui.search.program.source import Source

from .base import Splice, bits, operator, replace

_MOST = 4
_CALLED = 2.0
"""Bits for a function that is called in the place of any other one: `ceil(n)` for `int(n)`."""


class _Imported(NamedTuple):
    module_of: dict[str, str]
    unused_of: dict[str, list[str]]
    """Module -> its names that nothing reads."""


@operator("unused_import", 1.2, "a name is imported and used nowhere")
def unused_import(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Use a name that is imported and never read in the place of another one of its module, or of what is called."""
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return
    imported = _imported(source)
    own = imported.module_of.get(node.id, "")
    for place, name in enumerate(imported.unused_of.get(own, [])[:_MOST]):
        yield replace(source, node, name, extra=0.6 * bits(place))
    parent = source.parents.get(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        others = [name for module, names in imported.unused_of.items() if module != own for name in names]
        for place, name in enumerate([name for name in others if name.islower()][:_MOST]):
            yield replace(source, node, name, extra=_CALLED + 0.6 * bits(place))


def _imported(source: Source) -> _Imported:
    known: _Imported | None = source.memo.get("unused_imports")
    if known is None:
        nodes = list(source.nodes())
        read = {one.id for one in nodes if isinstance(one, ast.Name)}
        # A text may be one of `__all__`.
        read |= {one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)}
        module_of: dict[str, str] = {}
        unused_of: defaultdict[str, list[str]] = defaultdict(list)
        for one in nodes:
            if isinstance(one, ast.ImportFrom) and one.module and isinstance(source.parents.get(one), ast.Module):
                for name in (alias.asname or alias.name for alias in one.names if alias.name != "*"):
                    module_of[name] = one.module
                    if name not in read:
                        unused_of[one.module].append(name)
        known = source.memo["unused_imports"] = _Imported(module_of, unused_of)
    return known
