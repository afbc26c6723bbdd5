"""Values as source text: what is one, and how a file with given imports writes it."""

from __future__ import annotations

import datetime
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfheal_tui.python_values import as_imported, is_value, names_in, unknown_names

PLAIN = st.one_of(
    st.integers(),
    st.text(max_size=5),
    st.dates(),
    st.datetimes(),
    st.times(),
    st.timedeltas(),
    st.decimals(allow_nan=False),
    st.fractions(),
    st.uuids(),
    st.just(PurePosixPath("a/b")),
    st.just(datetime.datetime(2024, 1, 2, tzinfo=datetime.UTC)),
)
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner))


@pytest.mark.parametrize(
    "text",
    [
        "5",
        " [1] ",
        "datetime.date(2024, 1, 8)",
        "[Point(x=1, y=-2)]",
        "Color.RED",
        "kit.Color.RED",
        "float('inf')",
        "set()",
        "{1: Decimal('2')}",
        "datetime.timezone.utc",
        "_Row(1)",
    ],
)
def test_what_is_written_out_is_a_value(text: str) -> None:
    assert is_value(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "f(3)",
        "os.system('x')",
        "a[0]",
        "1 + 2",
        "Foo(*x)",
        "Foo(**x)",
        "Foo(f(1))",
        "<Color.RED: 1>",
        "Foo",
        "[n for n in (1, 2)]",
        "defaultdict(<class 'int'>, {})",
        "'a' 'b' if 1 else 2",
        "(" * 999,
        "Foo(1).bar",
    ],
)
def test_what_computes_or_says_nothing_is_none(text: str) -> None:
    assert not is_value(text)


@given(VALUES)
def test_a_value_is_the_same_however_its_types_are_imported(value: object) -> None:
    text = repr(value)
    assert is_value(text)
    for lines in (
        {},
        {"datetime": "import datetime"},
        {"datetime": "from datetime import datetime", "D": "from decimal import Decimal as D"},
        {"dt": "import datetime as dt", "date": "from datetime import date", "fractions": "import fractions"},
    ):
        written, needed = as_imported(text, lines)
        names: dict[str, object] = {}
        exec("\n".join([*lines.values(), *needed.values()]), names)
        assert eval(written, names) == value, (written, lines)


def test_types_are_called_as_the_file_calls_them() -> None:
    text = "[datetime.date(2024, 1, 8), Decimal('1')]"
    assert as_imported(text, {"datetime": "from datetime import datetime"}) == (
        "[date(2024, 1, 8), Decimal('1')]",
        {"date": "from datetime import date", "Decimal": "from decimal import Decimal"},
    )
    lines = {"dt": "import datetime as dt", "decimal": "import decimal"}
    assert as_imported(text, lines) == ("[dt.date(2024, 1, 8), decimal.Decimal('1')]", {})
    assert as_imported("dt.date(2024, 1, 8)", lines) == ("dt.date(2024, 1, 8)", {})


def test_names_that_nobody_defines_are_told() -> None:
    assert unknown_names("[Point(1), date(2024, 1, 8), dt.date(2024, 1, 8), Foo.BAR]", ["Point"]) == ["Foo", "dt"]
    assert unknown_names("datetime.date(2024, 1, 8)", []) == []
    assert names_in("[Point(1), Point(2), set(), dt.date(1, 2, 3)]") == ["Point", "dt"]
