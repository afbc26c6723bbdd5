"""The split judge over real processes: what a test says in one process it says from another, and a program cannot lie.

Every scenario is run twice: with the program in this process, which shows that the scenario itself is true, and with
the program in a candidate process behind `Split`.
"""

from __future__ import annotations

import contextlib
import datetime
import gc
import json
import math
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path, PurePosixPath
from types import FrameType, ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from selfheal_tui.sandbox.inside.split import codec, equality, names, proxies, shared, wire
from selfheal_tui.sandbox.inside.split.containers import Kind, Parts

INSIDE = Path(proxies.__file__).parents[1]
_LOAD = """
import importlib, os, signal, socket, sys, types
package = types.ModuleType("_sandbox")
package.__path__ = [sys.argv[1]]
sys.modules["_sandbox"] = package
"""
_NURSERY = (
    _LOAD
    + """
serve = importlib.import_module("_sandbox.split.candidate").serve
import asyncio, collections, concurrent.futures, dataclasses, enum, typing, unittest, pytest
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
control = socket.socket(fileno=int(sys.argv[2]))
while True:
    folder, fds, _, _ = socket.recv_fds(control, 4096, 1)
    if not fds:
        break
    if os.fork() == 0:
        control.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.chdir(folder)
        sys.path.insert(0, folder.decode())
        serve(fds[0])
        os._exit(0)
    os.close(fds[0])
"""
)


class Nursery:
    """One interpreter that forks a candidate for every scenario."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _NURSERY, str(INSIDE), str(theirs.fileno())], pass_fds=[theirs.fileno()]
            )

    def start(self, folder: Path) -> socket.socket:
        """Start a candidate in a folder; return the judge's end of its wire."""
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._control, [os.fsencode(folder)], [theirs.fileno()])
        return ours

    def close(self) -> None:
        self._control.close()
        self._process.wait(10)


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    opened = Nursery()
    yield opened
    opened.close()


Judge = Callable[..., contextlib.AbstractContextManager[proxies.Split]]


@pytest.fixture
def judge(nursery: Nursery, tmp_path: Path) -> Judge:
    """`judge(program)` or `judge(prog=..., pkg__sub=...)`: a `Split` whose modules can be imported meanwhile."""

    @contextlib.contextmanager
    def open_judge(program: str = "", **files: str) -> Iterator[proxies.Split]:
        texts = {
            name.replace("__init__", "*").replace("__", "/").replace("*", "__init__"): t for name, t in files.items()
        }
        texts |= {"prog": program} if program else {}
        for name, text in texts.items():
            path = tmp_path / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text), encoding="utf-8")
        names = [name.removesuffix("/__init__").replace("/", ".") for name in texts]
        with nursery.start(tmp_path) as end:
            split = proxies.Split(end.fileno(), names)
            with installed(split, names):
                yield split

    return open_judge


@contextlib.contextmanager
def installed(split: proxies.Split, names: list[str]) -> Iterator[None]:
    split.install()
    try:
        yield
    finally:
        sys.meta_path.remove(split._finder)
        for name in [
            name for name in sys.modules if name.partition(".")[0] in {one.partition(".")[0] for one in names}
        ]:
            del sys.modules[name]


def run_test(test: str) -> None:
    """Run the text of a test, with everything of `prog` at hand."""
    space = {"__name__": "test_prog", "pytest": pytest}
    exec(
        compile(f"import prog\nfrom prog import *\n{textwrap.dedent(test)}", "test_prog.py", "exec", dont_inherit=True),
        space,
    )


def run_here(program: str, test: str) -> None:
    """Run a test with its program in this process."""
    module = ModuleType("prog")
    sys.modules["prog"] = module
    try:
        exec(compile(textwrap.dedent(program), "prog.py", "exec", dont_inherit=True), module.__dict__)
        run_test(test)
    finally:
        del sys.modules["prog"]


# -- data


_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=2**60, max_value=2**90),
    st.floats(),
    st.complex_numbers(),
    st.text(st.characters(codec=None, categories=None), max_size=8),
    st.binary(max_size=8),
    st.decimals(),
    st.fractions(),
    st.dates(),
    st.times(),
    st.datetimes(
        timezones=st.sampled_from([None, datetime.UTC, datetime.timezone(datetime.timedelta(minutes=-90), "X")])
    ),
    st.timedeltas(),
    st.uuids(),
    st.builds(range, st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 3)),
    st.builds(slice, st.none() | st.integers(), st.none(), st.integers()),
    st.sampled_from([..., NotImplemented, PurePosixPath("a/b"), Path("c"), int, len, math.sqrt, str.upper, ValueError]),
)
_HASHABLE = st.one_of(st.integers(), st.text(max_size=4), st.tuples(st.integers(), st.booleans()), st.none())
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.lists(inner, max_size=4).map(lambda items: deque(items, 9)),
        st.dictionaries(_HASHABLE, inner, max_size=4),
        st.dictionaries(_HASHABLE, inner, max_size=4).map(OrderedDict),
        st.dictionaries(_HASHABLE, inner, max_size=4).map(lambda items: defaultdict(list, items)),
        st.dictionaries(_HASHABLE, st.integers(), max_size=4).map(Counter),
        st.dictionaries(st.sampled_from("abc"), inner, max_size=3).map(lambda items: SimpleNamespace(**items)),
        st.sets(_HASHABLE, max_size=4),
        st.frozensets(_HASHABLE, max_size=4),
        st.binary(max_size=5).map(bytearray),
    ),
    max_leaves=12,
)


class _NothingElse:
    """Two sides that know no other values than plain data and names."""

    def write(self, writer: codec.Writer, value: object, depth: int) -> Any:
        return ["name", *(names.name_of(value) or _fail(value))]

    def mind(self, kind: Kind, parts: Parts) -> None:
        pass

    def read(self, reader: codec.Reader, tag: str, fields: list[Any], depth: int) -> object:
        return names.known(*fields)


def _fail(value: object) -> tuple[str, str]:
    raise shared.Uncarried(repr(value))


def alike(one: Any, other: Any) -> bool:
    """Say whether two values are equal and of the same types throughout; a NaN equals one of the same bits."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return struct.pack("d", one) == struct.pack("d", other)
    if isinstance(one, complex):
        return alike(one.real, other.real) and alike(one.imag, other.imag)
    if isinstance(one, Decimal):
        return str(one) == str(other)
    if isinstance(one, datetime.datetime | datetime.time):
        return bool(one == other) and one.fold == other.fold and str(one.tzinfo) == str(other.tzinfo)
    if isinstance(one, dict):
        return alike([*one.items()], [*other.items()])
    if isinstance(one, SimpleNamespace):
        return alike(vars(one), vars(other))
    if isinstance(one, list | tuple | deque):
        return len(one) == len(other) and all(map(alike, one, other))
    return one is other if one is NotImplemented else bool(one == other)


@given(_VALUES)
@settings(max_examples=300, deadline=None)
def test_data_crosses_as_it_is(value: object) -> None:
    there, here = shared.Shared(1), shared.Shared(2)
    frame = json.loads(json.dumps(codec.Writer(there, _NothingElse()).frame([value]), allow_nan=False))
    (copy,) = codec.Reader(here, _NothingElse()).frame(frame)
    assert alike(copy, value)
    assert len(there) == len(here)


@given(st.lists(_VALUES, max_size=5), st.integers(0, 2**32))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_both_sides_keep_a_container_alike(values: list[Any], seed: int) -> None:
    """Whoever has the turn changes the list, the other side sees it; what is untouched stays the same object."""
    there, here = shared.Shared(1), shared.Shared(2)
    ours: Any = [*values, [1], {"k": [2]}]
    (theirs,) = codec.Reader(here, _NothingElse()).frame(codec.Writer(there, _NothingElse()).frame([ours]))
    chance = random.Random(seed)
    for turn in range(6):
        mine, table, yours, other = (ours, there, theirs, here) if turn % 2 == 0 else (theirs, here, ours, there)
        if mine and chance.random() < 0.7:
            mine.append(mine.pop(chance.randrange(len(mine))))
        mine.insert(chance.randrange(len(mine) + 1), [turn])
        kept = [part for part in yours if isinstance(part, list | dict)]
        frame = json.loads(json.dumps(codec.Writer(table, _NothingElse()).frame([])))
        codec.Reader(other, _NothingElse()).frame(frame)
        assert alike(yours, mine)
        assert {id(part) for part in kept} <= {id(part) for part in yours}


@pytest.mark.parametrize("depth", [90, 5000])
def test_a_value_too_deep_or_holding_itself_is_refused(depth: int) -> None:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    writer = codec.Writer(shared.Shared(1), _NothingElse())
    if depth < 100:
        writer.frame([value])
        value[0] = value
        writer = codec.Writer(shared.Shared(1), _NothingElse())
    with pytest.raises(shared.Uncarried):
        writer.frame([value])


# -- scenarios


SCENARIOS: dict[str, tuple[str, str]] = {}


def scenario(name: str, program: str, test: str) -> None:
    SCENARIOS[name] = (program, test)


scenario(
    "a container passed as an argument is changed in place",
    """
    def change(d):
        d["x"].append(3)
        d["y"] = 1
        d["z"][0]["k"] = "v"
        del d["gone"]

    def swap(grid): grid[0], grid[1] = grid[1], grid[0]
    def first(grid): grid[0][0] = 9
    def by_length(items): items.sort(key=len)
    def add(items): items.add(5); items.discard(1)
    def extend(data): data.extend(b"zz")
    def rotate(items): items.appendleft(0); items.pop()
    """,
    """
    import collections
    inner, rows = [1], [{}]
    d = {"x": inner, "z": rows, "gone": 0}
    change(d)
    assert d == {"x": [1, 3], "z": [{"k": "v"}], "y": 1} and list(d) == ["x", "z", "y"]
    assert d["x"] is inner and d["z"] is rows

    a, b = [1], [2]
    grid = [a, b]
    swap(grid)
    assert grid[0] is b and grid[1] is a
    row = [0]
    grid = [row, row]
    first(grid)
    assert grid == [[9], [9]] and grid[0] is grid[1]

    long, short = ("long", "tuple"), ("x",)
    items = [long, short]
    by_length(items)
    assert items[0] is short and items[1] is long

    numbers = {1, 2}
    add(numbers)
    assert numbers == {2, 5}
    data = bytearray(b"a")
    extend(data)
    assert data == b"azz"
    queue = collections.deque([1, 2, 3], maxlen=5)
    rotate(queue)
    assert queue == collections.deque([0, 1, 2]) and queue.maxlen == 5
    """,
)
scenario(
    "an alias is an alias on both sides, a copy is a copy",
    """
    class Keeps:
        def __init__(self, items): self.items = items
        def get(self): return self.items
        def add(self, value): self.items.append(value)

    class Copies(Keeps):
        def __init__(self, items): self.items = list(items)
        def get(self): return list(self.items)

    DATA = {"a": [1]}
    def data(): return DATA
    def default(value, into=[]): into.append(value); return into
    """,
    """
    mine = [1]
    keeps = Keeps(mine)
    mine.append(2)
    assert keeps.get() == [1, 2] and keeps.get() is mine
    keeps.add(3)
    assert mine == [1, 2, 3]
    keeps.get().append(4)
    assert keeps.items == [1, 2, 3, 4]

    mine = [1]
    copies = Copies(mine)
    mine.append(2)
    assert copies.get() == [1]
    copies.add(3)
    assert mine == [1, 2]
    copies.get().append(9)
    assert copies.get() == [1, 3]

    prog.DATA["a"].append(2)
    assert data() == {"a": [1, 2]}
    data().clear()
    assert prog.DATA == {}
    assert default(1) == [1] and default(2) == [1, 2]
    """,
)
scenario(
    "functions of the test are called back",
    """
    import functools, inspect

    def apply(f, *arguments, **keywords): return f(*arguments, **keywords)
    def apply_all(functions, x): return [f(x) for f in functions]

    def safe(f):
        try:
            return f()
        except ValueError as error:
            return "caught", type(error).__name__, error.args

    def retry(f, times, on=Exception):
        for _ in range(times):
            try:
                return f()
            except on as error:
                last = error
        raise last

    def counted(f):
        @functools.wraps(f)
        def wrapper(*arguments, **keywords):
            wrapper.calls += 1
            return f(*arguments, **keywords)
        wrapper.calls = 0
        return wrapper

    def memoized(f):
        cache = {}
        def wrapper(*arguments):
            if arguments not in cache:
                cache[arguments] = f(*arguments)
            return cache[arguments]
        wrapper.cache = cache
        return wrapper

    REGISTERED = []
    def register(f):
        f.tag = "x"
        REGISTERED.append(f)
        return f

    def looks(f): return list(inspect.signature(f).parameters), f.__code__.co_argcount, f.__name__, f.__doc__
    def by(items, key): return sorted(items, key=key)
    def curry(f):
        def curried(*a): return f(*a) if len(a) >= f.__code__.co_argcount else lambda *b: curried(*a, *b)
        return curried
    def each(items, f):
        for index, item in enumerate(items):
            f(index, item)
    def same(f, g): return f is g

    class Bus:
        def __init__(self): self.handlers = []
        def on(self, f): self.handlers.append(f)
        def off(self, f): self.handlers.remove(f)
        def emit(self, *a):
            for f in list(self.handlers): f(*a)
    """,
    """
    import functools, operator
    every = lambda a, b=2, *c, d=4, **e: (a, b, c, d, e)
    assert apply(every, 1) == (1, 2, (), 4, {})
    assert apply(every, 1, 3, 5, d=6, z=7) == (1, 3, (5,), 6, {"z": 7})
    assert apply(every, a=1, d=0) == (1, 2, (), 0, {})
    with pytest.raises(TypeError, match="missing 1 required"):
        apply(every)
    assert apply_all([str, len, str.upper, lambda s: s * 2], "ab") == ["ab", 2, "AB", "abab"]

    class Custom(ValueError):
        def __init__(self, word):
            super().__init__("custom " + word)
    def custom(): raise Custom("q")
    def plain(): raise ValueError("boo", 1)
    def key(): raise KeyError("k")
    assert safe(plain) == ("caught", "ValueError", ("boo", 1))
    assert safe(custom) == ("caught", "Custom", ("custom q",))
    with pytest.raises(KeyError) as info:
        safe(key)
    assert info.value.args == ("k",)

    tries = []
    def flaky():
        tries.append(1)
        if len(tries) < 3: raise ConnectionError("down")
        return "ok"
    assert retry(flaky, 5) == "ok" and len(tries) == 3
    error = Custom("z")
    def always(): raise error
    with pytest.raises(Custom) as info:
        retry(always, 2)
    assert info.value is error
    with pytest.raises(Custom):
        retry(always, 2, on=OSError)
    class Mine(Exception): pass
    def mine(): raise Mine("m")
    with pytest.raises(Mine, match="m"):
        retry(mine, 3, on=(KeyError, Mine))

    @counted
    def double(x):
        "Twice."
        return x * 2
    assert double(4) == 8 and double(x=5) == 10 and double.calls == 2
    assert double.__name__ == "double" and double.__doc__ == "Twice."
    @memoized
    def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
    assert fib(20) == 6765 and len(fib.cache) == 21
    @register
    def hook(): return 1
    assert hook.tag == "x" and prog.REGISTERED[0] is hook and hook() == 1
    assert looks(lambda a, b, /, c, *, d=1: 0) == (["a", "b", "c", "d"], 3, "<lambda>", None)

    assert by(["bb", "a"], len) == ["a", "bb"]
    assert by([{"a": 2}, {"a": 1}], operator.itemgetter("a")) == [{"a": 1}, {"a": 2}]
    assert by([(1, "b"), (2, "a")], lambda pair: pair[1]) == [(2, "a"), (1, "b")]
    assert apply(functools.partial(int, base=2), "101") == 5
    assert curry(lambda a, b, c: a + b + c)(1)(2)(3) == 6
    seen, out = [], {}
    each("ab", lambda index, item: seen.append((index, item)))
    each("ab", out.__setitem__)
    assert seen == [(0, "a"), (1, "b")] and out == {0: "a", 1: "b"}
    assert same(hook, hook) and same(len, len) and not same(hook, len)

    class Listener:
        def __init__(self): self.got = []
        def take(self, x): self.got.append(x)
    listener, bus = Listener(), Bus()
    bus.on(listener.take)
    bus.emit(1)
    bus.off(listener.take)
    bus.emit(2)
    assert listener.got == [1]
    """,
)
scenario(
    "a list that both sides change during one call",
    """
    def run(items, f):
        items.append(1)
        f()
        items.append(len(items))
        return items
    def accumulate(f):
        into = []
        f(into)
        f(into)
        return into
    """,
    """
    items, seen = [], []
    def f():
        seen.append(list(items))
        items.append("test")
    assert run(items, f) is items and items == [1, "test", 2] and seen == [[1]]
    assert accumulate(lambda into: into.append(len(into))) == [0, 1]
    """,
)
scenario(
    "iteration, both ways, as far as it is asked for",
    """
    LOG = []
    def count(end=None):
        i = 0
        try:
            while end is None or i < end:
                LOG.append(i)
                sent = yield i
                i = sent or i + 1
        finally:
            LOG.append("closed")
        return "done"
    def evens(items):
        for item in items:
            if item % 2 == 0:
                yield item
    def take(iterator, n): return [next(iterator) for _ in range(n)]
    def collect(items): return list(items)

    class Tree:
        def __init__(self, value, left=None, right=None): self.value, self.left, self.right = value, left, right
        def __iter__(self):
            if self.left: yield from self.left
            yield self.value
            if self.right: yield from self.right
    class UpTo:
        def __init__(self, n): self.n, self.i = n, 0
        def __iter__(self): return self
        def __next__(self):
            if self.i >= self.n: raise StopIteration
            self.i += 1
            return self.i
    class Sequence:
        def __init__(self, *items): self.items = items
        def __len__(self): return len(self.items)
        def __getitem__(self, i): return self.items[i]
    """,
    """
    import collections.abc, itertools, types
    counter = count()
    assert [next(counter), next(counter)] == [0, 1] and prog.LOG == [0, 1]
    assert counter.send(10) == 10
    counter.close()
    assert prog.LOG == [0, 1, 10, "closed"]
    with pytest.raises(StopIteration):
        next(counter)
    def delegate():
        yield (yield from count(2))
    assert list(delegate()) == [0, 1, "done"]
    assert list(itertools.islice(count(), 3)) == [0, 1, 2]
    counter = count()
    next(counter)
    with pytest.raises(KeyError):
        counter.throw(KeyError("x"))

    def endless():
        i = 0
        while True:
            yield i
            i += 1
    mine = endless()
    assert take(mine, 3) == [0, 1, 2] and next(mine) == 3
    assert list(evens(range(5))) == [0, 2, 4] and list(evens(x for x in [1, 2])) == [2]
    assert collect(map(str, [1])) == ["1"] and collect(iter([3])) == [3] and collect({"a": 1}.values()) == [1]

    tree = Tree(2, Tree(1), Tree(3))
    assert list(tree) == [1, 2, 3] and 3 in tree and sum(tree) == 6 and max(tree) == 3
    a, b, *rest = UpTo(4)
    assert (a, b, rest) == (1, 2, [3, 4]) and dict(zip(UpTo(2), "ab")) == {1: "a", 2: "b"}
    up = UpTo(1)
    assert iter(up) is up
    items = Sequence(1, 2, 3)
    assert len(items) == 3 and items[-1] == 3 and items[1:] == (2, 3) and list(reversed(items)) == [3, 2, 1]
    assert 2 in items and [*items] == [1, 2, 3]
    with pytest.raises(IndexError):
        items[5]
    assert isinstance(count(), types.GeneratorType) and isinstance(count(), collections.abc.Iterator)
    assert isinstance(tree, collections.abc.Iterable) and not isinstance(tree, collections.abc.Iterator)
    """,
)
scenario(
    "context managers",
    """
    import contextlib
    class Tracks:
        def __init__(self): self.log = []
        def __enter__(self): self.log.append("in"); return self
        def __exit__(self, kind, error, trace):
            self.log.append(kind.__name__ if kind else None)
            return kind is ValueError or (kind is not None and kind.__name__ == "Mine")
    @contextlib.contextmanager
    def steps(log):
        log.append(1)
        try:
            yield "value"
        except KeyError:
            log.append("key")
        finally:
            log.append(2)
    """,
    """
    tracks = Tracks()
    with tracks as inner:
        assert inner is tracks
    with tracks:
        raise ValueError("x")
    class Mine(Exception): pass
    with tracks:
        raise Mine
    with pytest.raises(KeyError), tracks:
        raise KeyError("z")
    assert tracks.log == ["in", None, "in", "ValueError", "in", "Mine", "in", "KeyError"]
    log = []
    with steps(log) as value:
        assert value == "value"
    with steps(log):
        raise KeyError
    with pytest.raises(ZeroDivisionError), steps(log):
        1 / 0
    assert log == [1, 2, 1, "key", 2, 1, 2]
    """,
)
scenario(
    "classes",
    """
    import abc, functools
    class Shape(abc.ABC):
        kind, count = "base", 0
        def __init__(self, name):
            self.name = name
            type(self).count += 1
        @abc.abstractmethod
        def area(self): ...
        def describe(self): return f"{self.name}:{self.area()}"
        @classmethod
        def create(cls, *a): return cls(*a)
        @staticmethod
        def helper(x): return x + 1
    class Square(Shape):
        def __init__(self, side):
            super().__init__("square")
            self._side = side
        @property
        def side(self): return self._side
        @side.setter
        def side(self, value):
            if value < 0: raise ValueError("negative")
            self._side = value
        @side.deleter
        def side(self): del self._side
        def area(self): return self._side ** 2
        def __bool__(self): return self._side > 0
        def __call__(self, x): return x * self._side
    class Slotted:
        __slots__ = ("a",)
    class Plain: pass
    class Meta(type):
        def __new__(cls, name, bases, space): return super().__new__(cls, name, bases, {**space, "added": name})
        def __len__(cls): return 3
    class WithMeta(metaclass=Meta): pass
    class Single:
        _one = None
        def __new__(cls):
            cls._one = cls._one or super().__new__(cls)
            return cls._one
    class Dynamic:
        def __getattr__(self, name):
            if name.startswith("x"): return name
            raise AttributeError(name)
    class Outer:
        class Inner: X = 1
    class Typed:
        def __set_name__(self, owner, name): self.name = "_" + name
        def __get__(self, item, owner=None): return self if item is None else getattr(item, self.name)
        def __set__(self, item, value):
            if value < 0: raise ValueError(value)
            setattr(item, self.name, value)
    class Point: x = Typed()
    def is_square(x): return isinstance(x, Square)
    """,
    """
    import copy
    square = Square(3)
    assert square.describe() == "square:9" and square.kind == "base" and (Square.count, Shape.count) == (1, 0)
    assert Square.create(2).side == 2 and Square.helper(1) == 2 and square.helper(2) == 3
    square.side = 5
    assert square.area() == 25
    with pytest.raises(ValueError, match="negative"):
        square.side = -1
    with pytest.raises(TypeError, match="abstract"):
        Shape("x")
    with pytest.raises(TypeError):
        Square()
    assert isinstance(square, Shape) and not isinstance(square, Plain) and issubclass(Square, Shape)
    assert type(square) is Square and square.__class__ is Square and type(square).__name__ == "Square"
    assert is_square(square) and not is_square(3) and Square.__bases__ == (Shape,) and Shape in Square.__mro__
    assert callable(square) and not callable(Plain()) and square(2) == 10 and square and not Square(0)
    assert hasattr(square, "area") and not hasattr(square, "zzz") and getattr(square, "zzz", 7) == 7
    assert "area" in dir(square) and square.describe.__name__ == "describe" and square.describe.__self__ is square
    assert square.describe == square.describe and Square.describe(square) == "square:25"
    del square.side
    with pytest.raises(AttributeError):
        square.side

    slotted, plain = Slotted(), Plain()
    with pytest.raises(AttributeError):
        slotted.b = 1
    slotted.a = [1]
    slotted.a.append(2)
    assert slotted.a == [1, 2]
    plain.q = 1
    assert plain.__dict__ == {"q": 1} == vars(plain) and plain == plain and plain != Plain()
    del plain.q
    assert not hasattr(plain, "q") and len({plain, plain, Plain()}) == 2
    assert repr(plain).startswith("<prog.Plain object at")
    assert WithMeta.added == "WithMeta" and len(WithMeta) == 3 and Single() is Single()
    assert Dynamic().xyz == "xyz" and Outer.Inner.X == 1 and Outer().Inner().X == 1
    with pytest.raises(AttributeError):
        Dynamic().abc
    point = Point()
    point.x = 3
    assert point.x == 3 and point._x == 3
    with pytest.raises(ValueError):
        point.x = -1
    plain.items = [1]
    shallow, deep = copy.copy(plain), copy.deepcopy([plain])[0]
    plain.items.append(2)
    assert shallow.items == [1, 2] and deep.items == [1] and shallow is not plain
    Square.kind = "patched"
    assert Square(1).kind == "patched"
    del Square.kind
    assert Square(1).kind == "base"
    Square.area = lambda self: self.side + 100
    assert Square(1).area() == 101
    """,
)
scenario(
    "operators",
    """
    import functools
    def number(x): return x.v if isinstance(x, N) else x
    class N:
        def __init__(self, v): self.v = v
        def __add__(self, other): return N(self.v + number(other))
        __radd__ = __add__
        def __sub__(self, other): return N(self.v - number(other))
        def __rsub__(self, other): return N(number(other) - self.v)
        def __mul__(self, other): return N(self.v * other) if isinstance(other, int) else NotImplemented
        def __iadd__(self, other): self.v += number(other); return self
        def __neg__(self): return N(-self.v)
        def __abs__(self): return abs(self.v)
        def __int__(self): return int(self.v)
        def __float__(self): return float(self.v)
        def __round__(self, digits=None): return round(self.v, digits)
        def __divmod__(self, other): return divmod(self.v, other)
        def __pow__(self, other, modulus=None): return pow(self.v, other, modulus)
        def __matmul__(self, other): return "matmul"
        def __invert__(self): return "invert"
        def __getitem__(self, key): return key
        def __setitem__(self, key, value): self.set = key, value
        def __delitem__(self, key): self.deleted = key
        def __str__(self): return f"<{self.v}>"
        def __repr__(self): return f"N({self.v})"
        def __format__(self, form): return f"form{form}"
        def __bytes__(self): return b"bytes"
        def __floor__(self): return 2
        def __complex__(self): return 1j
    @functools.total_ordering
    class Version:
        def __init__(self, *parts): self.parts = parts
        def __eq__(self, other): return self.parts == other.parts if isinstance(other, Version) else NotImplemented
        def __lt__(self, other): return self.parts < other.parts
        def __hash__(self): return hash(self.parts)
        def __contains__(self, part): return part in self.parts
    class Unhashable:
        def __eq__(self, other): return True
    """,
    """
    import math
    a = N(3)
    assert (a + 1).v == 4 and (1 + a).v == 4 and (a + a).v == 6 and sum([N(1), N(2)]).v == 3
    assert (a - 1).v == 2 and (10 - a).v == 7 and (a * 2).v == 6
    with pytest.raises(TypeError):
        a * "x"
    with pytest.raises(TypeError):
        2 * a
    with pytest.raises(TypeError):
        a < 1
    b = a
    b += 1
    assert b is a and a.v == 4
    assert (-a).v == -4 and abs(N(-2)) == 2 and int(a) == 4 and float(a) == 4.0 and round(N(2.567), 1) == 2.6
    assert divmod(a, 3) == (1, 1) and a ** 2 == 16 and pow(a, 2, 5) == 1 and a @ a == "matmul" and ~a == "invert"
    assert a[1:2] == slice(1, 2) and a["k"] == "k" and a[1, 2] == (1, 2) and a[...] is ...
    a[1] = 2
    del a[5]
    assert a.set == (1, 2) and a.deleted == 5
    assert str(a) == "<4>" and repr(a) == "N(4)" and f"{a:>5}" == "form>5" and f"{a!r}" == "N(4)" and "%s" % a == "<4>"
    assert bytes(a) == b"bytes" and math.floor(a) == 2 and complex(a) == 1j
    one, same, two = Version(1), Version(1), Version(2)
    assert one == same and one != two and one < two and two >= one and max([one, two]) is two
    assert sorted([two, one]) == [one, two] and len({one, same, two}) == 2 and {one: "x"}[same] == "x"
    assert 1 in one and 2 not in one and one != "x" and not one == None
    with pytest.raises(TypeError):
        {Unhashable()}
    """,
)
scenario(
    "exceptions",
    r"""
    import dataclasses, decimal, json
    class AppError(Exception):
        code = 500
        def __init__(self, message="app", **more):
            super().__init__(message)
            self.__dict__.update(more)
    class NotFound(AppError, KeyError):
        code = 404
        def __str__(self): return "NF:" + self.args[0]
    class WithMethod(Exception):
        @property
        def detail(self): return "d"
        def twice(self, x): return x * 2
    @dataclasses.dataclass(frozen=True)
    class Frozen: a: int = 1
    def chain():
        try: 1 / 0
        except ZeroDivisionError as error: raise AppError("outer") from error
    def context():
        try: {}["a"]
        except KeyError: raise AppError("context")
    def noted():
        error = ValueError("v")
        error.add_note("note")
        raise error
    def group(): raise ExceptionGroup("g", [ValueError(1), AppError("in")])
    def app(): raise AppError
    def found(): raise NotFound("q", item=[1])
    def method(): raise WithMethod(1, 2)
    def missing(): open("/nonexistent/x")
    def bad_text(): b"\xff".decode()
    def bad_json(): json.loads("{")
    def endless(): return endless()
    def leave(code): raise SystemExit(code)
    def stop(): raise StopIteration(4)
    def attribute(): object().zzz
    def name(): zzz
    def claim(): assert 0, "claim"
    def frozen(): Frozen().a = 2
    def number(): decimal.Decimal("x")
    def module(): import nonexistent_module
    def some(): return [ValueError("a"), NotFound("z")]
    def describe(error): return type(error).__name__, error.args, isinstance(error, AppError)
    """,
    """
    import dataclasses, decimal, json
    def caught(kind, f, *arguments):
        with pytest.raises(kind) as info:
            f(*arguments)
        return info.value
    error = caught(AppError, app)
    assert str(error) == "app" and error.args == ("app",) and error.code == 500 and type(error) is AppError
    error = caught(KeyError, found)
    assert isinstance(error, NotFound) and isinstance(error, AppError) and issubclass(NotFound, KeyError)
    assert str(error) == "NF:q" and error.item == [1] and error.code == 404
    error = caught(AppError, chain)
    assert isinstance(error.__cause__, ZeroDivisionError) and str(error.__cause__) == "division by zero"
    error = caught(AppError, context)
    assert isinstance(error.__context__, KeyError) and error.__cause__ is None
    error = caught(WithMethod, method)
    assert error.detail == "d" and error.twice(3) == 6 and error.args == (1, 2) and repr(error) == "WithMethod(1, 2)"
    assert caught(FileNotFoundError, missing).filename == "/nonexistent/x"
    assert caught(UnicodeDecodeError, bad_text).start == 0
    assert caught(json.JSONDecodeError, bad_json).pos == 1
    caught(RecursionError, endless)
    assert caught(SystemExit, leave, 3).code == 3 and caught(SystemExit, leave, "bye").code == "bye"
    assert caught(StopIteration, stop).value == 4
    assert [type(one).__name__ for one in caught(ExceptionGroup, group).exceptions] == ["ValueError", "AppError"]
    assert "zzz" in str(caught(AttributeError, attribute)) and caught(NameError, name).name == "zzz"
    assert caught(AssertionError, claim).args == ("claim",) and caught(ValueError, noted).__notes__ == ["note"]
    caught(dataclasses.FrozenInstanceError, frozen)
    caught(decimal.InvalidOperation, number)
    assert caught(ModuleNotFoundError, module).name == "nonexistent_module"
    with pytest.raises(AppError, match="^NF:q$"):
        found()
    plain, own = some()
    assert type(plain) is ValueError and plain.args == ("a",) and isinstance(own, NotFound)
    assert describe(ValueError("x")) == ("ValueError", ("x",), False) and describe(own) == ("NotFound", ("z",), True)
    assert AppError("m", z=1).z == 1 and AppError.code == 500
    with pytest.raises(NotFound):
        raise NotFound("mine")
    with pytest.raises(AppError):
        raise AppError
    """,
)
scenario(
    "enumerations",
    """
    import enum
    class Color(enum.Enum):
        RED = "r"
        GREEN = "g"
        CRIMSON = "r"
        @property
        def pretty(self): return self.name.title()
        @classmethod
        def default(cls): return cls.RED
        def __str__(self): return "Color " + self.name
    class Level(enum.IntEnum):
        LOW = 1
        HIGH = 2
    class Right(enum.Flag):
        READ = enum.auto()
        WRITE = enum.auto()
        BOTH = READ | WRITE
    class Kind(str, enum.Enum):
        A = "a"
        B = "b"
    class Planet(enum.Enum):
        EARTH = (1, 2)
        def __init__(self, mass, radius): self.mass, self.radius = mass, radius
    class Ordered(enum.Enum):
        A, B = 1, 2
        def __lt__(self, other): return self.value < other.value
    def pick(name): return Color[name]
    def level(): return Level.HIGH
    def rights(): return Right.READ | Right.WRITE
    def is_red(color): return color is Color.RED
    """,
    """
    import enum
    assert pick("RED") is Color.RED and pick("RED") == Color.RED and pick("GREEN") != Color.RED
    assert Color("g") is Color.GREEN and Color["GREEN"] is Color.GREEN and Color.CRIMSON is Color.RED
    assert list(Color) == [Color.RED, Color.GREEN] and len(Color) == 2 and [c.value for c in Color] == ["r", "g"]
    assert Color.RED.name == "RED" and Color.RED.pretty == "Red" and Color.default() is Color.RED
    assert str(Color.RED) == "Color RED" and repr(Color.RED) == "<Color.RED: 'r'>"
    assert isinstance(Color.RED, Color) and isinstance(Color.RED, enum.Enum) and issubclass(Color, enum.Enum)
    assert Color.RED in Color and {Color.RED: 1}[pick("RED")] == 1 and list(Color.__members__)[2] == "CRIMSON"
    assert is_red(Color.RED) and not is_red(Color.GREEN)
    for wrong in (lambda: Color("zz"), lambda: Color["zz"], lambda: Color.NOPE):
        with pytest.raises((ValueError, KeyError, AttributeError)):
            wrong()
    assert Level.HIGH == 2 and Level.HIGH > Level.LOW and level() is Level.HIGH and Level(1) is Level.LOW
    assert Level.LOW.name == "LOW" and Level.LOW + 1 == 2 and isinstance(Level.LOW, int) and max(Level) is Level.HIGH
    assert isinstance(Level.LOW, enum.IntEnum) and f"{Level.LOW}" == "1" and repr(Level.LOW) == "<Level.LOW: 1>"
    assert {Level.LOW: "x"}[1] == "x" and [0, 1, 2][Level.LOW] == 1
    assert rights() == Right.BOTH and Right.READ in rights() and rights() & Right.READ == Right.READ
    assert not Right(0) and Right.BOTH.value == 3
    assert Kind.A == "a" and Kind("b") is Kind.B and Kind.A.upper() == "A" and Kind.A in ("a", "b")
    assert Planet.EARTH.mass == 1 and Planet.EARTH.value == (1, 2) and Planet((1, 2)) is Planet.EARTH
    assert Ordered.A < Ordered.B and sorted([Ordered.B, Ordered.A]) == [Ordered.A, Ordered.B]
    """,
)
scenario(
    "subclasses of data",
    """
    import collections, datetime, decimal, typing
    Point = collections.namedtuple("Point", "x y")
    class Pair(typing.NamedTuple):
        a: int
        b: str = "d"
        def total(self): return self.a + 1
    class Stack(list):
        def push(self, x): self.append(x)
        @property
        def size(self): return len(self)
    class Limited(list):
        def append(self, x):
            if len(self) >= 2: raise OverflowError("full")
            super().append(x)
    class Folded(dict):
        def __setitem__(self, key, value): super().__setitem__(key.lower(), value)
        def __getitem__(self, key): return super().__getitem__(key.lower())
        def __contains__(self, key): return super().__contains__(key.lower())
    class Open(dict):
        __getattr__ = dict.__getitem__
        __setattr__ = dict.__setitem__
    class Doubling(dict):
        def __missing__(self, key): return key * 2
    class Email(str):
        def __new__(cls, text):
            if "@" not in text: raise ValueError(text)
            return super().__new__(cls, text.strip())
        @property
        def domain(self): return self.split("@")[1]
    class Meters(float):
        def __add__(self, other): return Meters(float(self) + float(other))
        def __repr__(self): return f"{float(self)} m"
    class Even(int):
        def __new__(cls, value): return super().__new__(cls, value // 2 * 2)
    class Vector(tuple):
        def __new__(cls, *parts): return super().__new__(cls, parts)
        def __add__(self, other): return Vector(*(a + b for a, b in zip(self, other)))
    class Bag(collections.Counter):
        def most(self): return self.most_common(1)[0][0]
    class Day(datetime.date):
        def next(self): return self + datetime.timedelta(1)
    class Money(decimal.Decimal):
        def show(self): return f"${self}"
    class Table(collections.UserDict): pass
    class Ring(collections.deque):
        def turn(self): self.rotate(1); return self
    def point(): return Point(1, 2)
    def grouped():
        groups = collections.defaultdict(list)
        groups["a"].append(1)
        return groups
    def seen(items): return type(items).__name__, list(items)
    """,
    """
    import collections, json
    p = point()
    assert p == (1, 2) and p == Point(1, 2) and p.x == 1 and p[1] == 2 and isinstance(p, tuple) and type(p) is Point
    assert p._replace(x=5) == Point(5, 2) and p._asdict() == {"x": 1, "y": 2} and Point._fields == ("x", "y")
    assert repr(p) == "Point(x=1, y=2)" and hash(p) == hash((1, 2)) and {(1, 2): 3}[p] == 3 and Point(y=1, x=0) == (0, 1)
    a, b = p
    with pytest.raises(AttributeError):
        p.x = 1
    assert Pair(1).total() == 2 and Pair(1) == (1, "d")
    stack = Stack([1])
    stack.push(2)
    assert stack == [1, 2] and stack.size == 2 and isinstance(stack, list) and type(stack) is Stack
    assert stack.pop() == 2 and stack.size == 1
    stack.append(9)
    assert seen(stack) == ("Stack", [1, 9])
    limited = Limited([1, 2])
    with pytest.raises(OverflowError):
        limited.append(3)
    assert limited == [1, 2]
    folded = Folded()
    folded["AbC"] = 1
    assert folded["ABC"] == 1 and "aBc" in folded and folded == {"abc": 1}
    opened = Open(a=1)
    opened.b = 2
    assert opened.a == 1 and opened["b"] == 2 and opened == {"a": 1, "b": 2}
    assert Doubling()["ab"] == "abab" and Doubling(x=1)["x"] == 1
    email = Email(" a@b.c")
    assert email == "a@b.c" and email.domain == "b.c" and email.upper() == "A@B.C" and {email: 1}["a@b.c"] == 1
    assert json.dumps([email]) == '["a@b.c"]' and f"{email}!" == "a@b.c!" and "@" in email
    with pytest.raises(ValueError):
        Email("zz")
    assert Meters(1.5) + 2 == 3.5 and repr(Meters(1.5) + 2) == "3.5 m" and Even(5) == 4
    vector = Vector(1, 2) + Vector(3, 4)
    assert vector == (4, 6) and type(vector) is Vector
    assert Bag("aab").most() == "a" and Bag("aab") == collections.Counter("aab")
    assert Day(2020, 1, 31).next() == Day(2020, 2, 1) and type(Day(2020, 1, 1).next()) is Day
    assert Money("1.50").show() == "$1.50" and Money("1.5") + 1 == Money("2.5")
    table = Table(a=1)
    table["b"] = 2
    assert dict(table) == {"a": 1, "b": 2} and isinstance(table, collections.abc.Mapping)
    assert list(Ring([1, 2, 3]).turn()) == [3, 1, 2]
    groups = grouped()
    assert groups == {"a": [1]} and groups["new"] == [] and groups.default_factory is list
    """,
)
scenario(
    "dataclasses and what looks into them",
    """
    import dataclasses
    @dataclasses.dataclass(order=True)
    class Item:
        x: int
        y: int = 0
        tags: list = dataclasses.field(default_factory=list, compare=False)
    @dataclasses.dataclass(frozen=True)
    class Frozen:
        a: int
        def __post_init__(self):
            if self.a < 0: raise ValueError("negative")
    @dataclasses.dataclass
    class Outer:
        item: Item
        items: list[Item]
    def total(items): return sum(item.x for item in items)
    def outer(): return Outer(Item(1, 2), [Item(3)])
    """,
    """
    import dataclasses
    item = Item(1, 2)
    assert item == Item(1, 2) and item != Item(1, 3) and sorted([Item(2), Item(1)])[0].x == 1
    assert repr(item) == "Item(x=1, y=2, tags=[])" and total([Item(1), Item(2)]) == 3
    item.x = 10
    item.tags.append("a")
    assert item.x == 10 and item.tags == ["a"] and Item(1).tags == []
    with pytest.raises(dataclasses.FrozenInstanceError):
        Frozen(1).a = 2
    with pytest.raises(ValueError):
        Frozen(-1)
    assert len({Frozen(1), Frozen(1)}) == 1
    plain = {"item": {"x": 1, "y": 2, "tags": []}, "items": [{"x": 3, "y": 0, "tags": []}]}
    assert dataclasses.asdict(outer()) == plain and dataclasses.is_dataclass(Item) and dataclasses.is_dataclass(item)
    assert [field.name for field in dataclasses.fields(Item)] == ["x", "y", "tags"]
    assert dataclasses.replace(Frozen(1), a=5) == Frozen(5) and dataclasses.astuple(Item(1)) == (1, 0, [])
    match Item(1, 2):
        case Item(x=1, y=found): assert found == 2
    match Item(1, 2):
        case Item(1, found): assert found == 2
    nest = outer()
    nest.items.append(Item(9))
    assert len(nest.items) == 2 and nest.items[1].x == 9 and nest.items[0] is nest.items[0]
    """,
)
scenario(
    "things of the standard library",
    """
    import datetime, math, operator, re, types
    def echo(x): return x
    def kinds(*values): return [type(value).__name__ for value in values]
    def nan(): return [math.nan]
    def views(): d = {"a": 1}; return d.keys(), d.values(), d.items()
    def types_(): return [int, str, type(None), datetime.date]
    def functions(): return {"+": operator.add, "len": len}
    def pattern(): return re.compile("a(b)")
    def proxy(): return types.MappingProxyType({"a": 1})
    def write(file): return file.write("hi\\n")
    def line(file): return file.readline()
    def fill(namespace): namespace.b = namespace.a + 1
    def is_a(x, kind): return isinstance(x, kind)
    def text(x): return str(x)
    def found(regex, where): return regex.findall(where)
    """,
    """
    import collections, datetime, http, io, math, operator, re, types, typing
    assert echo(math.nan) is math.nan and nan() == [math.nan] and math.copysign(1, echo(-0.0)) == -1
    assert echo(10 ** 5000) == 10 ** 5000 and echo("\\ud83d\\ude00") == "\\ud83d\\ude00"
    assert echo(datetime.timezone.utc) is datetime.timezone.utc and echo(http.HTTPStatus.OK) is http.HTTPStatus.OK
    keys, values, items = views()
    assert keys == {"a"} and list(values) == [1] and ("a", 1) in items and type(keys) is type({}.keys())
    assert types_() == [int, str, type(None), datetime.date] and functions()["+"] is operator.add
    assert pattern().match("ab").group(1) == "b" and found(re.compile("[ab]"), "abc") == ["a", "b"]
    assert proxy() == {"a": 1} and kinds(1, [], {}.keys(), collections.deque()) == ["int", "list", "dict_keys", "deque"]
    out, source = io.StringIO(), io.StringIO("a\\nb\\n")
    assert write(out) == 3 and out.getvalue() == "hi\\n" and line(source) == "a\\n" and source.read() == "b\\n"
    namespace = types.SimpleNamespace(a=1)
    fill(namespace)
    assert namespace.b == 2
    assert is_a(5, int) and is_a("x", (int, str)) and text(list[int]) == "list[int]" and text(typing.Any) == "typing.Any"
    marker, items = object(), [1]
    assert echo(marker) is marker and echo([marker])[0] is marker and echo(items) is items and echo((items,))[0] is items
    """,
)
scenario(
    "state of a module",
    """
    "What it is for."
    COUNT, CONFIG = 0, {"debug": False}
    __version__ = "1.2"
    def increase():
        global COUNT
        COUNT += 1
        return COUNT
    def helper(): return "real"
    def use(): return helper()
    def debug(): return CONFIG["debug"]
    class Service:
        def fetch(self): return "net"
        def run(self): return self.fetch().upper()
    """,
    """
    assert prog.COUNT == 0 and increase() == 1 and prog.COUNT == 1
    prog.COUNT = 10
    assert increase() == 11
    patch = pytest.MonkeyPatch()
    patch.setattr(prog, "helper", lambda: "patched")
    patch.setitem(prog.CONFIG, "debug", True)
    patch.setattr(Service, "fetch", lambda self: "class")
    assert (use(), debug(), Service().run()) == ("patched", True, "CLASS")
    patch.undo()
    assert (use(), debug(), Service().run()) == ("real", False, "NET")
    service = Service()
    patch.setattr(service, "fetch", lambda: "instance")
    assert service.run() == "INSTANCE"
    patch.undo()
    assert service.run() == "NET"
    assert prog.__version__ == "1.2" and prog.__doc__ == "What it is for." and prog.__name__ == "prog"
    assert hasattr(prog, "use") and not hasattr(prog, "nope") and "use" in dir(prog)
    with pytest.raises(AttributeError):
        prog.nope
    with pytest.raises(ImportError):
        from prog import nope
    """,
)
scenario(
    "what is printed and warned",
    """
    import sys, warnings
    class Own(UserWarning): pass
    def hello(name="you"): print("hello", name)
    def complain(): print("oops", file=sys.stderr)
    def around(f): print("before"); f(); print("after")
    def fail(): print("then"); raise ValueError
    def old(): warnings.warn("old thing", DeprecationWarning, stacklevel=2); return 1
    def own(): warnings.warn("own", Own)
    """,
    """
    import contextlib, io
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        hello("é☃")
        around(lambda: print("inside"))
        complain()
        with pytest.raises(ValueError):
            fail()
    assert out.getvalue() == "hello é☃\\nbefore\\ninside\\nafter\\nthen\\n" and err.getvalue() == "oops\\n"
    with pytest.warns(DeprecationWarning, match="old"):
        assert old() == 1
    with pytest.warns(Own):
        own()
    """,
)
scenario(
    "functions looked at, threads, generics, protocols",
    """
    import collections, functools, typing
    from concurrent.futures import ThreadPoolExecutor
    @functools.lru_cache(maxsize=None)
    def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
    def in_threads(f, items):
        with ThreadPoolExecutor(4) as pool:
            return list(pool.map(f, items))
    T = typing.TypeVar("T")
    class Box(typing.Generic[T]):
        def __init__(self): self.items = []
    @typing.runtime_checkable
    class Quacks(typing.Protocol):
        def quack(self): ...
    class Duck:
        def quack(self): return "quack"
    class List:
        class Node:
            def __init__(self, value, rest=None): self.value, self.rest = value, rest
        def __init__(self): self.head = None
        def add(self, value): self.head = self.Node(value, self.head)
    def annotated(a: int, b: str = "x", *c, d: float = 1.0, **e) -> bool:
        "Says yes."
        return True
    def closure():
        n = 0
        def step():
            nonlocal n
            n += 1
            return n
        return step
    """,
    """
    import functools, inspect, types
    assert fib(30) == 832040 and fib.cache_info().currsize == 31 and fib.__name__ == "fib"
    fib.cache_clear()
    assert fib.cache_info().currsize == 0
    assert in_threads(lambda x: x * 2, [1, 2, 3, 4]) == [2, 4, 6, 8] and in_threads(len, ["a", "bb"]) == [1, 2]
    assert Box[int]().items == [] and isinstance(Duck(), Quacks) and not isinstance(List(), Quacks)
    items = List()
    items.add(1)
    items.add(2)
    assert (items.head.value, items.head.rest.value, items.head.rest.rest) == (2, 1, None)
    assert isinstance(items.head, List.Node)
    signature = inspect.signature(annotated)
    assert list(signature.parameters) == ["a", "b", "c", "d", "e"] and signature.return_annotation is bool
    assert signature.parameters["b"].default == "x" and str(inspect.signature(Duck().quack)) == "()"
    assert annotated.__doc__ == "Says yes." and annotated.__annotations__["a"] is int and annotated.__module__ == "prog"
    assert inspect.isfunction(annotated) and isinstance(annotated, types.FunctionType) and inspect.isclass(Duck)
    wrapped = functools.wraps(annotated)(lambda: 0)
    assert wrapped.__name__ == "annotated"
    step = closure()
    assert step() == 1 and step() == 2
    """,
)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_is_the_same_from_another_process(judge: Judge, name: str) -> None:
    program, test = SCENARIOS[name]
    run_here(program, test)
    with judge(program) as split:
        run_test(test)
        assert (split.limits, split.lies, split.faults) == ([], [], [])


WRONG: dict[str, tuple[str, str]] = {
    "a wrong result": ("def add(a, b): return a - b", "assert add(1, 2) == 3"),
    "a wrong type that prints alike": ("def f(): return (1, 2)", "assert f() == [1, 2]"),
    "an argument changed that had to stay": (
        "def ordered(items): items.sort(); return items",
        "items = [2, 1]\nordered(items)\nassert items == [2, 1]",
    ),
    "an argument kept that had to be copied": (
        "class C:\n    def __init__(self, items): self.items = items",
        "items = [1]\nc = C(items)\nitems.append(2)\nassert c.items == [1]",
    ),
    "an inner list given away": (
        "class C:\n    def __init__(self): self._items = [1]\n    def items(self): return self._items",
        "c = C()\nc.items().append(2)\nassert c.items() == [1]",
    ),
    "an argument that a later call changes": (
        "class C:\n    def __init__(self, items): self.items = items\n    def add(self, x): self.items.append(x)",
        "items = [1]\nC(items).add(2)\nassert items == [1]",
    ),
    "the wrong exception": ("def f(): raise KeyError('x')", "with pytest.raises(ValueError):\n    f()"),
    "the wrong message": ("def f(): raise ValueError('x')", "with pytest.raises(ValueError, match='y'):\n    f()"),
    "no exception": ("def f(): return None", "with pytest.raises(ValueError):\n    f()"),
    "an eager generator": (
        "def naturals():\n    out = []\n    for i in range(5): out.append(i)\n    return out",
        "assert next(naturals()) == 0",
    ),
    "a callback called twice": ("def f(g): g(); g()", "calls = []\nf(lambda: calls.append(1))\nassert calls == [1]"),
    "an exception swallowed": (
        "def f(g):\n    try: g()\n    except Exception: pass",
        "def g(): raise OSError\nwith pytest.raises(OSError):\n    f(g)",
    ),
    "the wrong member": (
        "import enum\nclass E(enum.Enum): A = 1; B = 2\ndef f(): return E.B",
        "assert f() is E.A",
    ),
    "the wrong class": ("class A: pass\nclass B: pass\ndef f(): return B()", "assert isinstance(f(), A)"),
    "a field that differs": (
        "import dataclasses\n@dataclasses.dataclass\nclass P: x: int\ndef f(): return P(2)",
        "assert f() == P(1)",
    ),
    "a name that is missing": ("", "missing()"),
    "a module that cannot be imported": ("def f(:", "f()"),
    "nothing printed": (
        "def f(): pass",
        "import contextlib, io\nout = io.StringIO()\n"
        "with contextlib.redirect_stdout(out):\n    f()\nassert out.getvalue() == 'x'",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_program_fails_and_no_limit_excuses_it(judge: Judge, name: str) -> None:
    program, test = WRONG[name]
    with pytest.raises((Exception, pytest.fail.Exception)) as here:
        run_here(program, test)
    with judge(program or "pass") as split:
        with pytest.raises((Exception, pytest.fail.Exception)) as apart:
            run_test(test)
        assert type(apart.value).__name__ == here.type.__name__
        assert (split.limits, split.lies, split.faults) == ([], [], [])


# -- imports


def test_packages_are_imported_in_every_way(judge: Judge) -> None:
    files = {
        "prog": "X = 1\n_Y = 2\n__all__ = ['X', 'f']\ndef f(): return 'f'\ndef g(): return 'g'\n",
        "pkg____init__": "from .first import one\nNAME = 'pkg'\n",
        "pkg__first": "from . import second\ndef one(): return second.two() - 1\n",
        "pkg__second": "def two(): return 2\nSTATE = []\n",
        "bare__deep__leaf": "def leaf(): return 'leaf'\n",
    }
    with judge(**files):
        space: dict[str, Any] = {"__name__": "test_it"}
        exec(
            "import pkg.second as second, pkg\n"
            "from pkg import first, one\n"
            "from pkg.first import one as again\n"
            "from prog import *\n"
            "import bare.deep.leaf\n"
            "from bare.deep import leaf\n",
            space,
        )
        assert space["one"]() == 1 and space["one"] is space["again"]
        assert space["pkg"].second is space["second"] is space["first"].second
        assert space["pkg"].NAME == "pkg" and space["second"].two() == 2
        space["second"].STATE.append(1)
        assert space["pkg"].second.STATE == [1]
        assert space["bare"].deep.leaf.leaf() == "leaf" and space["leaf"].leaf() == "leaf"
        assert "X" in space and "f" in space and "g" not in space and "_Y" not in space
        with pytest.raises(ModuleNotFoundError):
            exec("import pkg.third", space)


def test_what_goes_wrong_on_import_is_raised_here(judge: Judge) -> None:
    broken = {"prog": "def f(:\n", "other": "import nowhere_to_be_found\n", "third": "1 / 0\n"}
    with judge(**broken) as split:
        with pytest.raises(SyntaxError) as syntax:
            import prog  # type: ignore[import-not-found]  # noqa: F401
        assert (Path(str(syntax.value.filename)).name, syntax.value.lineno) == ("prog.py", 1)
        with pytest.raises(ModuleNotFoundError, match="nowhere_to_be_found"):
            import other  # type: ignore[import-not-found]  # noqa: F401
        with pytest.raises(ZeroDivisionError) as division:
            import third  # type: ignore[import-not-found]  # noqa: F401
        assert split.trace_of(division.value) == [("third.py", 1, "<module>")]


def test_a_module_loaded_afresh_is_fresh(judge: Judge) -> None:
    with judge("STATE = []\ndef add(): STATE.append(1); return len(STATE)\n"):
        import importlib

        import prog

        assert prog.add() == 1 and prog.add() == 2
        importlib.reload(prog)
        assert prog.add() == 1
        del sys.modules["prog"]
        import prog as again

        assert again.add() == 1


def test_libraries_that_look_around_reach_nobody(judge: Judge) -> None:
    """What a test runner looks for on everything it meets is answered here."""
    with judge("def f(): pass\nclass C:\n    def __getattr__(self, name): raise SystemExit(name)\nc = C()\n") as split:
        import prog

        proxies_of = [prog, prog.f, prog.C, prog.c, prog.C.__init__]
        conversation, split._conversation = split._conversation, None  # type: ignore[assignment]
        space = {"__name__": "_pytest.python", "__file__": pytest.__file__, "all": proxies_of}
        names = ["__wrapped__", "pytestmark", "_pytestfixturefunction", "__test__", "setup_module", "pytest_plugins"]
        exec(f"found = [(x, n) for x in all for n in {names} if hasattr(x, n)]", space)
        exec("files = [x for x in all if hasattr(x, '__file__') or hasattr(x, '__path__')]", space)
        split._conversation = conversation
        assert space["found"] == [] and space["files"] == []
        assert (prog.__name__, prog.__spec__.name, prog.__package__) == ("prog", "prog", "")


# -- what cannot be carried


LIMITS: dict[str, tuple[str, str, str]] = {
    "its own object": ("def f(x): return x", "class T: pass\nf(T())", "an object of type T"),
    "its own object, inside": ("def f(x): return x", "class T: pass\nf([{'k': T()}])", "an object of type T"),
    "its own class": ("def f(x): return x", "class T: pass\nf(T)", "its own class T"),
    "its own error class with code": (
        "def f(x): raise x('m')",
        "class E(Exception):\n    def __init__(self, a): self.a = a\nf(E)",
        "its own class E",
    ),
    "a module": ("def f(x): return x", "import json\nf(json)", "the module json"),
    "an open file": ("def f(x): return x", "import os\nwith open(os.devnull) as file:\n    f(file)", "an open file"),
    "a cyclic list": ("def f(x): return x", "x = []\nx.append(x)\nf(x)", "holds itself"),
    "a list made cyclic later": ("def f(x): return x", "x = [1]\ny = f([x])\nx.append(x)\nf(x)", "holds itself"),
    "too deep a list": ("def f(x): return x", "x = []\nfor _ in range(2000): x = [x]\nf(x)", "deeper than"),
    "too long a text": ("def f(x): return x", "f('x' * (9 << 20))", "a message of"),
    "a subclass": ("class A: pass", "class B(A): pass", "a subclass of a class of the program"),
    "a subclass that is abstract": ("class A: pass", "import abc\nclass B(A, abc.ABC): pass", "a subclass"),
    "a subclass of an error": ("class E(Exception): pass", "class F(E): pass", "a subclass"),
    "a coroutine": ("async def f(): return 1", "import asyncio\nasyncio.run(f())", "awaits"),
    "a coroutine by hand": ("async def f(): return 1", "f().send(None)", "awaits"),
    "an asynchronous context": (
        "class C:\n    async def __aenter__(self): pass\n    async def __aexit__(self, *a): pass",
        "import asyncio\nasync def main():\n    async with C(): pass\nasyncio.run(main())",
        "asynchronous context",
    ),
    "a pickle": ("class C: pass", "import pickle\npickle.dumps(C())", "pickles"),
    "a descriptor": (
        "class D:\n    def __get__(self, item, owner): return 1\n    def __set__(self, item, value): pass",
        "class T: x = D()\nT().x",
        "a descriptor",
    ),
    "an attribute that cannot cross": ("X = 1", "class T: pass\nprog.X = T()", "an object of type T"),
    "a result of a callback": ("def f(g): return g()", "class T: pass\nf(lambda: T())", "an object of type T"),
    "more than an iterator": ("def f(x): return x.send(1)", "def g(): yield 1\nf(g())", "an iterator"),
    "source code": ("def f(): pass", "import inspect\ninspect.getsource(f)", "inspect"),
    "the kind of a function": ("async def f(): pass", "import inspect\ninspect.iscoroutinefunction(f)", "inspect"),
    "type hints": ("def f(x: 'int'): pass", "import typing\ntyping.get_type_hints(f)", "typing"),
    "the file of a module": ("", "prog.__file__", "the file of the module prog"),
    "a comparison with its own object": (
        "class C:\n    def __eq__(self, other): return other.x == 1",
        "class T: x = 1\nassert C() == T()",
        "compares",
    ),
}


@pytest.mark.parametrize("name", LIMITS)
def test_what_a_test_does_that_cannot_be_carried_is_named(judge: Judge, name: str) -> None:
    program, test, said = LIMITS[name]
    with judge(program or "pass") as split, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((proxies.NotCarried, RuntimeError)) as info:
            run_test(test)
        assert isinstance(info.value, proxies.NotCarried) or isinstance(info.value.__cause__, proxies.NotCarried)
        assert said in split.limits[0] and split.limits[0].startswith("the test ")
        assert (split.lies, split.faults) == ([], [])
        split.begin_case()
        assert split.limits == []
        assert split.ask("import", [], ["prog"]) is sys.modules["prog"], "the conversation goes on"


def test_a_limit_that_the_program_swallows_is_kept(judge: Judge) -> None:
    with judge("def f(g):\n    try: return g()\n    except BaseException: return 'fine'\n") as split:
        import prog

        class Own:
            pass

        assert prog.f(lambda: Own()) == "fine"
        assert "an object of type" in split.limits[0]


def test_a_bare_object_and_a_plain_error_class_are_carried(judge: Judge) -> None:
    with judge("def f(x): return [x]\ndef g(error): raise error('m')\n") as split:
        import prog

        class Own(ValueError):
            code = 5

        marker = object()
        assert prog.f(marker)[0] is marker
        with pytest.raises(Own, match="m") as info:
            prog.g(Own)
        assert info.value.code == 5 and split.limits == []


# -- comparisons


COMPARED = """
import dataclasses, enum
@dataclasses.dataclass
class P:
    x: int
class Folded:
    def __init__(self, text): self.text = text
    def __eq__(self, other): return self.text.lower() == str(getattr(other, "text", other)).lower()
class Text(str): pass
class Loose(str):
    def __eq__(self, other): return self.lower() == str(other).lower()
    __hash__ = str.__hash__
class E(enum.Enum):
    A = 1
class Empty:
    def __len__(self): return 0
def text(): return Text("a")
"""


@pytest.mark.parametrize(
    ("test", "doubted"),
    [
        ("assert P(1) == P(1) and P(1) != P(2)", "equality of P objects"),
        (
            "assert Folded('A') == 'a' and Folded('A') != 'b' and not Folded('x') == 'b'",
            "equality of Folded objects with plain",
        ),
        ("assert ['a'] == [Folded('A')] and 'a' in [Folded('A')]", "equality of Folded objects with plain data"),
        (
            "assert Loose('A') == 'a' and Loose('A') == 'A' and Loose('A') != 'b'",
            "equality of Loose objects with plain data",
        ),
        ("assert not Empty()", "the truth of Empty objects"),
        ("x = P(1)\nassert P(1) != 1 and x == x", "equality of P objects"),
        ("assert P(1).x == 1 and repr(P(1)) == 'P(x=1)'", ""),
        ("assert text() == 'a' and text() != 'b' and E.A == E(1) and E.A is E.A and E.A != 1", ""),
        ("assert len(Empty()) == 0 and isinstance(P(1), P)", ""),
    ],
)
def test_a_pass_that_rests_on_the_programs_word_is_doubted(judge: Judge, test: str, doubted: str) -> None:
    with judge(COMPARED) as split:
        run_test(test)
        assert any(doubted in doubt for doubt in split.doubts) if doubted else split.doubts == []
        assert len(split.doubts) == len(set(split.doubts))
        assert (split.limits, split.lies) == ([], [])


LIARS = """
class Yes:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 1
def liar(base):
    return type("Liar", (base,), {"__eq__": Yes.__eq__, "__ne__": Yes.__ne__, "__hash__": Yes.__hash__})
text, number, items = liar(str)("wrong"), liar(int)(0), liar(list)([0])
class Iterates(list):
    def __iter__(self): return iter([1, 2])
    def __len__(self): return 2
"""


@pytest.mark.parametrize(
    "test",
    [
        *("assert Yes() == 5", "assert 'answer' == Yes()", "assert Yes() != (1, 2)", "assert [1, Yes()] == [1, 2]"),
        *(
            "assert {'k': Yes()} == {'k': 1.5}",
            "assert 'x' in [Yes()]",
            "assert Yes() in ['x']",
            "assert {Yes()} == {1}",
        ),
        *(
            "assert text == 'right'",
            "assert 'right' == text",
            "assert number == 7",
            "assert items == [1]",
            "assert [1] == items",
        ),
        *("assert Yes() == {'a': [1]}", "assert Yes() == {1, 2}", "assert Yes() == b'x'", "assert Yes() == None"),
        *("assert Yes() == True", "assert Yes() == ''", "assert Yes() == ()", "assert Yes() == float('nan')"),
    ],
)
def test_who_equals_everything_is_caught(judge: Judge, test: str) -> None:
    with judge(LIARS) as split:
        with pytest.raises(AssertionError):
            run_test(test)
        assert len(split.lies) == 1 and "says that it equals" in split.lies[0]
        assert (split.limits, split.faults) == ([], [])


def test_a_list_compares_by_what_it_holds_and_not_by_what_it_says(judge: Judge) -> None:
    with judge(LIARS) as split:
        run_test("assert Iterates([3]) == [3] and Iterates([3]) != [1, 2]")
        assert (split.doubts, split.lies) == ([], [])


@pytest.fixture
def _no_class_of_another_test() -> None:
    """An abstract class asks every subclass that was not collected yet, those of a program that has ended too."""
    gc.collect()


@pytest.mark.usefixtures("_no_class_of_another_test")
@given(_VALUES)
@settings(max_examples=150, deadline=None)
def test_decoys_differ_from_the_value_and_are_like_it(value: object) -> None:
    found = equality.decoys(value)
    assert len(found) == equality.DECOYS >= 8
    assert not any(equality._equal(decoy, value) for decoy in found)
    if type(value) in (int, str, list) and value:
        assert sum(type(decoy) is type(value) for decoy in found) >= 2


# -- hostile programs


HOSTILE = """
import os, sys, time, threading
def ok(): return "ok"
def cyclic():
    x = []
    x.append(x)
    return x
def deep():
    x = []
    for _ in range(5000): x = [x]
    return x
def laughs():
    x = []
    for _ in range(60): x = [x, x]
    return x
def huge(): return "x" * (9 << 20)
def many(): return [object() for _ in range(150_000)]
class Reduces:
    def __reduce__(self): return os.system, ("touch reduced",)
def reduces(): return Reduces()
class Mute(Exception):
    def __str__(self): raise RuntimeError
    __repr__ = __str__
def mute(): raise Mute("x")
class Meta(type):
    def __getattribute__(cls, name): raise ZeroDivisionError(name)
def strange_error(): raise Meta("Strange", (Exception,), {})()
def strange_object(): return Meta("Strange", (), {})()
def pytest_skip():
    import pytest
    pytest.skip("ha")
def unittest_skip():
    import unittest
    raise unittest.SkipTest("ha")
def pytest_exit():
    import pytest
    pytest.exit("bye", 0)
def interrupt(): raise KeyboardInterrupt
class Interrupts(KeyboardInterrupt): pass
def interrupts(): raise Interrupts
def generator_exit(): raise GeneratorExit
def die(): os._exit(0)
def close():
    os.closerange(3, 256)
    return "ok"
def fork():
    if os.fork() == 0: return "child"
    os.wait()
    return "parent"
def modules():
    sys.modules["prog"] = 5
    sys.modules["json"] = None
    return "ok"
def patch():
    import _pytest.python, _pytest.runner, builtins, unittest
    builtins.AssertionError = KeyError
    _pytest.runner.call_runtest_hook = _pytest.python.pytest_pyfunc_call = lambda *a, **k: None
    unittest.TestCase.assertEqual = lambda *a: None
    return 2
class Evil:
    __slots__ = ("__dict__",)
    def __class_getitem__(cls, key): return eval
def evil(): return [eval, exec, os.system, Evil[0]]
def printer(): print("x" * 300_000); return "ok"
"""


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("cyclic", "holds itself"),
        ("deep", "nested deeper"),
        ("laughs", "more than a million values"),
        ("huge", "a message of"),
        ("many", "more than 100000 objects"),
    ],
)
def test_what_is_too_much_to_bring_is_a_limit_of_ours(judge: Judge, call: str, said: str) -> None:
    with judge(HOSTILE) as split:
        import prog

        with pytest.raises(proxies.NotCarried, match=said):
            getattr(prog, call)()
        assert said in split.limits[0] and split.faults == []
        assert prog.ok() == "ok", "the conversation goes on"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("strange_error", "cannot be looked at"),
        ("strange_object", "cannot be looked at"),
    ],
)
def test_what_cannot_be_given_is_the_programs_fault(judge: Judge, call: str, said: str) -> None:
    with judge(HOSTILE) as split:
        import prog

        with pytest.raises(proxies.ProgramFault, match=said):
            getattr(prog, call)()
        assert said in split.faults[0] and split.limits == []
        assert prog.ok() == "ok", "the conversation goes on"


@pytest.mark.parametrize("call", ["die", "close"])
def test_a_program_that_ends_its_process_is_at_fault_ever_after(judge: Judge, call: str) -> None:
    with judge(HOSTILE) as split:
        import prog

        for function in (getattr(prog, call), prog.ok):
            with pytest.raises(proxies.ProgramFault, match="has ended"):
                function()
        split.begin_case()
        with pytest.raises(proxies.ProgramFault, match="has ended"):
            prog.ok()
        assert split.faults and split.limits == []


def test_nothing_that_a_program_raises_ends_or_skips_the_run(judge: Judge) -> None:
    import unittest

    with judge(HOSTILE) as split:
        import prog

        for name, expected in {
            "pytest_skip": "Skipped",
            "pytest_exit": "Exit",
            "unittest_skip": "SkipTest",
            "interrupt": "RuntimeError",
            "interrupts": "Interrupts",
            "generator_exit": "RuntimeError",
            "mute": "Mute",
        }.items():
            with pytest.raises(BaseException) as info:
                getattr(prog, name)()
            assert info.type.__name__ == expected
            stops = (KeyboardInterrupt, GeneratorExit, unittest.SkipTest, pytest.skip.Exception, pytest.exit.Exception)
            assert not isinstance(info.value, stops)
            assert isinstance(str(info.value), str)
        assert (split.limits, split.faults) == ([], [])


def test_a_hostile_program_reaches_nothing_here(judge: Judge, tmp_path: Path) -> None:
    with judge(HOSTILE) as split:
        import prog

        reduces = prog.reduces()
        assert type(reduces).__name__ == "Reduces" and not (tmp_path / "reduced").exists()
        assert prog.fork() == "parent" and prog.modules() == "ok" and prog.ok() == "ok"
        functions = prog.evil()
        assert not any(function is real for function in functions for real in (eval, exec, os.system))
        before = AssertionError
        assert prog.patch() == 2 and AssertionError is before
        with pytest.raises(AssertionError):
            assert prog.patch() == 3
        assert split.limits == []


def test_only_so_much_output_is_kept(judge: Judge, capsys: pytest.CaptureFixture[str]) -> None:
    with judge(HOSTILE) as split:
        import prog

        assert prog.printer() == "ok"
        assert capsys.readouterr().out == "x" * 65536
        assert "printed" in split.doubts[0]


class FakeCandidate:
    """A peer that sends what it likes; `frames` are JSON values, or bytes for the body of a frame."""

    def __init__(self, *frames: Any, raw: bytes = b"") -> None:
        bodies = [frame if isinstance(frame, bytes) else json.dumps(frame).encode() for frame in frames]
        self._end, self._theirs = socket.socketpair()
        self._data = raw + b"".join(struct.pack("!I", len(body)) + body for body in bodies)
        self._thread = threading.Thread(target=self._talk, daemon=True)

    def __enter__(self) -> proxies.Split:
        self._thread.start()
        return proxies.Split(self._end.fileno(), ["prog"])

    def __exit__(self, *_: object) -> None:
        self._end.close()
        self._thread.join(10)
        self._theirs.close()

    def _talk(self) -> None:
        with contextlib.suppress(OSError):
            self._theirs.sendall(self._data)
            self._theirs.shutdown(socket.SHUT_WR)
            while self._theirs.recv(65536):
                pass


def done(*values: Any, **more: Any) -> dict[str, Any]:
    return {"is": "done", "v": [*values], **more}


def raised(**fields: Any) -> dict[str, Any]:
    return {"is": "raised", "v": [["error", {"class": ["builtins", "ValueError"], "args": ["tuple"], **fields}]]}


def portrait(**fields: Any) -> dict[str, Any]:
    names_of = {"number": 1, "name": "K", "qualname": "K", "module": "prog", "doc": None, "hash": "", "data": None}
    lists: dict[str, Any] = {key: [] for key in ("mro", "bases", "has", "methods", "hidden", "fields", "is")}
    return {**names_of, **lists, "shared methods": [], **fields}


def described(**fields: Any) -> dict[str, Any]:
    return done(["object", 5, 1], classes=[portrait(**fields)])


def nested(depth: int) -> Any:
    form: Any = 1
    for _ in range(depth):
        form = ["tuple", form]
    return form


GARBAGE: list[Any] = [
    *(b"garbage", b"\xff\xfe", b"[]", b"1", b'{"is":"done","v":[NaN]}', b'{"is":"done","v":[' + b"9" * 5000 + b"]}"),
    *(b"[" * 100_000, b'{"is":"done","v":' + b'["tuple",' * 900 + b"1" + b"]" * 900 + b"}"),
    *({"is": "nonsense"}, {"is": "done"}, done(), done(["nonsense", 1]), done([]), done([5]), done({"a": 1})),
    *(done(["list"]), done(["list", 1]), done(["list", 2, None]), done(["list", -1, None]), done(["list", "1", None])),
    *(done(["list", 1, None, ["same", 1]]), done(["list", 1, None], ["list", 1, None]), done(["same", 5])),
    *(done(["kept", 0]), done(["int", "zz"]), done(["int", 5]), done(["float", "00"]), done(["str", "zz"])),
    *(done(["bytes", "!!"]), done(["datetime", 1]), done(["datetime", 10**5, 1, 1, 0, 0, 0, 0, 0, None])),
    *(done(["zone", "../../etc/passwd"]), done(["zone", "No/Where"]), done(["Decimal", "x"]), done(["Fraction", 1, 0])),
    *(done(["dict", 1, None, 1]), done(["set", 1, None, ["list", 3, None]]), done(["array", 1, "zz", ["bytes", ""]])),
    *(done(["deque", 1, -5]), done(["defaultdict", 1, 5]), done(["StringIO", 1, None, 5, 6]), done(["proxy", 5])),
    *(done(["keys", 5]), done(["path", "x", "y"]), done(["timezone", [9, 9, 9]]), done(["range", 1, 2, 0])),
    *(
        done(nested(300)),
        done(["object", 1, 99]),
        done(["object", -1, 1]),
        done(["class", 99]),
        done(["value", 1, 1, 1]),
    ),
    *(done(["name", "os", "system"]), done(["name", "builtins", "eval"]), done(["name", ["a"], {}]), done(["name"])),
    *(
        done(["member", "os", "x", "y"]),
        done(["member", "re", "sys", "modules"]),
        done(["member", "http", "HTTPStatus", "mro"]),
    ),
    *(
        done(["yours", 1]),
        done(["yours", None]),
        done(["handle", 1]),
        done(["error", {}]),
        done(["module", 1, 1, "other"]),
    ),
    *({"is": "raised", "v": [5]}, {"is": "raised"}, raised(args=5), raised(state=5), raised(frames=[1])),
    *(
        raised(**{"class": ["builtins", "int"]}),
        raised(**{"class": 7}),
        raised(__cause__=5),
        raised(handle="x", text=""),
    ),
    *(
        {"is": "call", "token": 1, "v": []},
        {"is": "call"},
        {"is": "next", "token": 1, "v": []},
        {"is": "touch", "token": 1},
    ),
    *({"is": "fault", "why": 5, "v": []}, done(1, changes=[[1, 2]]), done(1, changes=5), done(1, forget=5)),
    *(done(1, dropped=5), done(1, out=5), done(1, 2), done(1, 2, 3, 4), done(1, classes=[5]), done(1, classes=[{}])),
    *(described(has=["__getattribute__"]), described(has=["__class__"]), described(name="a\0b"), described(name=5)),
    *(described(mro=[7]), described(mro=[["a"]]), described(number=0), described(number="x"), described(name="\ud800")),
    *(described(data="list", hidden=["__class__"]), described(data="list", hidden=["_split_state"])),
    *(
        described(data="nonsense"),
        described(data="tuple", fields=["__init__"]),
        described(doc=5),
        {"is": "done", "v": 5},
    ),
    *(described(members=[["a", ["object", 1, 1], 3]]), described(**{"is": 5}), described(name="x" * 1000)),
]


@pytest.mark.parametrize("index", range(len(GARBAGE)))
def test_garbage_is_a_fault_and_ends_the_conversation(index: int) -> None:
    with FakeCandidate(GARBAGE[index]) as split:
        for _ in range(2):
            with pytest.raises(proxies.ProgramFault):
                split.ask("get", [1], ["x"])
        assert split.limits == [] and len(split.faults) == 1


@pytest.mark.parametrize("raw", [b"", b"\0\0", b"\xff\xff\xff\xff" + b"x" * 50, b"\0\x7f\xff\xff" + b"x" * 50])
def test_half_a_frame_or_too_long_a_one_is_a_fault(raw: bytes) -> None:
    with FakeCandidate(raw=raw) as split:
        with pytest.raises(proxies.ProgramFault):
            split.ask("get", [1], ["x"])
        assert split.limits == []


def test_a_list_that_grows_over_many_frames_stays_printable() -> None:
    """Ten times twice the list before would be a thousand; sixty times would never end."""
    frames = [done(["list", 1, None, 1])]
    frames += [done(["list", 2 * i + 3, None, ["same", 2 * i + 1], ["same", 2 * i + 1]]) for i in range(60)]
    with FakeCandidate(*frames) as split:
        held = []
        with pytest.raises(proxies.ProgramFault):
            for _ in frames:
                held.append(split.ask("get", [1], ["x"]))
        assert 10 < len(held) < 25


def test_a_list_that_a_change_puts_into_itself_is_a_fault() -> None:
    with FakeCandidate(done(["list", 1, None, 1]), done(1, changes=[[1, ["same", 1]]])) as split:
        held = split.ask("get", [1], ["x"])
        with pytest.raises(proxies.ProgramFault):
            split.ask("get", [1], ["x"])
        assert len(held) == 1


def test_a_portrait_gives_a_class_only_what_the_tables_list() -> None:
    fields = {"methods": ["__del__"], "shared methods": ["__eq__"], "has": ["__len__"], "is": ["decides"]}
    with FakeCandidate(described(**fields)) as split:
        kind = type(split.ask("get", [1], ["x"]))
        own = set(type.__dict__["__dict__"].__get__(kind))
        assert own - {"__module__", "__qualname__", "__doc__", "__slots__", "_split_state"} == {"__len__", "__bool__"}


# -- time, threads, secrets, resources


class Alarm(BaseException):
    """What the judge's own alarm raises."""


@contextlib.contextmanager
def alarm(seconds: float) -> Iterator[None]:
    def strike(number: int, frame: FrameType | None) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, strike)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


SLOW = """
import threading, time
def spin():
    while True: pass
def sleep(): time.sleep(60)
def wait():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
def call(f):
    try: return f()
    except Exception: return "swallowed"
def call_in_thread(f):
    box = []
    thread = threading.Thread(target=lambda: box.append(f()), daemon=True)
    thread.start()
    thread.join()
    return box
def keep(items, done=[]):
    done.append(items)
    items.append(1)
def ok(x=1): return x
def nested(f): return [f(i) for i in range(3)]
"""


@pytest.mark.parametrize("call", ["spin", "sleep", "wait", "call", "nested", "call_in_thread"])
def test_an_alarm_ends_a_call_and_the_next_one_is_answered(judge: Judge, call: str) -> None:
    with judge(SLOW) as split:
        import prog

        items: list[int] = []
        prog.keep(items)
        arguments: dict[str, list[Any]] = {
            "call": [lambda: prog.spin()],
            "nested": [lambda _: prog.sleep()],
            "call_in_thread": [lambda: time.sleep(60)],
        }
        with pytest.raises(Alarm), alarm(0.15):
            getattr(prog, call)(*arguments.get(call, []))
        split.begin_case()
        assert prog.ok() == 1 and prog.nested(lambda i: prog.ok(i)) == [0, 1, 2]
        prog.keep(items)
        assert items == [1, 1] and (split.limits, split.faults) == ([], [])


def test_an_alarm_in_a_function_of_the_test_ends_the_call(judge: Judge) -> None:
    with judge(SLOW) as split:
        import prog

        def slow() -> None:
            time.sleep(60)

        with pytest.raises(Alarm), alarm(0.1):
            prog.call(slow)
        assert prog.ok() == 1 and split.faults == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("seed", range(8))
def test_alarms_in_the_middle_of_everything_lose_nothing(judge: Judge, seed: int) -> None:
    """However often a chat is cut short, at whatever point, the answers stay those of the questions.

    Python swallows an alarm that strikes in the callback of a weak reference; a case's alarm strikes again.
    """
    with judge(SLOW) as split:
        import prog

        prog.ok()
        chance = random.Random(seed)
        for turn in range(40):
            with contextlib.suppress(Alarm), alarm(chance.uniform(0.0002, 0.003)):
                for number in range(1000):
                    assert prog.ok([number, turn]) == [number, turn]
                    assert prog.nested(lambda i, turn=turn: i + turn) == [turn, turn + 1, turn + 2]
            assert prog.ok(turn) == turn
        assert (split.limits, split.faults) == ([], [])


def test_threads_of_a_test_take_turns(judge: Judge) -> None:
    with judge(SLOW) as split:
        import prog

        results: list[int] = []
        threads = [
            threading.Thread(target=lambda n=n: results.append(sum(prog.ok(n) for _ in range(30)))) for n in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
        assert sorted(results) == [0, 30, 60, 90]
        assert split.limits == [] and all("threads" in doubt for doubt in split.doubts)


def test_only_what_the_test_passes_crosses(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither an expected value nor what a failed check says of one, not even through the program's own frames."""
    sent: list[bytes] = []
    real = os.write

    def write(fd: int, data: Any) -> int:
        sent.append(bytes(data))
        return real(fd, data)

    monkeypatch.setattr(wire.os, "write", write)
    program = "def f(g=None): return g() if g else 'nothing'\nclass C:\n    def __enter__(self): pass\n"
    program += "    def __exit__(self, kind, error, trace): raise error\n"
    with judge(program):
        import prog

        def check() -> None:
            assert prog.f() == "expected one", "expected two"

        for attempt in (check, lambda: prog.f(check)):
            with pytest.raises(AssertionError, match="expected"):
                attempt()
        with pytest.raises(AssertionError, match="expected"), prog.C():
            check()
        with pytest.raises(pytest.fail.Exception, match="expected three"):
            prog.f(lambda: pytest.fail("expected three"))
    assert sent and b"expected" not in b"".join(sent)


def test_what_nobody_holds_is_let_go(judge: Judge) -> None:
    program = """
    import gc, weakref
    class Thing: pass
    LIVE = weakref.WeakSet()
    def make():
        thing = Thing()
        LIVE.add(thing)
        return thing
    def live(): gc.collect(); return len(LIVE)
    def take(items, f): return len(items)
    """
    with judge(program) as split:
        import prog

        held = [prog.make() for _ in range(5)]
        for _ in range(200):
            prog.make()
            prog.take([[1], {"a": []}], lambda: 0)
        prog.take([], len)
        assert prog.live() == 5 == len(held)
        assert len(split._conversation._shared) < 5 and len(split._inward._live) < 20
        assert len(split._exports._things) < 5


def test_a_large_list_is_followed_during_its_call_only(judge: Judge) -> None:
    program = "KEPT = []\ndef keep(items):\n    KEPT.append(items)\n    items.sort()\ndef ok(): pass\n"
    with judge(program) as split:
        import prog

        items = list(range(20_000, 0, -1))
        prog.keep(items)
        assert items[:2] == [1, 2] and split.doubts == []
        prog.ok()
        prog.ok()
        assert "a list of 20000 values was not followed" in split.doubts[0]


# -- pytest itself


_JUDGE = (
    _LOAD
    + """
import json, pytest
split = importlib.import_module("_sandbox.split.proxies").Split(int(sys.argv[2]), ["prog"])
split.install()
outcomes = {}
class Plugin:
    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            outcomes[report.nodeid.partition("::")[2]] = report.outcome
    def pytest_collectreport(self, report):
        if report.failed: outcomes[report.nodeid] = report.longreprtext
sys.path.insert(0, os.getcwd())
options = ["-p", "no:cacheprovider", "-q", "-c", os.devnull, "--rootdir", ".", *sys.argv[3:]]
status = pytest.main([*options, "test_prog.py"], plugins=[Plugin()])
open("said.json", "w").write(json.dumps([int(status), outcomes, split.limits, split.lies, split.faults]))
"""
)
_PYTEST_PROGRAM = """
import enum
class Color(enum.Enum):
    RED = 1
    BLUE = 2
class TestLike:
    def helper(self): pass
def test_helper(): pass
class Stack:
    def __init__(self, items=()): self.items = list(items)
    def push(self, x): self.items.append(x)
    def pop(self):
        if not self.items: raise IndexError("empty")
        return self.items.pop()
    def __len__(self): return len(self.items)
    def __eq__(self, other): return isinstance(other, Stack) and self.items == other.items
def hello(): print("hello")
def double(x): return x * 2
def shout(text): return text.upper()
setup_module = None
"""
_PYTEST_TESTS = """
import unittest
import pytest
import prog
from prog import *
from prog import Color, Stack, TestLike, double, hello

@pytest.fixture
def stack():
    made = Stack([1])
    yield made
    assert made.items is not None

@pytest.mark.parametrize("f, x", [(double, 2), (prog.shout, "a"), (len, "ab")])
def test_functions(f, x): assert f(x) in (4, "A", 2)

@pytest.mark.parametrize("color", list(Color))
def test_members(color): assert color.name in ("RED", "BLUE")

def test_fixture(stack):
    stack.push(2)
    assert stack.pop() == 2 and len(stack) == 1

def test_raises(stack):
    stack.pop()
    with pytest.raises(IndexError, match="empty"): stack.pop()

def test_printed(capsys):
    hello()
    assert capsys.readouterr().out == "hello\\n"

def test_approx(): assert double(0.1) == pytest.approx(0.2)
def test_fails(): assert double([1]) == [1]
def test_objects_differ(): assert Stack([1]) == Stack([2])
@pytest.mark.xfail(strict=True)
def test_expected_to_fail(): assert double(1) == 3

class TestGroup:
    def setup_method(self): self.stack = Stack()
    def test_empty(self): assert len(self.stack) == 0 and not self.stack

class Case(unittest.TestCase):
    def setUp(self): self.stack = Stack([3])
    def test_pop(self):
        self.assertEqual(self.stack.pop(), 3)
        with self.assertRaises(IndexError): self.stack.pop()
        self.assertIsInstance(self.stack, Stack)
        self.assertIn("a", shout("A").lower())
"""


@pytest.mark.parametrize("rewrite", [True, False])
def test_pytest_runs_over_proxies(nursery: Nursery, tmp_path: Path, rewrite: bool) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    for folder, name, text in ((there, "prog.py", _PYTEST_PROGRAM), (here, "test_prog.py", _PYTEST_TESTS)):
        folder.mkdir()
        (folder / name).write_text(text)
    with nursery.start(there) as end:
        options = [] if rewrite else ["--assert=plain"]
        command = [sys.executable, "-c", _JUDGE, str(INSIDE), str(end.fileno()), *options]
        environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        ran = subprocess.run(
            command,
            cwd=here,
            env=environment,
            pass_fds=[end.fileno()],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    status, outcomes, *notes = json.loads((here / "said.json").read_text())
    failed = {name for name, outcome in outcomes.items() if outcome == "failed"}
    assert failed == {"test_fails", "test_objects_differ"} and status == 1, ran.stdout
    assert (
        len(outcomes) == 15 and outcomes["test_helper"] == "passed" and outcomes["test_functions[double-2]"] == "passed"
    )
    assert notes == [[], [], []]
    assert ("[1, 1] == [1]" in ran.stdout) is rewrite
