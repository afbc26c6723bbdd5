"""Examine one program: types and values of its expressions, locals at its returns, loop rounds of each case.

Every expression that is read is compiled as `__see__(number, it)`, every returned one as `__back__(...)`; names are
the builtins' and end so that no class mangles them. Sends `places` (what each number stands for), `case` for each
case, `seen` at the end.
"""

from __future__ import annotations

import ast
import builtins
import signal
import sys
from collections.abc import Mapping, Sequence
from types import CodeType
from typing import Any

from ..report import Reporter
from .cases import Cases
from .shelf import Shelf

_SEE, _BACK = "__see__", "__back__"
_MOST_SEEN, _THEN = 100_000, 10_000
"""Observations of one case, a long one would take seconds; of each after one that made as many."""
_TYPES, _VALUES, _SHORT = 4, 8, 80
_MOST_LOCAL, _MOST_LOCALS = 300, 12
_PLAIN = (int, float, str, bool, type(None))
_FIXED = (ast.Starred, ast.Slice, ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr, ast.JoinedStr, ast.FormattedValue)


class TooMuch(BaseException):
    """A case made more observations than are kept."""


class Examination:
    """Runs the cases of a program twice: instrumented, and with its loops counted."""

    def __init__(self, reporter: Reporter, job: Mapping[str, Any], shelf: Shelf) -> None:
        self._reporter = reporter
        self._shelf = shelf
        self._cases: Cases
        self._seconds: float = job["variant_time_s"]
        self._tests: frozenset[str] = frozenset()
        self._places: list[tuple[str, tuple[int, int, int, int]]] = []
        self._types: dict[int, set[str]] = {}
        self._values: dict[int, dict[Any, int]] = {}
        self._seen: set[int] = set()
        self._most = _MOST_SEEN
        self._left = sys.maxsize
        """Observations that this case may still make; importing may make any number."""
        self._is_imported = False
        self._returns: list[Any] = []

    def before_collection(self) -> None:
        """Let the suite import the instrumented program, so that what it makes of it on import is instrumented too.

        A parameter that is an object of the program's would have another class than the one imported anew.
        """
        self._import_instrumented()
        self._is_imported = True

    def _import_instrumented(self) -> None:
        vars(builtins)[_SEE], vars(builtins)[_BACK] = self._see, self._back
        self._shelf.put({}, self._prepare)

    def run(self, cases: Cases) -> None:
        """Run the cases and send the observations."""
        self._cases, self._tests = cases, cases.files
        signal.signal(signal.SIGALRM, self._shelf.on_alarm)
        runnable: Sequence[str] = ()
        try:
            if not self._is_imported:
                self._import_instrumented()
                self._shelf.start_clock(self._seconds)
                self._cases.load()
            runnable = self._cases.ids
            self._cases.prepare(runnable)
        except BaseException:  # foreign code: it cannot be imported
            pass
        always = set(self._seen)
        observations: dict[str, tuple[list[int], list[Any]]] = {}
        for case in runnable:
            self._seen, self._left, self._returns = set(always), self._most, []
            self._call(case)
            observations[case] = sorted(self._seen), self._returns
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._shelf.clear({})
        rounds = self._rounds()
        for case, (seen, returns) in observations.items():
            self._reporter.send("examined", id=case, rounds=rounds.get(case, 0), seen=seen, returns=returns)
        values = {n: [v for v, _ in sorted(counts.items(), key=lambda i: -i[1])] for n, counts in self._values.items()}
        types = {number: sorted(names) for number, names in self._types.items()}
        self._reporter.send("seen", places=self._places, types=types, values=values)

    def _rounds(self) -> dict[str, int]:
        """Return how many loop rounds each case takes, as far as the fuel goes."""
        rounds: dict[str, int] = {}
        try:
            self._shelf.put({})
            self._shelf.start_clock(self._seconds)
            self._cases.load(whole=True)
            for case in self._cases.ids:
                self._call(case)
                rounds[case] = self._shelf.tank.used
            signal.setitimer(signal.ITIMER_REAL, 0)
        except BaseException:  # foreign code: it cannot be imported
            signal.setitimer(signal.ITIMER_REAL, 0)
        self._shelf.clear({})
        return rounds

    def _call(self, case: str) -> None:
        self._shelf.start_clock(self._seconds)
        try:
            self._cases.call(case)
        except BaseException:  # foreign code: how it ends is not asked here
            pass

    def _prepare(self, path: str, text: str) -> CodeType:
        tree = _Eyes(path, self._places).visit(ast.parse(text))
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)

    def _see(self, number: int, value: Any) -> Any:
        self._left -= 1
        if self._left < 0:
            self._most = _THEN
            raise TooMuch
        self._seen.add(number)
        types = self._types.setdefault(number, set())
        if len(types) < _TYPES:
            types.add(type(value).__name__)
        if type(value) is int or type(value) is str:
            counts = self._values.setdefault(number, {})
            if value in counts:
                counts[value] += 1
            elif len(counts) < _VALUES and (len(value) < _SHORT if isinstance(value, str) else abs(value) < 10**9):
                counts[value] = 1
        return value

    def _back(self, line: int, path: str, local: Mapping[str, Any], value: Any) -> Any:
        frame = sys._getframe(1).f_back
        if frame is not None and frame.f_code.co_filename in self._tests and len(self._returns) < 4:
            literals = {name: literal_of(value) for name, value in list(local.items())[:_MOST_LOCALS]}
            self._returns.append([path, line, {name: text for name, text in literals.items() if text}])
        return value


class _Eyes(ast.NodeTransformer):
    """Wraps each expression that is read in a call; annotations, patterns and called functions stay as they are."""

    def __init__(self, path: str, places: list[tuple[str, tuple[int, int, int, int]]]) -> None:
        self._path = path
        self._places = places

    def visit_FunctionDef(self, node: Any) -> Any:
        """Leave decorators and annotations."""
        node.body = [self.visit(statement) for statement in node.body]
        node.args.defaults = [self.visit(default) for default in node.args.defaults]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """Leave docstrings: an import from the future may follow one, not a call."""
        return node if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """Note the locals with what is returned."""
        if node.value is None:
            return node
        local = ast.Call(ast.Name("locals", ast.Load()), [], [])
        words = [ast.Constant(node.lineno), ast.Constant(self._path), local, self.visit(node.value)]
        node.value = ast.Call(ast.Name(_BACK, ast.Load()), words, [])
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """See the receiver of a method, the arguments and the result, not the function."""
        number = self._number(node)
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        elif not isinstance(node.func, ast.Name):
            node.func = self.visit(node.func)
        if isinstance(node.func, ast.Name) and node.func.id in ("super", "locals"):
            return node
        node.args = [self.visit(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        return self._call(number, node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Leave the annotation."""
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Leave f-strings: before Python 3.12 the columns in them are wrong."""
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        """Leave patterns."""
        node.subject = self.visit(node.subject)
        for case in node.cases:
            case.body = [self.visit(statement) for statement in case.body]
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """See every other expression that is read."""
        if not isinstance(node, ast.expr):
            return super().generic_visit(node)
        number = self._number(node)
        super().generic_visit(node)
        if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del) or isinstance(node, _FIXED):
            return node
        if isinstance(node, ast.Tuple) and any(isinstance(part, ast.Slice | ast.Starred) for part in node.elts):
            return node
        return self._call(number, node)

    def _number(self, node: ast.expr) -> int:
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        self._places.append((self._path, (node.lineno, node.col_offset, end_line, end_column)))
        return len(self._places) - 1

    def _call(self, number: int, node: ast.expr) -> ast.AST:
        return ast.copy_location(ast.Call(ast.Name(_SEE, ast.Load()), [ast.Constant(number), node], []), node)


def literal_of(value: Any) -> str:
    """Return the repr of a small value made of plain ones, else nothing."""
    if not _is_plain(value, 3):
        return ""
    text = repr(value)
    return text if len(text) <= _MOST_LOCAL else ""


def _is_plain(value: Any, depth: int) -> bool:
    if type(value) in _PLAIN:
        return True
    if depth and type(value) in (list, tuple, set) and len(value) <= 60:
        return all(_is_plain(part, depth - 1) for part in value)
    if depth and type(value) is dict and len(value) <= 60:
        return all(_is_plain(key, 0) and _is_plain(part, depth - 1) for key, part in value.items())
    return False
