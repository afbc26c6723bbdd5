"""Values that tests give by a name are arguments of calls like any others; what may be another value is left alone."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from selfheal_tui.search.program.bound import with_values
from selfheal_tui.search.weigh.inputs import build_calls
from selfheal_tui.search.weigh.seeds import seeds_of
from selfheal_tui.search.weigh.spoken_changed import build_spoken_calls

FIXTURE = "import pytest\n@pytest.fixture\ndef row():\n    'A row.'\n    return {'a': 1}\n"


def seeds(tests: Mapping[str, str]) -> list[tuple[str, list[object]]]:
    return list(seeds_of(with_values(tests)))


@pytest.mark.parametrize(
    "text",
    [
        "ROW = {'a': 1}\ndef test_a():\n    assert f('x', ROW) == 2\n",
        "ROW: dict = {'a': 1}\nWANTED = 2\ndef test_a():\n    assert f('x', ROW) == WANTED\n",
        "def test_a():\n    row = {'a': 1}\n    assert f('x', row) == 2\n",
        "ROW = {'a': 1}\ndef test_a():\n    name = 'x'\n    out = f(name, ROW)\n    assert out == 2\n",
        "row = 3\ndef test_a():\n    row = {'a': 1}\n    assert f('x', row) == 2\n",
        f"{FIXTURE}def test_a(row):\n    assert f('x', row) == 2\n",
        "ROW = {'a': 1}\nclass TestA:\n    def test_a(self):\n        assert f('x', ROW) == 2\n",
    ],
)
def test_a_name_stands_for_its_value(text: str) -> None:
    found = seeds({"t.py": text.replace("class TestA:\n    def test_a(self):\n        ", "def test_a():\n    ")})
    assert found == [("f", ["x", {"a": 1}])]


def test_a_fixture_of_a_conftest_counts() -> None:
    text = "def test_a(row):\n    assert f('x', row) == 2\n"
    assert seeds({"t.py": text, "conftest.py": FIXTURE}) == [("f", ["x", {"a": 1}])]
    assert seeds({"t.py": text, "conftest.py": FIXTURE.replace("fixture", "fixture(params=[1])")}) == []


@pytest.mark.parametrize(
    "text",
    [
        "ROW = {'a': 1}\nROW = {'a': 2}\ndef test_a():\n    assert f(ROW) == 2\n",
        "ROW = make()\ndef test_a():\n    assert f(ROW) == 2\n",
        "ROW = {'a': 1}\ndef test_a(ROW):\n    assert f(ROW) == 2\n",
        "ROW = {'a': 1}\ndef test_a():\n    ROW['a'] = 3\n    assert f(ROW) == 2\n",
        "def test_a():\n    rows = [1]\n    rows.append(2)\n    assert f(rows) == 2\n",
        "def test_a():\n    n = 1\n    n += 1\n    assert f(n) == 2\n",
        "def test_a():\n    for n in (1, 2):\n        assert f(n) == 2\n",
        "N = 1\ndef more():\n    global N\n    N = 2\ndef test_a():\n    assert f(N) == 2\n",
        "def test_a():\n    cart = Cart()\n    cart.add(1)\n    assert cart == 2\n",
        "def helper():\n    n = 1\n    assert f(n) == 2\n",
    ],
)
def test_a_name_that_may_mean_something_else_stays(text: str) -> None:
    assert seeds({"t.py": text}) == [] and with_values({"t.py": text}) == {"t.py": text}


def test_calls_are_made_from_constants_of_the_tests() -> None:
    text = "from q import f\nROW = {'vip': False}\ndef test_a():\n    assert not f('vip', ROW)\n"
    assert build_calls({"t.py": text}) == []
    assert "f('vip', {'vip': True})" in build_calls(with_values({"t.py": text}))
    table = "@pytest.mark.parametrize('a, row', [('b', ROW)])\ndef test_b(a, row):\n    assert f(a, row)\n"
    spoken = build_spoken_calls(with_values({"t.py": f"{text}{table}"}))
    assert "f('b', {'vip': False})" not in spoken and "f('vip', {'vip': False})" not in spoken


OF_A_RESULT = "from q import page\ndef test_a():\n    p = page(list('ab'), 3)\n    assert p.items == ['a'] and {}\n"


@pytest.mark.parametrize("other", ["not p.last", "len(p.items) == 1", "p.last is False"])
def test_a_result_that_is_only_looked_at_is_asked_for(other: str) -> None:
    spoken = build_spoken_calls(with_values({"t.py": OF_A_RESULT.format(other)}))
    assert "page(list('ab'), 4).items" in spoken


@pytest.mark.parametrize("other", ["p.turn() == 2", "turned(p) == 2", "setattr(p, 'items', []) is None and turned(p)"])
def test_a_result_that_something_is_done_to_is_not(other: str) -> None:
    assert build_spoken_calls(with_values({"t.py": OF_A_RESULT.format(other)})) == []


def test_what_a_function_imports_is_known_as_what_the_file_does() -> None:
    text = "import pytest\n@pytest.fixture\ndef box():\n    from q import Box\n    return Box(3)\n"
    text += "def test_a():\n    from q import f\n    assert f(1) == 2\n"
    (read,) = with_values({"t.py": text}).values()
    assert read.startswith("import pytest\nfrom q import Box\nfrom q import f\n") and read.count("import") == 3
    assert seeds({"t.py": text}) == [("f", [1])]
    assert with_values({"t.py": "def test_a():\n    import q\n"}) == {"t.py": "def test_a():\n    import q\n"}


def test_what_is_asserted_together_is_looked_at_alone() -> None:
    text = "from q import f\ndef test_a():\n    if True:\n        assert f(1) == 2 and f(8) == 9, 'why'\n"
    assert seeds({"t.py": text}) == [("f", [1]), ("f", [8])]


def test_what_does_not_parse_is_left_alone() -> None:
    assert with_values({"t.py": "def test_(:\n"}) == {"t.py": "def test_(:\n"}
