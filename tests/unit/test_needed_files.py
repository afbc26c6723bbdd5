"""What a program imports beside itself is there where it runs apart from its tests; what is of the tests is not."""

from __future__ import annotations

import pytest

from selfheal_tui.sandbox.base import Suite
from selfheal_tui.sandbox.needed import needed_files
from selfheal_tui.sandbox.split_judge import halves

FILES = {
    "src/pkg/__init__.py": "",
    "src/pkg/low.py": "from . import lower\n\ndef one(): return lower.ONE\n",
    "src/pkg/lower.py": "ONE = 1\n",
    "src/pkg/idle.py": "",
    "src/pkg/sub/__init__.py": "",
    "src/pkg/sub/deep.py": "from ..low import one\n",
    "flat.py": "import json\n",
    "helpers.py": "WANTED = 5\n",
    "conftest.py": "import flat\n",
    "tests/wanted.py": "UP = 2\n",
    "tests/test_up.py": "from pkg.more import up\nimport helpers\n",
}


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("from .low import one\n", {"src/pkg/__init__.py", "src/pkg/low.py", "src/pkg/lower.py"}),
        ("from . import low\n", {"src/pkg/__init__.py", "src/pkg/low.py", "src/pkg/lower.py"}),
        ("import pkg.lower\n", {"src/pkg/__init__.py", "src/pkg/lower.py"}),
        ("def f():\n    from pkg import lower\n", {"src/pkg/__init__.py", "src/pkg/lower.py"}),
        ("import flat\n", {"src/pkg/__init__.py", "flat.py"}),
        (
            "from .sub.deep import one\n",
            {f"src/pkg/{name}.py" for name in ("__init__", "low", "lower", "sub/__init__", "sub/deep")},
        ),
        (
            "import conftest, tests.test_up, tests.wanted, wanted\nfrom .nothing import x\nfrom ..... import y\n",
            {"src/pkg/__init__.py"},
        ),
        ("import (\n", set()),
    ],
)
def test_what_a_program_imports_goes_with_it(text: str, needed: set[str]) -> None:
    files = {**FILES, "src/pkg/more.py": text}
    assert needed_files(["src/pkg/more.py"], files, ["tests", "", "src"]) == needed


def test_the_tests_keep_a_copy_and_the_program_gets_none_of_theirs() -> None:
    files = {**FILES, "src/pkg/more.py": "from .low import one\n\ndef up(n):\n    return n + one()\n"}
    program, tests = halves(Suite(files, ("tests/test_up.py",), ("src/pkg/more.py",)))
    assert {"src/pkg/more.py", "src/pkg/low.py", "src/pkg/lower.py"} <= program.files.keys()
    assert not {"helpers.py", "conftest.py", "tests/test_up.py", "flat.py"} & program.files.keys()
    assert "src/pkg/low.py" in tests.files and "src/pkg/more.py" not in tests.files
