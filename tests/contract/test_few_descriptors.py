"""Where few files may be open at once: one sentence, and no error that nobody took."""

from __future__ import annotations

import asyncio
import errno
from typing import Any

import pytest

from selfheal_tui.cli import main
from selfheal_tui.errors import SandboxError
from selfheal_tui.sandbox import local
from selfheal_tui.sandbox.base import Limits, Suite
from selfheal_tui.sandbox.local import LocalSandbox

SUITE = Suite({"a.py": "A = 1\n", "test_a.py": "def test_a():\n    assert True\n"}, ("test_a.py",), limits=Limits())


async def _no_server(*_: Any) -> Any:
    raise OSError(errno.EMFILE, "Too many open files")


async def test_a_server_that_cannot_start_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "open_server", _no_server)
    with pytest.raises(SandboxError, match="Too many open files"):
        async for _ in LocalSandbox().run(SUITE):
            pass


async def test_candidates_that_fail_together_leave_no_error_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "open_server", _no_server)
    monkeypatch.setattr(local, "cores", lambda: 3)
    loop, left = asyncio.get_running_loop(), list[Any]()
    loop.set_exception_handler(lambda _, context: left.append(context))
    with pytest.raises(SandboxError):
        async for _ in LocalSandbox().judge(SUITE, [{"a.py": f"A = {n}\n"} for n in range(6)]):
            pass
    for _ in range(3):
        await asyncio.sleep(0)
    assert left == []


def test_a_command_without_a_descriptor_left_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(_: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("selfheal_tui.cli.config.run", run)
    assert main(["config"]) == 2
    assert "ulimit -n" in capsys.readouterr().err
