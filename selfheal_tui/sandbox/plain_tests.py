"""Tests written as a plain script, `assert f(1) == 2` or a `check(candidate)`, as a pytest file with a case for each.

HumanEval and MBPP write tests like this. Run as they are, the first that fails would hide all others.
"""

from __future__ import annotations

import ast

from selfheal_tui.python_source import parse_python

_DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)


def is_script(text: str) -> bool:
    """Tell whether a test file has statements that check something, and nothing that pytest would collect."""
    try:
        body = parse_python(text).body
    except SyntaxError:
        return False
    names = [node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    if _calls_tests(body):
        return True
    checks = any(isinstance(node, ast.Assert) or _called(node) in names or _asserts_inside(node) for node in body)
    return checks and not any(name.startswith(("test", "Test")) for name in names)


def as_pytest(text: str) -> str:
    """Return a pytest file with one case for each assertion, in order; the text itself when it is no script.

    Definitions stay at the top. An assertion among statements that only prepare it would lose them, so a script
    with any other statement becomes one case.
    """
    if not is_script(text):
        return text
    tree = parse_python(text)
    if called := _calls_tests(tree.body):
        return _with_called_only(tree, called)
    checks = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    top: list[ast.stmt] = []
    cases: list[list[ast.stmt]] = []
    for node in tree.body:
        if isinstance(node, ast.Assert):
            cases.append([node])
        elif (name := _called(node)) in checks:
            cases += _cases_of(checks[name], node)
        elif isinstance(node, _DEFINITIONS) or _is_text(node):
            top.append(node)
        else:
            top = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef)]
            cases = [[n for n in tree.body if n not in top]]
            break
    functions = [_function(f"test_{number}", body) for number, body in enumerate(cases, 1)]
    return ast.unparse(ast.fix_missing_locations(ast.Module([*top, *functions], []))) + "\n"


def _calls_tests(body: list[ast.stmt]) -> list[str]:
    """Return the test functions that a script of functions calls itself, one line each; pytest would collect all."""
    tests = [n.name for n in body if isinstance(n, ast.FunctionDef) and n.name.startswith("test") and not n.args.args]
    calls = [node for node in body if not isinstance(node, _DEFINITIONS) and not _is_text(node)]
    plain = all(isinstance(node, ast.Expr) and _is_bare_call(node.value) and _called(node) in tests for node in calls)
    return [_called(node) for node in calls] if plain else []


def _is_bare_call(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and not node.args and not node.keywords


def _with_called_only(tree: ast.Module, called: list[str]) -> str:
    """Return the functions that are called as cases; the others keep out of pytest's sight under another name."""
    body = [node for node in tree.body if isinstance(node, _DEFINITIONS) or _is_text(node)]
    hidden = {n.name for n in body if isinstance(n, ast.FunctionDef) and n.name.startswith("test")} - set(called)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name in hidden:
            node.name = f"_{node.name}"
        elif isinstance(node, ast.Name) and node.id in hidden:
            node.id = f"_{node.id}"
    return ast.unparse(ast.fix_missing_locations(ast.Module(body, []))) + "\n"


def _cases_of(check: ast.FunctionDef, call: ast.stmt) -> list[list[ast.stmt]]:
    """Split `check(f)` into a case for each assertion when its body holds nothing else, else keep the call."""
    body = [node for node in check.body if not _is_text(node)]
    arguments = check.args
    plain = len(arguments.args) == 1 and not (arguments.vararg or arguments.kwarg or arguments.kwonlyargs)
    if not plain or not all(isinstance(node, ast.Assert) for node in body):
        return [[call]]
    assert isinstance(call, ast.Expr) and isinstance(call.value, ast.Call)
    parameter, values = arguments.args[0].arg, call.value.args
    if len(values) != 1:
        return [[call]]
    if isinstance(values[0], ast.Name) and values[0].id == parameter:
        return [[node] for node in body]
    bind = ast.Assign([ast.Name(parameter, ast.Store())], values[0])
    return [[bind, node] for node in body]


def _called(node: ast.stmt) -> str:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
            return name
    return ""


def _asserts_inside(node: ast.stmt) -> bool:
    """Tell whether a statement that always runs holds an assertion; `if` may be the guard of a main program."""
    always = isinstance(node, ast.For | ast.While | ast.With | ast.Try)
    return always and any(isinstance(inner, ast.Assert) for inner in ast.walk(node))


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _function(name: str, body: list[ast.stmt]) -> ast.FunctionDef:
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.FunctionDef(name=name, args=nothing, body=body, decorator_list=[], lineno=1)
