"""For edit operators: a generator of `Splice`s over one node of the syntax tree, with the decorator `edit_operator`."""

from selfheal_tui.search.operators.base import (
    EditOperator,
    Family,
    Splice,
    bits,
    edit_operator,
    quoted,
    ranked,
    replace,
    together,
)
from selfheal_tui.search.program.source import FunctionNode, Source, parse_source

__all__ = [
    "EditOperator",
    "Family",
    "FunctionNode",
    "Source",
    "Splice",
    "bits",
    "edit_operator",
    "parse_source",
    "quoted",
    "ranked",
    "replace",
    "together",
]
