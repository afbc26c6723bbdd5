"""Kinds of coincidence that one change of a tree shows, each a function that says it in a sentence. Pure."""

from __future__ import annotations

import ast
import builtins
import copy
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from selfheal_tui.text import one_line

from ..program.source import FunctionNode
from .acts import MUTATORS, acting_condition
from .counting import counts
from .mutated import mutated_argument
from .readings import adds_reading
from .sort_keys import orders_nothing
from .tree_changes import TreeChange, are_same

WITH_ITSELF = " with itself."
"""Ends what is said of a comparison whose sides are alike."""
PLAIN = frozenset(map(repr, (0, 1, 2, -1, "", " ", None, True, False)))
"""Constants that say nothing of where they come from."""
_SHOWN = 40
"""Most characters of code in a sentence."""
_DISPLAYS = (ast.Dict, ast.List, ast.Tuple, ast.Set)
_ORDERS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_SIGNS: dict[type[ast.cmpop], str] = {ast.Eq: "==", ast.NotEq: "!="}
_FEW_WORDS = 3
"""Words of a text that is no prose."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LETTERS = frozenset({"lower", "upper", "casefold", "title", "swapcase", "capitalize"})
_SPLITS = frozenset({"split", "rsplit", "partition", "rpartition"})
_BUILT_IN = frozenset(dir(builtins)) - {"next", "setattr", "delattr"}
_BROAD = frozenset({"Exception", "BaseException"})


@dataclass(frozen=True, slots=True)
class Texts:
    """What a change is judged by."""

    before: ast.Module
    old_constants: frozenset[str]
    test_constants: frozenset[str]
    """Reprs of all constants that the tests write, without the plain ones."""


def constants(tree: ast.AST) -> frozenset[str]:
    """Return the reprs of all constants of a tree."""
    return frozenset(repr(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant))


def _data(change: TreeChange, texts: Texts) -> str:
    """A constant of a table, or one that the module gives a name."""
    if not (_is_constant(change.old) and _is_constant(change.new)):
        return ""
    owner = _owner(change.inside, (ast.Assign, ast.AnnAssign))
    display = any(isinstance(node, _DISPLAYS) for node in change.inside)
    if not isinstance(owner, ast.Assign | ast.AnnAssign) or any(isinstance(n, FunctionNode) for n in change.inside):
        return ""
    where = "a constant in a table" if display else "a constant"
    return f"It changes {where}, {_target(owner)}: {_code(change.old)} becomes {_code(change.new)}."


def _start(change: TreeChange, texts: Texts) -> str:
    """The value at which something starts that is counted later."""
    if not (_is_constant(change.old) and _is_constant(change.new)):
        return ""
    owner = change.inside[-1] if change.inside else None
    if not isinstance(owner, ast.Assign | ast.AnnAssign) or not any(isinstance(n, FunctionNode) for n in change.inside):
        return ""
    target = _target(owner)
    counted = {ast.unparse(node.target) for node in ast.walk(texts.before) if isinstance(node, ast.AugAssign)}
    if target.strip("`") not in counted:
        return ""
    return f"It only starts {target} at {_code(change.new)} instead of {_code(change.old)}."


def _counts(change: TreeChange, texts: Texts) -> str:
    """A count that no longer adds up, or counts by other steps."""
    old, new, owner = change.old, change.new, change.inside[-1] if change.inside else None
    if isinstance(old, ast.AugAssign) and isinstance(new, ast.Assign) and _is_count(old):
        return f"It counts something else: {_code(old)} becomes {_code(new)}."
    if isinstance(old, ast.AugAssign) and isinstance(new, ast.Assign) and _adds_beside(old, owner):
        return f"It only keeps the last one, where the lines beside it add up: {_code(old)} becomes {_code(new)}."
    match old, new:
        case ast.Name(id="sum"), ast.Name(id="len") if isinstance(owner, ast.Call) and owner.func is old:
            return f"It counts where it added up: {_code(owner)}."
    if isinstance(owner, ast.AugAssign) and _is_count(owner) and isinstance(new, ast.operator):
        changed = ast.AugAssign(owner.target, new, owner.value)
        return (
            ""
            if isinstance(new, ast.Add | ast.Sub)
            else f"It counts something else: {_code(owner)} becomes {_code(changed)}."
        )
    if isinstance(owner, ast.AugAssign) and _is_constant(old) and _is_constant(new) and _code(new) != "`1`":
        return f"It counts by {_code(new)} instead of {_code(old)}."
    return ""


def _is_count(node: ast.AugAssign) -> bool:
    return isinstance(node.op, ast.Add | ast.Sub) and _is_constant(node.value)


def _adds_beside(node: ast.AugAssign, owner: ast.AST | None) -> bool:
    """Tell whether a neighbour of a statement adds to another attribute or item of the same object."""
    whole = _whole_of(node.target)
    for block in (getattr(owner, name, None) for name in ("body", "orelse", "finalbody")):
        if isinstance(block, list) and node in block:
            beside = (other for other in block if isinstance(other, ast.AugAssign) and other is not node)
            return bool(whole) and any(_whole_of(other.target) == whole for other in beside)
    return False


def _whole_of(target: ast.expr) -> str:
    """Return of what a target is an attribute or an item: `row` of `row.points`; empty for a variable."""
    return ast.unparse(target.value) if isinstance(target, ast.Attribute | ast.Subscript) else ""


def _early(change: TreeChange, texts: Texts) -> str:
    """A way out before the work that is there."""
    new = change.new
    if change.old is not None or not change.rest or not isinstance(new, ast.If | ast.Return):
        return ""
    if isinstance(new, ast.Return):
        return f"It returns before the work: {_code(new)}."
    if new.orelse or not new.body or not isinstance(new.body[-1], ast.Return) or _is_guard(new.test):
        return ""
    return f"It returns before the work when {_code(new.test)}."


def _narrows(change: TreeChange, texts: Texts) -> str:
    """A comparison that asks for one value where it asked for a range: beyond that value all is answered otherwise."""
    match change:
        case TreeChange(old=ast.cmpop() as old, new=ast.Eq() | ast.NotEq() as new, inside=(*_, ast.Compare())):
            one, other = f"`{_SIGNS[type(new)]}`", f"`{_ORDERS.get(type(old), '')}`"
        case TreeChange(
            old=ast.Compare(ops=[old]) as whole, new=ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()])
        ) if ast.dump(left) != ast.dump(whole):
            one, other = _code(change.new), _code(change.old)
        case _:
            return ""
    return f"It asks for one value where a range was asked for: {one} for {other}." if type(old) in _ORDERS else ""


def _silences(change: TreeChange, texts: Texts) -> str:
    """An exception that nobody hears of any more."""
    for node in _new_nodes(change):
        if isinstance(node, ast.ExceptHandler) and _is_broad(node.type):
            quiet = not any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
            if quiet and not (isinstance(change.old, ast.ExceptHandler) and _is_broad(change.old.type)):
                return "It catches every exception and goes on: a failure would not be seen."
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("suppress", "contextlib.suppress"):
            return f"It silences exceptions: {_code(node)}."
    return ""


def _special(change: TreeChange, texts: Texts) -> str:
    """A comparison with a value that only the tests mention."""
    for node in _new_nodes(change):
        if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn):
            continue
        mentioned = (constants(node) & texts.test_constants) - texts.old_constants
        if mentioned and not (change.old is not None and constants(node) <= constants(change.old)):
            return f"It treats a value of the tests as a case of its own: {_code(node)}."
    return ""


def _always(change: TreeChange, texts: Texts) -> str:
    """A condition that asks nothing any more: a constant, or a value that is compared with itself."""
    old, new, owner = change.old, change.new, change.inside[-1] if change.inside else None
    if isinstance(owner, ast.If | ast.IfExp | ast.While) and owner.test is old and _is_constant(new):
        return (
            "" if _is_constant(old) else f"The condition {_code(old)} becomes {_code(new)}: it asks nothing any more."
        )
    compared = next((node for node in change.inside[-2:] if isinstance(node, ast.Compare)), None)
    match compared, owner:
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()]), ast.Tuple() | ast.List() | ast.Set():
            other = left
        case ast.Compare(left=left, ops=[_], comparators=[right]), ast.Compare():
            other = right if old is left else left
        case _:
            return ""
    return f"It compares {_code(new)}{WITH_ITSELF}" if new is not None and ast.dump(new) == ast.dump(other) else ""


def _itself(change: TreeChange, texts: Texts) -> str:
    """An operation of a value with itself, `left or f(a)` where `left` is `f(a)`; a key whose part orders nothing."""
    operation = next((node for node in reversed(change.inside) if isinstance(node, ast.BoolOp | ast.BinOp)), None)
    function = _owner(change.inside, (ast.FunctionDef, ast.AsyncFunctionDef))
    if nothing := orders_nothing(change):
        return nothing
    if change.old is None or change.new is None:
        return ""
    values = _bound_once(function) if function is not None else {}
    if alone := _chosen_from_itself(change):
        return alone
    if operation is None:
        return ""
    if _has_twins(operation, values):
        return ""
    after = copy.deepcopy(operation, {id(change.old): change.new})
    return f"Both sides of {_code(after)} are the same value." if _has_twins(after, values) else ""


def _chosen_from_itself(change: TreeChange) -> str:
    """`max(-a, a)`: what is chosen from is one value, with another sign or the same."""
    call = next((node for node in reversed(change.inside) if isinstance(node, ast.Call)), None)
    if call is None or change.new is None or _is_of_itself(call):
        return ""
    after = copy.deepcopy(call, {id(change.old): change.new})
    return f"{_code(after)} chooses from one value." if _is_of_itself(after) else ""


def _is_of_itself(call: ast.Call) -> bool:
    match call:
        case ast.Call(func=ast.Name(id="max" | "min"), args=[_, _, *_] as arguments, keywords=[]):
            plain = [one.operand if isinstance(one, ast.UnaryOp) else one for one in arguments]
            return len({ast.dump(one) for one in plain}) == 1
    return False


def _has_twins(operation: ast.BoolOp | ast.BinOp, values: Mapping[str, str]) -> bool:
    """Tell whether two operands are the same and bring nothing so; `x + x` and `x * x` are sums and squares."""
    if isinstance(operation, ast.BoolOp):
        operands = operation.values
    elif isinstance(operation.op, ast.Add | ast.Mult | ast.Pow | ast.LShift | ast.RShift | ast.MatMult):
        return False
    else:
        operands = [operation.left, operation.right]
    meant = [values.get(one.id, one.id) if isinstance(one, ast.Name) else ast.unparse(one) for one in operands]
    return len({*meant}) < len(meant)


def _bound_once(function: ast.AST) -> dict[str, str]:
    """Return the variables of a function that are bound once, and to what; not where that may give something else next.

    A method may change its object, and `next` its iterator.
    """
    names = Counter(
        node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    )
    bound: dict[str, str] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if names[name] == 1 and _gives_the_same(value):
                bound[name] = ast.unparse(value)
    return bound


def _gives_the_same(value: ast.expr) -> bool:
    called = [node.func for node in ast.walk(value) if isinstance(node, ast.Call)]
    return all(isinstance(name, ast.Name) and name.id not in ("next", "input") for name in called)


def _fixed_call(change: TreeChange, texts: Texts) -> str:
    """A call whose answer is always the same, in the place of a number."""
    match change.old, change.new:
        case ast.Constant(value=int() | float()), ast.Call(args=[_, *_] as args, keywords=[]):
            if all(map(_is_constant, args)):
                return f"It puts a call in the place of a number: {_code(change.new)} is always the same."
    return ""


def _constant(change: TreeChange, texts: Texts) -> str:
    """A constant where something was worked out."""
    if not isinstance(change.old, ast.expr) or _is_constant(change.old) or not _is_constant(change.new):
        return ""
    if not any(isinstance(node, ast.Name) for node in ast.walk(change.old)) or _constants_of(change.new) <= PLAIN:
        return ""
    if _makes_call_that_is_there(change, texts.before):
        return ""
    return f"It puts a constant in the place of {_code(change.old)}: {_code(change.new)}."


def _makes_call_that_is_there(change: TreeChange, before: ast.Module) -> bool:
    """Tell whether it makes of a call one that the program has elsewhere, word for word: `ord("a")` of `ord(ch)`."""
    call = change.inside[-1] if change.inside else None
    if not isinstance(call, ast.Call) or not isinstance(change.new, ast.expr):
        return False
    args = [change.new if arg is change.old else arg for arg in call.args]
    made = ast.Call(call.func, args, call.keywords)
    return any(are_same(made, node) for node in ast.walk(before) if isinstance(node, ast.Call))


def _parts_words(node: ast.AST, texts: Texts) -> bool:
    """Tell whether this is a sign that stands in several texts of the tests: `"."` where they write `"a.b"`."""
    match node:
        case ast.Constant(value=str(sign)) if sign and not any(letter.isalnum() for letter in sign):
            return sum(sign in text[1:-1] for text in texts.test_constants if text[:1] in "\"'") > 1
    return False


def _is_there(new: ast.AST | None, before: ast.Module) -> bool:
    """Tell whether the program has this very calculation in another place already."""
    return isinstance(new, ast.BinOp) and any(
        ast.dump(node) == ast.dump(new) for node in ast.walk(before) if isinstance(node, ast.BinOp)
    )


def _number(change: TreeChange, texts: Texts) -> str:
    """An answer that is adjusted by a constant from nowhere, or by 1 where nothing shows it to be a number.

    Not a calculation: that one lacks an operand, as in `(a + b) / 2`, is among the commonest slips; but one of which
    the rest is taken by a number that the program does not have.
    """
    old, new = change.old, change.new
    if limit := _moved_limit(change, texts):
        return limit
    if not isinstance(old, ast.expr) or _is_constant(old) or _is_there(new, texts.before):
        return ""
    if isinstance(old, ast.BinOp):
        match new:
            case ast.BinOp(op=ast.Mod(), right=ast.Constant(value=int() as by) as constant) if by > 2:
                if constants(constant).isdisjoint(texts.old_constants):
                    return f"It takes the rest by a number that nothing explains: {_code(new)}."
        return ""
    match new:
        case ast.BinOp(left=left, right=right):
            sides = [left, right]
        case ast.BoolOp(op=ast.Or(), values=values):
            sides = values
        case _:
            return ""
    others = [side for side in sides if ast.dump(side) != ast.dump(old)]
    if len(others) != len(sides) - 1 or not all(map(_is_constant, others)):
        return ""
    if all(_parts_words(side, texts) for side in others):
        return ""
    if isinstance(new, ast.BinOp) and isinstance(new.op, ast.Add | ast.Sub) and _code(others[0]) == "`1`":
        function = _owner(change.inside, (ast.FunctionDef, ast.AsyncFunctionDef))
        if not isinstance(old, ast.Name) or function is None or counts(old.id, function):
            return ""
        return f"It adds to {_code(old)} or takes from it, and nothing shows that to be a number: {_code(new)}."
    return f"It adjusts {_code(old)} by a constant that nothing explains: {_code(new)}."


def _moved_limit(change: TreeChange, texts: Texts) -> str:
    """A limit that becomes another number, which no text of the program names: not one by one step."""
    match change.old, change.new, change.inside[-1] if change.inside else None:
        case ast.Constant(value=int() | float() as then), ast.Constant(
            value=int() | float() as now
        ), ast.Compare() as of:
            far = abs(now - then) > 1 and not {then, now} & {0, 1, -1}
        case _:
            return ""
    if not far or not all(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in of.ops):
        return ""
    function = _owner(change.inside, (ast.FunctionDef, ast.AsyncFunctionDef))
    if function is not None and repr(now) in constants(function):
        return ""
    said = (node.value for node in ast.walk(texts.before) if isinstance(node, ast.Constant))
    if any(str(now) in _NUMBER.findall(text) for text in said if isinstance(text, str)):
        return ""
    return f"It moves a limit from {then} to {now}, and nothing beside it says so."


def _whole(change: TreeChange, texts: Texts) -> str:
    """Letters of a whole text are changed of which several parts are taken."""
    function = _owner(change.inside, (ast.FunctionDef, ast.AsyncFunctionDef))
    new = change.new.value if isinstance(change.new, ast.Assign) and change.old is None else change.new
    text = _relettered(new)
    if function is None or text is None or (change.old is not None and ast.dump(text) != ast.dump(change.old)):
        return ""
    used = {node.id for node in ast.walk(text) if isinstance(node, ast.Name)}
    statement = next((node for node in (change.new, *reversed(change.inside)) if isinstance(node, ast.stmt)), None)
    if isinstance(statement, ast.Assign):
        used |= {target.id for target in statement.targets if isinstance(target, ast.Name)}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=[_, _, *_])], value=value) if _is_cut_from(value, used):
                return f"It changes the letters of all that is cut out of the text: {_code(new)}."
    return ""


def _unsaid(change: TreeChange, texts: Texts) -> str:
    """A text goes that a docstring names, and one comes that it does not."""
    match change.old, change.new:
        case ast.Constant(value=str(then)), ast.Constant(value=str(now)) if then.strip() and now.strip():
            pass
        case _:
            return ""
    values = (node.value for node in ast.walk(texts.before) if isinstance(node, ast.Constant))
    said = [value for value in values if isinstance(value, str) and len(value.split()) > _FEW_WORDS]
    if not any(_names(text, then) for text in said) or any(_names(text, now) for text in said):
        return ""
    return f"It takes {_code(change.old)} away, which a docstring names."


def _names(text: str, word: str) -> bool:
    """Tell whether a text names a word as one of its own."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _half(change: TreeChange, texts: Texts) -> str:
    """A value is changed in one of several comparisons that ask the same value in the same way."""
    function = _owner(change.inside, (ast.FunctionDef, ast.AsyncFunctionDef))
    own = next((node for node in reversed(change.inside) if isinstance(node, ast.Compare)), None)
    if not isinstance(change.old, ast.Name | ast.Attribute) or function is None or own is None:
        return ""
    if own.left is not change.old or not isinstance(change.new, ast.Call) or not _asks_constants(own):
        return ""
    same = ast.dump(change.old)
    others = [
        node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.Compare) and node is not own and ast.dump(node.left) == same and _asks_constants(node)
    ]
    if not others or not any(ast.dump(node) == same for node in ast.walk(change.new)):
        return ""
    return f"It changes {_code(change.old)} here, and not where line {others[0]} asks the same of it."


def _asks_constants(compare: ast.Compare) -> bool:
    """Tell whether a comparison is with constants, or a display of them."""
    sides = [part for side in compare.comparators for part in (getattr(side, "elts", None) or [side])]
    return isinstance(compare.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn) and all(map(_is_constant, sides))


def _relettered(new: ast.AST | None) -> ast.expr | None:
    """Return the text, or texts, of which the letters are changed: `line.lower()`, `[one.lower() for one in parts]`."""
    match new:
        case ast.Call(func=ast.Attribute(value=text, attr=name), args=[]) if name in _LETTERS:
            return text
        case ast.ListComp(
            elt=ast.Call(func=ast.Attribute(attr=name), args=[]), generators=[ast.comprehension(iter=it)]
        ):
            return it if name in _LETTERS else None
    return None


def _is_cut_from(value: ast.expr, names: Collection[str]) -> bool:
    """Tell whether a value is a text of one of these names, split: `line.split(" ", 2)`."""
    match value:
        case ast.Call(func=ast.Attribute(value=text, attr=name)) if name in _SPLITS:
            return any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(text))
    return False


def _deletes(change: TreeChange, texts: Texts) -> str:
    """Work that is not done any more: a statement that goes, or what a call was told to do: `key=to_number`."""
    old = change.old
    if change.new is None and isinstance(old, ast.keyword) and not _is_constant(old.value):
        return f"It deletes work: {_code(old)}."
    if change.new is None and isinstance(old, ast.expr) and _owner(change.inside[-2:], (ast.Lambda,)):
        return f"It deletes work: {_code(old)} orders nothing any more."
    if change.new is not None or not isinstance(old, ast.stmt) or isinstance(old, ast.Pass | ast.Import | ast.Return):
        return ""
    return f"It deletes work: {_code(old)}."


def _lets_in(change: TreeChange, texts: Texts) -> str:
    """What was refused is let in: a `raise` goes, and nothing comes in its place."""
    if isinstance(change.old, ast.Raise) and (change.new is None or isinstance(change.new, ast.Pass)):
        return f"It lets in what was refused: {_code(change.old)} goes."
    return ""


def _skips(change: TreeChange, texts: Texts) -> str:
    """A loop leaves out the first or the last of what it goes through, or a function of what it is given."""
    match change.new:
        case ast.Subscript(value=value, slice=ast.Slice() as part) if change.old is not None:
            bounds = [bound for bound in (part.lower, part.upper) if bound is not None]
            if not bounds or not all(map(_is_constant, bounds)) or ast.dump(value) != ast.dump(change.old):
                return ""
        case _:
            return ""
    loop = change.inside[-1] if change.inside else None
    function = _owner(change.inside, (ast.FunctionDef, ast.AsyncFunctionDef))
    given = function.args if isinstance(function, FunctionNode) else None
    is_given = given is not None and isinstance(value, ast.Name) and value.id in {one.arg for one in given.args}
    if is_given or (isinstance(loop, ast.For | ast.comprehension) and loop.iter is change.old):
        return f"It leaves out some of {_code(change.old)} by their places: {_code(change.new)}."
    return ""


def _by_text(change: TreeChange, texts: Texts) -> str:
    """What is sorted comes in the order of its text."""
    for node in _new_nodes(change):
        if isinstance(node, ast.keyword) and node.arg == "key":
            value = node.value.body if isinstance(node.value, ast.Lambda) else node.value
            value = value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value
            called = value.func if isinstance(value, ast.Call) else value
            if isinstance(called, ast.Name) and called.id in ("str", "repr"):
                return "It sorts by the text of each value: of numbers 12 comes before 4."
    return ""


def _acts(change: TreeChange, texts: Texts) -> str:
    """A condition that changes something as it asks, or a method that only worked something out and now sets back."""
    return acting_condition(change, texts.before) or _resets_where_it_asks(change)


def _is_empty_display(value: ast.expr) -> bool:
    return isinstance(value, _DISPLAYS) and not [*ast.iter_child_nodes(value)][1:]


def _resets_where_it_asks(change: TreeChange) -> str:
    method = _owner(change.inside, (ast.FunctionDef,))
    match change.new:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=own)) as target], value=value) if change.old is None:
            plain = _is_constant(value) or _is_empty_display(value)
        case _:
            return ""
    if not isinstance(method, ast.FunctionDef) or not method.args.args or method.args.args[0].arg != own or not plain:
        return ""
    gives = any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(method))
    holder = _owner(change.inside, (ast.ClassDef,))
    body = holder.body if isinstance(holder, ast.ClassDef) else []
    methods = {one.name: one for one in body if isinstance(one, ast.FunctionDef)}
    if not gives or _changes_own(method, own, methods, set()):
        return ""
    return f"It sets `{ast.unparse(target)}` in `{method.name}`, which only works something out."


def _changes_own(method: ast.FunctionDef, own: str, methods: Mapping[str, ast.FunctionDef], seen: set[str]) -> bool:
    """Tell whether a method may change its object, or something that it holds: itself, or by what it calls."""
    seen.add(method.name)
    for node in ast.walk(method):
        match node:
            case ast.Attribute() | ast.Subscript() if not isinstance(node.ctx, ast.Load):
                return True
            case ast.Call(func=ast.Attribute(value=ast.Name(id=holder), attr=name)) if (
                holder == own and name in methods
            ):
                if name not in seen and _changes_own(methods[name], own, methods, seen):
                    return True
            case ast.Call(func=ast.Attribute(value=holder, attr=name)) if name in MUTATORS and _holds(holder, own):
                return True
            case ast.Call(func=func, args=arguments) if any(_is_held(one, own) for one in arguments):
                if not (isinstance(func, ast.Name) and func.id in _BUILT_IN):
                    return True
    return False


def _holds(node: ast.AST, own: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == own for one in ast.walk(node))


def _is_held(node: ast.AST, own: str) -> bool:
    """Tell whether something is the object itself or what it holds: a function that is given it may change it."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return isinstance(node, ast.Name) and node.id == own


def _is_constant(node: ast.AST | None) -> bool:
    match node:
        case ast.Constant() | ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
    return False


def _constants_of(node: ast.AST | None) -> frozenset[str]:
    return constants(node) if node is not None else frozenset()


def _new_nodes(change: TreeChange) -> Iterator[ast.AST]:
    return ast.walk(change.new) if change.new is not None else iter(())


def _owner(inside: tuple[ast.AST, ...], kinds: tuple[type[ast.AST], ...]) -> ast.AST | None:
    return next((node for node in reversed(inside) if isinstance(node, kinds)), None)


def _target(owner: ast.Assign | ast.AnnAssign) -> str:
    return _code(owner.targets[0] if isinstance(owner, ast.Assign) else owner.target)


def _is_guard(test: ast.expr) -> bool:
    """Tell whether a condition asks for the end of a range only, or for nothing at all: `not xs`, `n <= 0`.

    `if xs:` does not: nearly everything is something.
    """
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return isinstance(operand, ast.Name | ast.Attribute | ast.Call)
        case ast.Compare(left=ast.Name() | ast.Attribute() | ast.Call(), comparators=[right]):
            return constants(right) <= PLAIN and not any(isinstance(node, ast.Name) for node in ast.walk(right))
        case ast.BoolOp(values=values):
            return all(map(_is_guard, values))
    return False


def _is_broad(kind: ast.expr | None) -> bool:
    return kind is None or any(isinstance(node, ast.Name) and node.id in _BROAD for node in ast.walk(kind))


def _code(node: ast.AST | None) -> str:
    return f"`{one_line(ast.unparse(node), _SHOWN)}`" if node is not None else ""


def _equality(change: TreeChange, texts: Texts) -> str:
    """When two objects are equal: what a test compares is judged by it."""
    method = _owner(change.inside, (ast.FunctionDef,))
    if not isinstance(method, ast.FunctionDef) or method.name not in ("__eq__", "__ne__"):
        return ""
    owner = _owner(change.inside, (ast.ClassDef,))
    of = f" of {owner.name}" if isinstance(owner, ast.ClassDef) else ""
    return f"It changes `{method.name}`{of}, by which the tests compare such objects."


def _is_measured_by(value: ast.expr, target: ast.expr, method: ast.FunctionDef) -> bool:
    """Tell whether a method looks how far a value is from an attribute, `now - self.updated`: then it is a state."""
    both = {ast.unparse(value), ast.unparse(target)}
    return any(
        isinstance(node, ast.BinOp) and {ast.unparse(node.left), ast.unparse(node.right)} == both
        for node in ast.walk(method)
    )


def _overwrites(change: TreeChange, texts: Texts) -> str:
    """What whoever makes an object chose is set anew elsewhere: `self.size = value` where only `__init__` sets it. Or
    an entry that may be there is made empty: `groups[key] = []` for `groups.setdefault(key, [])`."""
    match change.old, change.new:
        case (
            ast.Expr(value=ast.Call(func=ast.Attribute(attr="setdefault"))),
            ast.Assign(targets=[ast.Subscript() as entry], value=value),
        ) if _is_empty_display(value):
            return f"It throws away what {_code(entry)} holds already."
    match change.new:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=own), attr=name) as target]) if change.old is None:
            owner, method = _owner(change.inside, (ast.ClassDef,)), _owner(change.inside, (ast.FunctionDef,))
        case _:
            return ""
    if not isinstance(owner, ast.ClassDef) or not isinstance(method, ast.FunctionDef) or method.name == "__init__":
        return ""
    made = next((one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
    given = {one.arg for one in [*made.args.args, *made.args.kwonlyargs]} if made is not None else set()
    setting = [
        (function, node)
        for function in owner.body
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign | ast.AugAssign)
        for at in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(at, ast.Attribute) and isinstance(at.value, ast.Name) and (at.value.id, at.attr) == (own, name)
    ]
    chosen = [node for function, node in setting if function is made and isinstance(node.value, ast.Name)]
    if len(setting) != 1 or not chosen or not isinstance(chosen[0].value, ast.Name) or chosen[0].value.id not in given:
        return ""
    if _is_measured_by(change.new.value, target, method):
        return ""
    return f"It overwrites `{ast.unparse(target)}`, which only `__init__` sets, as it is told."


def _takes_back(change: TreeChange, texts: Texts) -> str:
    """A counter that another method moves is moved back: `self.hits -= 1` in `put` for `self.hits += 1` in `get`."""
    match change.old, change.new:
        case None, ast.AugAssign(
            target=ast.Attribute() as target, op=ast.Add() | ast.Sub(), value=ast.Constant()
        ) as new:
            owner, own = _owner(change.inside, (ast.ClassDef,)), _owner(change.inside, (ast.FunctionDef,))
        case _:
            return ""
    back = ast.AugAssign(target, ast.Sub() if isinstance(new.op, ast.Add) else ast.Add(), new.value)
    methods = [one for one in getattr(owner, "body", ()) if isinstance(one, ast.FunctionDef)]
    moving = [one for one in methods if any(are_same(back, node) for node in ast.walk(one))]
    if not moving or own in moving:
        return ""
    return f"It takes back what `{moving[0].name}` counts: {_code(new)}."


CHANGE_KINDS: Mapping[str, Callable[[TreeChange, Texts], str]] = {
    "data": _data,
    "start": _start,
    "counts": _counts,
    "early": _early,
    "narrows": _narrows,
    "silences": _silences,
    "special": _special,
    "always": _always,
    "itself": _itself,
    "constant": _constant,
    "fixed_call": _fixed_call,
    "number": _number,
    "deletes": _deletes,
    "acts": _acts,
    "mutates": lambda change, texts: mutated_argument(change),
    "equality": _equality,
    "overwrites": _overwrites,
    "whole": _whole,
    "half": _half,
    "unsaid": _unsaid,
    "lets_in": _lets_in,
    "skips": _skips,
    "by_text": _by_text,
    "takes_back": _takes_back,
    "readings": lambda change, texts: adds_reading(change),
}
"""Kind -> what says it of a change; empty where the change does not show it."""
