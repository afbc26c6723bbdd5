"""Lines of test files that put a folder on `sys.path`, and what else of `os` and `sys` is the same in each process.

Nearly every project without settings has them in its conftest.py. Example: `sys.path.insert(0, os.path.dirname(HERE))`
after `HERE = os.path.dirname(__file__)` names the folder above that of the file.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

_PURE_OF_PATH = frozenset(
    {"abspath", "basename", "commonpath", "dirname", "join", "normpath", "realpath", "split", "splitext"}
    | {"curdir", "pardir", "sep"}
)
_PURE = {
    "os": frozenset({"curdir", "fspath", "getcwd", "linesep", "name", "pardir", "sep"}),
    "sys": frozenset({"byteorder", "float_info", "implementation", "maxsize", "platform", "version", "version_info"}),
}
"""What two processes on one machine have alike."""
_SAME = frozenset({"abspath", "realpath", "normpath", "fspath", "str", "Path", "PurePath", "resolve", "absolute"})
"""Functions and methods that give the place that they get."""

_Place = tuple[str, ...]
"""A path below the work folder, by its parts."""


def folders_added(path: str, text: str) -> tuple[str, ...]:
    """Return the folders below the work folder that a file's top level puts on `sys.path`; "" is the work folder."""
    return _read(path, text)[0] if "sys.path" in text else ()


def alike_in_all(path: str, text: str) -> frozenset[str]:
    """Return which of `os`, `os.path` and `sys` a file uses for nothing that differs from process to process."""
    return _read(path, text)[1]


@functools.lru_cache(maxsize=512)
def _read(path: str, text: str) -> tuple[tuple[str, ...], frozenset[str]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return (), frozenset()
    places = _Places(path, tree)
    folders: dict[str, None] = {}
    understood: set[int] = set()
    for node in _top_level(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(), attr="insert" | "append") as method, args=[*_, where]
            ):
                place = places.of(where)
                if _name(method.value) == "sys.path" and place is not None:
                    folders["/".join(place)] = None
                    understood.add(id(method.value))
            case ast.Compare(comparators=comparators):
                understood |= {id(one) for one in comparators if _name(one) == "sys.path"}
    return tuple(folders), frozenset(_alike(tree, understood))


def _alike(tree: ast.Module, understood: set[int]) -> Iterator[str]:
    above = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    bound = {"os": False, "sys": False}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in bound:
            owner = above[id(node)]
            bound[node.id] |= not (isinstance(owner, ast.Attribute) and _is_alike(owner, above, understood))
        elif isinstance(node, ast.alias) and node.asname is not None:
            bound |= {module: True for module in bound if node.name.partition(".")[0] == module}
    yield from (module for module, is_bound in bound.items() if not is_bound)
    names = [
        n for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for n in node.names if node.module == "os.path"
    ]
    if all(one.name in _PURE_OF_PATH for one in names) and not bound["os"]:
        yield "os.path"


def _is_alike(owner: ast.Attribute, above: dict[int, ast.AST], understood: set[int]) -> bool:
    """Tell whether an attribute of `os` or `sys` says the same in each process."""
    if not isinstance(owner.ctx, ast.Load):
        return False
    name = _name(owner)
    if name == "os.path":
        further = above[id(owner)]
        return isinstance(further, ast.Attribute) and further.attr in _PURE_OF_PATH
    module, _, attribute = name.partition(".")
    return id(owner) in understood or attribute in _PURE[module]


def _top_level(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield what runs when a file is imported, conditions and loops included."""
    pending: list[ast.AST] = list(reversed(tree.body))
    while pending:
        node = pending.pop()
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield node
            pending += reversed(list(ast.iter_child_nodes(node)))


def _name(node: ast.AST) -> str:
    """Return a dotted name as text; empty for what is none."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr) if name := _name(value):
            return f"{name}.{attr}"
    return ""


class _Places:
    """Places that expressions of a file name."""

    def __init__(self, path: str, tree: ast.Module) -> None:
        self._names: dict[str, _Place | None] = {"__file__": tuple(path.split("/"))}
        for node in _top_level(tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                self._names[name] = None if name in self._names else self.of(node.value)

    def of(self, node: ast.AST) -> _Place | None:
        """Return the place; None for one outside of the work folder and for what is not understood."""
        match node:
            case ast.Name(id=name):
                return self._names.get(name)
            case ast.Constant(value=str(text)):
                return _joined((), text)
            case ast.Attribute(value=value, attr="parent"):
                return _above(self.of(value))
            case ast.Subscript(value=ast.Attribute(value=value, attr="parents"), slice=ast.Constant(value=int(count))):
                place = self.of(value)
                for _ in range(count + 1):
                    place = _above(place)
                return place
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return _joined(self.of(left), _part(right))
            case ast.Call(func=function, args=args, keywords=[]):
                return self._of_call(function, args)
        return None

    def _of_call(self, function: ast.expr, args: list[ast.expr]) -> _Place | None:
        name = _name(function).rpartition(".")[2]
        match name or (function.attr if isinstance(function, ast.Attribute) else ""), args:
            case "getcwd" | "cwd", []:
                return ()
            case "dirname", [one]:
                return _above(self.of(one))
            case "join" | "Path", [first, *parts] if name:
                place = self.of(first)
                for part in parts:
                    place = _joined(place, _part(part))
                return place
            case str(same), [one] if same in _SAME:
                return self.of(one)
            case "resolve" | "absolute" | "as_posix", [] if isinstance(function, ast.Attribute):
                return self.of(function.value)
        return None


def _part(node: ast.AST) -> str | None:
    """Return the text of a part of a path."""
    match node:
        case ast.Constant(value=str(text)):
            return text
    return {"pardir": "..", "curdir": "."}.get(_name(node).rpartition(".")[2])


def _above(place: _Place | None) -> _Place | None:
    return place[:-1] if place else None


def _joined(place: _Place | None, text: str | None) -> _Place | None:
    if place is None or text is None or text.startswith("/"):
        return None
    for part in text.split("/"):
        if part == "..":
            place = _above(place)
            if place is None:
                return None
        elif part not in ("", "."):
            place = (*place, part)
    return place
