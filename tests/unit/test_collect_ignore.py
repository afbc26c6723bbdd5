"""What a conftest keeps pytest from collecting, read from its text."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.engine.task.collect_ignore import ignored_patterns, is_ignored

HEAD = "import os, sys\ncollect_ignore = []\n"


def is_left_out(text: str) -> bool:
    return is_ignored(Path("/p/x.py"), ignored_patterns({Path("/p/conftest.py"): text}))


@pytest.mark.parametrize(
    "text",
    [
        "collect_ignore = ['x.py']",
        "collect_ignore = ('x.py',)",
        "collect_ignore: list[str] = ['x.py']",
        "collect_ignore += ['x.py']",
        "collect_ignore.append('x.py')",
        "collect_ignore.extend(['y.py', 'x.py'])",
        "collect_ignore_glob = []\ncollect_ignore_glob.append('x*.py')",
        "if sys.version_info >= (3, 8):\n    collect_ignore.append('x.py')",
        "if sys.version_info[0] < 3:\n    pass\nelse:\n    collect_ignore.append('x.py')",
        "if sys.version_info[:2] < (2, 7):\n    pass\nelif sys.version_info.major > 2:\n    collect_ignore += ['x.py']",
        "if not sys.platform.startswith('wine') and os.name != 'never':\n    collect_ignore.append('x.py')",
    ],
)
def test_every_way_to_fill_the_list_is_read(text: str) -> None:
    assert is_left_out(HEAD + text)


@pytest.mark.parametrize(
    "text",
    [
        "other.append('x.py')",
        "collect_ignore.append('y.py')",
        "if sys.version_info < (3,):\n    collect_ignore.append('x.py')",
        "if sys.platform == 'never':\n    collect_ignore.append('x.py')",
        "if has_numpy():\n    collect_ignore.append('x.py')",
        "if sys.version_info > 'a':\n    collect_ignore.append('x.py')",
        "if sys.version_info[1:9:2] > (1,):\n    collect_ignore.append('x.py')",
        "if sys.version_info[99] > 1:\n    collect_ignore.append('x.py')",
        "def f():\n    collect_ignore.append('x.py')",
    ],
)
def test_what_does_not_run_or_is_not_known_leaves_nothing_out(text: str) -> None:
    assert not is_left_out(HEAD + text)
