"""Per-case coverage: what probes say against what `sys.settrace` says, and that the program cannot tell."""

from __future__ import annotations

import ast
import doctest
import importlib
import importlib.util
import inspect
import linecache
import os
import runpy
import sys
import threading
import traceback
from collections.abc import Callable, Coroutine, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfheal_tui.sandbox.inside.coverage import MONITORING, Coverage
from selfheal_tui.sandbox.inside.probes import probe
from tests.examples import examples

FILE = "/work/prog.py"

# -- probes against settrace: same statements, same outcome


def traced(code: CodeType) -> tuple[set[int], dict[str, Any]]:
    lines: set[int] = set()

    def on_event(frame: FrameType, event: str, arg: object) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != FILE:
            return None
        if event == "line":
            lines.add(frame.f_lineno)
        return on_event

    before = sys.gettrace()
    sys.settrace(on_event)
    try:
        outcome = run(code)
    finally:
        sys.settrace(before)
    return lines, outcome


def run(code: CodeType) -> dict[str, Any]:
    """Return what a program can see of itself: its names, their texts, its traceback."""
    names: dict[str, Any] = {"__name__": "prog", "__file__": FILE}
    try:
        exec(code, names)
        error = ""
    except Exception:
        error = traceback.format_exc().partition(FILE)[2]
    classes = {name: sorted(vars(value)) for name, value in names.items() if isinstance(value, type)}
    plain = {name: value for name, value in names.items() if isinstance(value, int | str | list | tuple)}
    return {"error": error, "names": list(names), "classes": classes, "values": plain, "doc": names.get("__doc__")}


def statements(source: str, lines: set[int]) -> set[int]:
    """Return the first lines of the statements that the lines belong to; of what only compiles, nothing."""
    owner: dict[int, int] = {}
    silent: set[int] = set()
    for node in ast.walk(ast.parse(source)):  # outer before inner, so the innermost statement stays
        if isinstance(node, ast.stmt):
            first = min([node.lineno, *(part.lineno for part in getattr(node, "decorator_list", ()))])
            owner.update(dict.fromkeys(range(first, (node.end_lineno or 0) + 1), node.lineno))
            constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if constant or (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
                silent.add(node.lineno)
    return {owner[line] for line in lines if line in owner} - silent


def compare(source: str) -> set[int]:
    """Return the lines that the probes of a source report, after everything else agreed."""
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    plain = compile(source, FILE, "exec", dont_inherit=True)
    probed = probe(source.encode(), FILE)
    seen, _ = traced(plain)
    assert run(probed.code) == run(plain)
    found = probed.take()
    assert statements(source, found) == statements(source, seen), source
    assert probed.take() == set()
    return found


TRICKY = dict(
    part.partition("\n")[::2]
    for part in r'''
## docstrings stay first
"""Doc."""
from __future__ import annotations
def f(x: int = 1) -> str:
    "f"
    return f.__doc__
class C:
    "C"
    y: int = 2
r = [f(), C.__doc__, str(C.__annotations__)]

## a constant after a statement is no docstring
def f():
    x = 1
    'no'
    return x
r = [f(), str(f.__doc__)]

## one line
def f(x):
    if x: return 1
    y = 2; z = 3
    while z: z -= 1; y += 1
    return y
r = f(0), f(1)

## elif
def f(x):
    if x == 0:
        return 'a'
    elif x == 1:
        return 'b'
    elif x == 2:
        return 'c'
    else:
        return 'd'
r = [f(1), f(3)]

## loops
r = []
for i in range(3):
    if i == 1:
        continue
    r.append(i)
else:
    r.append('e')
while r:
    r.pop()
    if len(r) == 1:
        break
else:
    r = None
for i in ():
    r = 0

## try
r = []
def f(x):
    try:
        r.append(1 // x)
    except ZeroDivisionError as e:
        r.append(str(e))
    except (TypeError,
            ValueError):
        return 't'
    except:
        raise
    else:
        r.append('else')
    finally:
        r.append('f')
f(0)
f(1)
f('')

## bare except
try:
    1 // 0
except:
    r = 1

## except star
r = []
try:
    raise ExceptionGroup('g', [ValueError(1), OSError(2)])
except* ValueError:
    r.append(1)
except* OSError as e:
    r.append(2)

## match
def f(x):
    match x:
        case 1 | 2:
            return 'a'
        case [y, *_] if y > 1:
            return y
        case {'k': v}:
            return v
        case str() as s:
            return s
r = [f(2), f([1]), f([3]), f({'k': 4}), f('s'), f(None)]

## global and nonlocal
n = 0
def f():
    global n
    n += 1
    m = 0
    def g():
        nonlocal m
        m += 1
        return m
    return g()
r = f()

## lambda
table = {
    'a': lambda x: x + 1,
    'b': lambda x, y=lambda: 0: (x,
        y()),
}
r = [table['b'](1)]
n = (lambda: (yield))
key = sorted([3, 1], key=lambda v: -v)

## annotations made text
from __future__ import annotations
x: (lambda v: v > 0) = 1
def f(a: (lambda: 0)) -> (lambda: 1): ...
r = [str(f.__annotations__), str(__annotations__)]

## comprehensions
r = [x * y
     for x in range(3)
     for y in range(2)
     if x]
g = sum(x for x in r)
d = str({k: v for k, v in zip('ab', r)})

## decorators
def deco(f):
    f.mark = 1
    return f
@deco
@(lambda f: f)
def f():
    pass
@deco
class C:
    @property
    def p(self):
        return 3
r = [f.mark, C().p, f.__code__.co_firstlineno]

## classes
class P:
    __slots__ = ('a',)
    def __init__(self):
        self.a = 1
from enum import Enum
class E(Enum):
    A = 1
    B = 2
    def f(self):
        return self.value
r = [P().a, E.B.f(), [e.name for e in E], hasattr(P(), '__dict__')]

## dataclass and super
from dataclasses import dataclass
@dataclass
class D:
    x: int
    y: int = 0
class S(D):
    def __post_init__(self):
        super().__init__
        self.z = __class__.__name__
r = [str(S(1)), S(2).z]

## with and async
from contextlib import asynccontextmanager, suppress
@asynccontextmanager
async def cm():
    yield 1
async def gen():
    for i in range(2):
        yield i
async def main():
    async with cm() as a:
        r = [a]
    async for i in gen():
        r.append(i)
    r += [x async for x in gen()]
    return r
co = main()
try:
    while True:
        co.send(None)
except StopIteration as e:
    r = e.value
with suppress(KeyError), suppress(
        ValueError):
    {}[0]
    r = 0

## generators
def g():
    try:
        x = yield 1
        yield x
    finally:
        done.append(1)
done = []
it = g()
r = [next(it), it.send(5)]
it.close()

## over many lines
def f(a,
      b=2):
    return (a +
            b)
r = f(
    1,
)
s = """a
b"""
if (r and
        s):
    r = [
        1,
        2]
assert (r), (
    'no')

## del, assert, raise
x = 1
del x
assert True
try:
    assert not True, 'm'
except AssertionError as e:
    r = str(e)
raise KeyError(
    r) from None

## error deep
def f(n):
    return g(n - 1)
def g(n):
    if n:
        return f(n)
    return [
        1, n.x(
            2)]
f(3)

## error in a lambda
f = lambda a: (
    a + 1)
f('')

## error in a class body
class C:
    x = 1
    y = x.z

## names of its own
before = sorted(globals())
def f():
    a = 1
    return sorted(locals()), f.__code__.co_varnames
r = [f(), sorted(globals()), dir(), len(vars())]

## exec and eval
n = {}
exec('x = 1\ny = 2', n)
r = eval('x + y', n)
exec(compile('z = 3', 's', 'exec'))

## star imports
from math import *
if pi > 4:
    import nothing
else:
    import math as m
r = m.pi == pi

## main
r = 1
if __name__ == '__main__':
    r = 2

## nothing to run
'''.split("\n## ")[1:]  # noqa: SIM905
)

RECURSION = """\
def depth(n):
    try:
        return depth(n + 1)
    except RecursionError:
        return n
r = depth(0)
endless = lambda n: [n, endless(n)]
endless(0)
"""


@pytest.mark.parametrize("name", TRICKY)
def test_probes_say_what_settrace_says(name: str) -> None:
    compare(TRICKY[name])


def test_probes_need_no_depth() -> None:
    assert run(probe(RECURSION.encode(), FILE).code) == run(compile(RECURSION, FILE, "exec"))


def test_lines_that_are_no_statement() -> None:
    assert {2, 3} & compare(TRICKY["lambda"]) == {3}  # the one that ran
    assert compare(TRICKY["bare except"]) == {1, 2, 3, 4}
    assert compare(TRICKY["match"]) >= {3, 5, 7, 9}
    assert {4, 5} & compare("match 1:\n    case 1:\n        x = 1\n    case 2:\n        x = 2\n") == set()
    assert compare(TRICKY["decorators"]) >= {4, 5, 6, 8, 9}


def test_a_long_chain_is_no_deep_one() -> None:
    chain = "".join(f"elif x == {n}:\n    r = {n}\n" for n in range(150))
    assert compare(f"x = 149\nif x is None:\n    r = 0\n{chain}") == {1, 2, *range(4, 304, 2), 303}


def test_code_with_probes_is_as_good_as_any() -> None:
    first, second = (probe(b"def f():\n    return 1\n", FILE).code for _ in range(2))
    assert {first, second, first.replace()} == {first, second}


LEAVES = [
    "n += 1",
    "pass",
    "n -= 2; m = n",
    "if n % 2: n += 3",
    "n = (\n    n +\n    1)",
    "f = lambda v: v + 1",
    "n = f(n)",
    "n = [v for v in range(3)][-1] + n",
    "assert n < 7, n",
    "raise ValueError(n)",
    "raise KeyError",
    "return n",
    "n = 1 // (n - 2)",
]


def indented(block: str) -> str:
    return "".join(f"    {line}\n" for line in block.splitlines())


def blocks(depth: int, looped: bool) -> st.SearchStrategy[str]:
    one = statement_of(depth, looped)
    return st.lists(one, min_size=1, max_size=3).map(
        lambda parts: "\n".join(part.rstrip("\n") for part in parts) + "\n"
    )


def statement_of(depth: int, looped: bool) -> st.SearchStrategy[str]:
    leaf = st.sampled_from([*LEAVES, *(["break", "continue"] if looped else [])])
    if depth == 0:
        return leaf
    same, loop, free = (
        st.deferred(lambda looped=looped: blocks(depth - 1, looped).map(indented)),
        st.deferred(lambda: blocks(depth - 1, True).map(indented)),
        st.deferred(lambda: blocks(depth - 1, False).map(indented)),
    )
    return st.one_of(
        leaf,
        st.builds("if n > 1:\n{}elif n:\n{}else:\n{}".format, same, same, same),
        st.builds("for i in range(2):\n{}else:\n{}".format, loop, same),
        st.builds((f"w{depth} = 0\nwhile w{depth} < 2:\n    w{depth} += 1\n" + "{}else:\n{}").format, loop, same),
        st.builds("try:\n{}except ValueError:\n{}except:\n{}else:\n{}".format, same, same, same, same),
        # one line only: settrace also names that of the re-raise, the last line of `finally`, run or not
        st.builds("try:\n{}finally:\n    n += 1\n".format, same),
        st.builds("with suppress(ValueError):\n{}".format, same),
        st.builds("match n % 3:\n    case 0:\n{}    case 1 if n:\n{}".format, same.map(indented), same.map(indented)),
        st.builds("def g(n):\n    m, f = 0, abs\n{}    return n\nn = g(n)".format, free),
        st.builds("class C:\n    n = 1\n    f = abs\n{}".format, st.just("    n += 1\n")),
    )


@settings(max_examples=examples(50), deadline=None, database=None)
@given(blocks(3, False).map(indented))
def test_probes_of_any_program(body: str) -> None:
    compare(
        f"from contextlib import suppress\ndef main(n):\n    m, f = 0, abs\n{body}    return n\nr = []\n"
        "for n in range(4):\n    try:\n        r.append(main(n))\n    except Exception as e:\n"
        "        r.append(repr(e))\nmain(2)\n"
    )


# -- a folder with a program, as the plugin uses it


class Work:
    """A work folder on sys.path, with coverage of `program`."""

    def __init__(self, folder: Path, program: dict[str, str], others: dict[str, str]) -> None:
        self.folder = folder
        for name, text in {**program, **others}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        importlib.invalidate_caches()
        self.coverage = Coverage(f"{folder}/", program)

    def case(self, function: Callable[..., Any], *arguments: Any) -> dict[str, list[int]]:
        self.coverage.start()
        try:
            function(*arguments)
        finally:
            lines = self.coverage.stop()
        return lines


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Work]]:
    made: list[Work] = []

    def make(program: dict[str, str], **others: str) -> Work:
        made.append(Work(tmp_path, program, {f"{name}.py": text for name, text in others.items()}))
        return made[-1]

    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield make
    for one in made:
        one.coverage.close()
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def load(name: str) -> ModuleType:
    return importlib.import_module(name)


SIGN = "LIMIT = 0\n\ndef sign(x):\n    if x > LIMIT:\n        return 1\n    return -1\n"


def test_each_case_has_its_own_lines(work: Callable[..., Work]) -> None:
    here = work({"prog_a.py": SIGN})
    sign = load("prog_a").sign
    assert here.case(sign, 1) == {"prog_a.py": [4, 5]}
    assert here.case(sign, 1) == {"prog_a.py": [4, 5]}
    sign(-1)
    assert here.case(sign, 1) == {"prog_a.py": [4, 5]}
    assert here.case(sign, -1) == {"prog_a.py": [4, 6]}
    assert here.case(str) == {}


def test_an_import_inside_a_case_is_the_cases(work: Callable[..., Work]) -> None:
    here = work({"prog_b.py": SIGN, "pkg_b/__init__.py": "", "pkg_b/mod.py": "X = 1\n"}, other_b="import pkg_b.mod\n")
    assert here.case(load, "prog_b") == {"prog_b.py": [1, 3]}
    assert here.case(load, "prog_b") == {}
    assert here.case(load, "other_b") == {"pkg_b/mod.py": [1]}


@pytest.mark.parametrize("entry", ["src", "tests/../src", "./src"])
def test_paths_that_are_not_plain(work: Callable[..., Work], entry: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = work({"src/prog_c.py": SIGN})
    (here.folder / "tests").mkdir()
    monkeypatch.chdir(here.folder)
    monkeypatch.syspath_prepend(entry)
    assert here.case(load("prog_c").sign, 1) == {"src/prog_c.py": [4, 5]}


def test_files_loaded_by_hand(work: Callable[..., Work], monkeypatch: pytest.MonkeyPatch) -> None:
    text = SIGN + "if __name__ == '__main__':\n    RESULT = sign(-1)\n"
    here = work({"prog-d.py": text, "prog_d.py": text})
    monkeypatch.chdir(here.folder)
    spec = importlib.util.spec_from_file_location("d", here.folder / "prog-d.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert here.case(module.sign, 2) == {"prog-d.py": [4, 5]}
    for file in (str(here.folder / "prog-d.py"), "prog-d.py"):
        assert here.case(lambda file=file: runpy.run_path(file, run_name="__main__")) == {
            "prog-d.py": [1, 3, 4, 6, 7, 8]
        }
    assert here.case(lambda: runpy.run_module("prog_d", run_name="__main__")) == {"prog_d.py": [1, 3, 4, 6, 7, 8]}


def test_a_file_that_changes_is_read_again(work: Callable[..., Work]) -> None:
    here = work({"prog_e.py": SIGN})
    module = load("prog_e")
    (here.folder / "prog_e.py").write_text("\n" + SIGN)
    assert here.case(importlib.reload, module) == {"prog_e.py": [2, 4]}
    assert here.case(importlib.reload, module) == {"prog_e.py": [2, 4]}
    assert here.case(module.sign, 1) == {"prog_e.py": [5, 6]}


def test_threads_count(work: Callable[..., Work]) -> None:
    here = work({"prog_f.py": SIGN})
    sign = load("prog_f").sign

    def both() -> None:
        thread = threading.Thread(target=sign, args=(1,))
        thread.start()
        thread.join()
        sign(-1)

    assert here.case(both) == {"prog_f.py": [4, 5, 6]}


HALFWAY = """
def numbers():
    yield 1
    if numbers:
        yield 2

async def waits(other):
    await other
    return 1

def loop(begun, go_on):
    begun.set()
    go_on.wait()
    begun.clear()
"""


def test_what_was_entered_in_an_earlier_case_counts_in_the_case_that_goes_on_with_it(work: Callable[..., Work]) -> None:
    here = work({"prog_k.py": HALFWAY, "prog_l.py": SIGN})
    module, other = load("prog_k"), load("prog_l")
    generator = module.numbers()
    assert here.case(next, generator) == {"prog_k.py": [3]}
    assert here.case(other.sign, 1) == {"prog_l.py": [4, 5]}
    assert here.case(next, generator) == {"prog_k.py": [4, 5]}
    coroutine = module.waits(Stop())
    assert here.case(coroutine.send, None) == {"prog_k.py": [8]}
    assert here.case(ends, coroutine) == {"prog_k.py": [9]}
    begun, go_on = threading.Event(), threading.Event()
    thread = threading.Thread(target=module.loop, args=(begun, go_on))

    def begin() -> None:
        thread.start()
        begun.wait()

    def end() -> None:
        go_on.set()
        thread.join()

    assert here.case(begin) == {"prog_k.py": [12, 13]}
    assert here.case(end) == {"prog_k.py": [14]}
    assert here.case(str) == {}


class Stop:
    """An awaitable that stops once on its way."""

    def __await__(self) -> Iterator[None]:
        yield


def ends(coroutine: Coroutine[None, None, int]) -> None:
    with pytest.raises(StopIteration):
        coroutine.send(None)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_says_nothing(work: Callable[..., Work]) -> None:
    here = work({"prog_g.py": SIGN})
    sign = load("prog_g").sign

    def fork() -> None:
        if (pid := os.fork()) == 0:
            try:
                sign(1)
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
        sign(-1)

    assert here.case(fork) == {"prog_g.py": [4, 6]}


@pytest.mark.parametrize("text", ["x = 1\ndef f(:\n", "x = 1\nreturn x\n", "x = '\0'\n", "\xff = \x0c\\"])
def test_a_file_that_does_not_compile_fails_as_without(work: Callable[..., Work], text: str) -> None:
    def failure() -> str:
        with pytest.raises((SyntaxError, ValueError)) as caught:
            load("prog_h")
        sys.modules.pop("prog_h", None)
        return "".join(traceback.format_exception(caught.value)).replace(str(caught.traceback[0].lineno), "")

    here = work({"prog_h.py": text})
    here.coverage.start()
    with_coverage = failure()
    here.coverage.stop()
    here.coverage.close()
    assert with_coverage == failure()


def test_an_error_looks_as_without(work: Callable[..., Work]) -> None:
    def failure() -> str:
        try:
            load("prog_i")
        except ZeroDivisionError:
            text = traceback.format_exc()
        return text

    here = work(
        {"prog_i.py": "import helper_i\n\n\ndef f():\n    helper_i.g(\n        1)\n\n\nf()\n"},
        helper_i="def g(x):\n    x / 0\n",
    )
    with_coverage = failure()
    here.coverage.close()
    assert with_coverage == failure()


def test_a_module_sees_nothing_of_it(work: Callable[..., Work]) -> None:
    text = f'"""Doc.\n\n>>> sign(3)\n1\n"""\n\n{SIGN}'
    here = work({"prog_j.py": text})
    here.coverage.start()
    module = load("prog_j")
    finder = sys.meta_path[:]
    here.coverage.stop()
    here.coverage.close()
    importlib.invalidate_caches()
    spec = importlib.util.spec_from_file_location("prog_j", here.folder / "prog_j.py")
    assert spec is not None and spec.loader is not None
    plain = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plain)
    assert list(vars(module)) == list(vars(plain))
    assert type(module.__loader__) is type(plain.__loader__)
    assert vars(module.__loader__) == vars(plain.__loader__)
    assert finder == sys.meta_path
    assert inspect.getsource(module) == text
    assert inspect.getsource(module.sign) == inspect.getsource(plain.sign)
    assert inspect.signature(module.sign) == inspect.signature(plain.sign)
    assert doctest.testmod(module) == (0, 1)
    assert not (here.folder / "__pycache__").exists()


def test_bytecode_of_probes_is_never_kept(work: Callable[..., Work], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    here = work({"prog_k.py": SIGN})
    assert here.case(load, "prog_k") == {"prog_k.py": [1, 3]}
    del sys.modules["prog_k"]
    assert here.case(load, "prog_k") == {"prog_k.py": [1, 3]}
    here.coverage.close()
    del sys.modules["prog_k"]
    assert load("prog_k").sign(1) == 1


def test_two_at_once_and_nothing_left(work: Callable[..., Work]) -> None:
    original = SourceFileLoader.get_code
    before = sys.gettrace(), dict(vars(runpy))
    here = work({"prog_l.py": SIGN})
    sign = load("prog_l").sign
    there = work({"prog_m.py": SIGN})
    other = load("prog_m").sign

    def nested() -> None:
        sign(1)
        assert there.case(other, -1) == {"prog_m.py": [4, 6]}
        sign(-1)

    assert here.case(nested) == {"prog_l.py": [4, 5, 6]}
    there.coverage.close()
    here.coverage.close()
    assert SourceFileLoader.get_code is original
    assert (sys.gettrace(), dict(vars(runpy))) == before
    if MONITORING:
        assert [MONITORING.get_tool(tool) for tool in range(6)].count("selfheal") == 0
