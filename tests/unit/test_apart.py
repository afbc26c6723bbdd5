"""Which fixtures may be kept while the program changes: those that cannot reach it by any name that they use."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

from selfheal_tui.sandbox.inside.sift.apart import Apart
from selfheal_tui.sandbox.inside.sift.imports import bindings

FILES = {
    "shop": "PRICE = 2\ndef price(): return PRICE\n",
    "builds": "import json\ndef build(): return json.loads('[1]')\n",
    "mixed": "import shop\ndef build(): return shop.PRICE\n",
    "above": "import mixed\ndef build(): return mixed.build()\n",
    "test_it": "import functools, json, math\nimport builds, mixed, above\nfrom builds import build\n"
    "from shop import price\nimport shop as store\n"
    "def total(): return price()\ndef plain(): return math.pi\n"
    "class Own: pass\n"
    "cached = functools.lru_cache(plain)\n"
    "TABLE, CALLS, RATE = {'a': [1]}, [price], store.PRICE * 2\n",
}
APART = ["json.loads('[1]')", "build()", "builds.build()", "[plain() for _ in TABLE]", "RATE"]
BOUND = [
    "price()",
    "store.PRICE",
    "total()",
    "(lambda: total())()",
    "mixed.build()",
    "above.build()",
    "CALLS[0]()",
    "Own()",
    "cached()",
    "importlib.import_module('shop')",
    "patch('shop.PRICE', 3)",
    "__import__(NAME)",
]


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    loaded = {}
    for name, text in FILES.items():
        (tmp_path / f"{name}.py").write_text(text)
        loaded[name] = ModuleType(name)
        loaded[name].__file__ = str(tmp_path / f"{name}.py")
        monkeypatch.setitem(sys.modules, name, loaded[name])
        exec(compile(text, str(loaded[name].__file__), "exec"), vars(loaded[name]))
    return loaded


@pytest.mark.parametrize("expression", [*APART, *BOUND])
def test_what_a_function_uses_by_name(expression: str, modules: dict[str, ModuleType]) -> None:
    test_module = modules["test_it"]
    file = str(test_module.__file__)
    bound = [one for name in ("test_it", "mixed") for one in bindings(modules[name], frozenset({"shop"}))]
    apart = Apart(frozenset({"shop"}), file.removesuffix("test_it.py"), bound)
    exec(compile(f"def fixture():\n    return {expression}\n", file, "exec"), vars(test_module))
    function = vars(test_module)["fixture"]
    assert isinstance(function, FunctionType)
    assert apart.is_apart(function) == (expression in APART)
