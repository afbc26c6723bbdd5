"""Files that do not parse: what no test imports is no part of the program, the rest is refused."""

from __future__ import annotations

import pytest

from selfheal_tui.engine.task.task import Task
from selfheal_tui.engine.task.unparsed import without_unparsed
from selfheal_tui.errors import InputError

BROKEN = "print 'x'\n"


def task(imports: str, *arguments: str) -> Task:
    files = {
        "lib/__init__.py": "",
        "lib/good.py": imports,
        "lib/two.py": BROKEN,
        "lib/tests/test_good.py": "from lib.good import f\n",
        "old/test_old.py": "from lib import two\n",
    }
    tests = tuple(path for path in files if "test_" in path and ("old" not in path or arguments))
    return Task("fix", "lib", files, ("lib/good.py", "lib/two.py"), tests, pytest_args=arguments)


def test_a_file_that_no_test_imports_is_left_out() -> None:
    assert without_unparsed(task("")).program == ("lib/good.py",)
    assert without_unparsed(task("", "--ignore=old")).program == ("lib/good.py",)


@pytest.mark.parametrize("imports", ["from . import two\n", "from .two import f\n", "import lib.two as t\n"])
def test_a_file_that_a_test_imports_through_another_is_refused(imports: str) -> None:
    with pytest.raises(InputError, match=r"lib/two.py does not parse, line 1"):
        without_unparsed(task(imports))
