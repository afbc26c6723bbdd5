"""The examples of docs/api.md, run as they stand there."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def test_the_examples_of_the_page_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFHEAL_SESSIONS", str(tmp_path / "sessions"))
    monkeypatch.chdir(tmp_path)
    told: list[str] = []
    examples = doctest.DocTestParser().get_doctest(PAGE.read_text("utf-8"), {}, PAGE.name, str(PAGE), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    results = runner.run(examples, out=told.append)
    assert results.attempted > 20 and not results.failed, "".join(told)
