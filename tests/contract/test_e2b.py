"""The E2B sandbox against a double of its SDK that runs commands on this machine: our side, not the service."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from selfheal_tui.errors import SandboxError
from selfheal_tui.sandbox.base import Limits, Suite, SuiteReport, run_through
from selfheal_tui.sandbox.registry import open_sandbox

TESTS = "from prog import add\n\ndef test_add():\n    assert add(1, 2) == 3\n"


class SandboxException(Exception):
    pass


class Box:
    """An open sandbox; its `/tmp/selfheal` is a folder of this machine."""

    folder: Path
    asked: dict[str, Any]
    refuses = ""

    @classmethod
    async def create(cls, **asked: Any) -> Box:
        if cls.refuses:
            raise SandboxException(cls.refuses)
        cls.asked = asked
        return cls()

    @property
    def files(self) -> Box:
        return self

    @property
    def commands(self) -> Box:
        return self

    def _here(self, text: str) -> str:
        return text.replace("/tmp/selfheal", str(self.folder))

    async def write(self, path: str, data: bytes) -> None:
        Path(self._here(path)).write_bytes(data)

    async def read(self, path: str, format: str) -> bytearray:
        assert format == "bytes"
        return bytearray(Path(self._here(path)).read_bytes())

    async def run(self, command: str, timeout: float = 60) -> SimpleNamespace:  # noqa: ASYNC109 - as the SDK has it
        words = self._here(command).replace("python3", sys.executable)
        process = await asyncio.create_subprocess_shell(words, stdout=-1, env={"PATH": "/usr/bin:/bin"})
        said, _ = await process.communicate()
        return SimpleNamespace(stdout=said.decode(), exit_code=process.returncode)

    async def kill(self) -> bool:
        return True


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Box]]:
    package, exceptions = ModuleType("e2b"), ModuleType("e2b.exceptions")
    monkeypatch.setattr(Box, "folder", tmp_path, raising=False)
    package.AsyncSandbox = Box  # type: ignore[attr-defined]
    exceptions.SandboxException = SandboxException  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "e2b", package)
    monkeypatch.setitem(sys.modules, "e2b.exceptions", exceptions)
    for name in ("E2B_DOMAIN", "E2B_API_URL", "E2B_SANDBOX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("E2B_API_KEY", "e2b_key")
    yield Box


async def report_of(program: str, limits: Limits | None = None) -> SuiteReport:
    sandbox = open_sandbox("e2b")
    try:
        files = {"prog.py": program, "test_prog.py": TESTS}
        suite = Suite(files, ("test_prog.py",), ("prog.py",), limits=limits or Limits(), verify=True)
        return (await run_through(sandbox, suite)).report
    finally:
        await sandbox.aclose()


async def test_a_suite_runs_there_without_network(service: type[Box]) -> None:
    report = await report_of("def add(a, b):\n    return a + b\n")
    assert report["verdict"] == "passed" and report["trust"] == "provisional"
    assert service.asked["allow_internet_access"] is False
    assert report["isolation"] == ["e2b", "rlimits"]


async def test_key_and_addresses_are_given_in_full(service: type[Box], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("E2B_DEBUG", "true")
    await report_of("def add(a, b):\n    return a + b\n")
    given = {name: service.asked.get(name) for name in ("api_key", "domain", "api_url", "sandbox_url", "debug")}
    assert given == {
        "api_key": "e2b_key", "domain": "e2b.app", "api_url": "https://api.e2b.app", "sandbox_url": None,
        "debug": False,
    }  # fmt: skip
    monkeypatch.setenv("E2B_DOMAIN", "box.example")
    monkeypatch.setenv("E2B_SANDBOX_URL", "https://here.example")
    await report_of("def add(a, b):\n    return a + b\n")
    assert (service.asked["api_url"], service.asked["sandbox_url"]) == (
        "https://api.box.example",
        "https://here.example",
    )


async def test_without_a_key_nobody_is_asked(service: type[Box], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("E2B_API_KEY")
    with pytest.raises(SandboxError, match="E2B_API_KEY is not set"):
        await report_of("")


async def test_failures_and_early_exits_are_told_apart(service: type[Box]) -> None:
    assert (await report_of("def add(a, b):\n    return 4\n"))["failed"] == 1
    assert (await report_of("import os\nos._exit(0)\n"))["verdict"] == "error"


async def test_an_endless_program_ends(service: type[Box]) -> None:
    endless = "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0)\nwhile True:\n    pass\n"
    assert (await report_of(endless, Limits(time_s=1.0, case_time_s=0.3)))["verdict"] == "error"


async def test_what_the_service_says_is_passed_on(service: type[Box], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "refuses", "the key is not valid")
    with pytest.raises(SandboxError, match=r"the key is not valid.*E2B_API_KEY"):
        await report_of("")


async def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "e2b", None)
    with pytest.raises(SandboxError, match=r"selfheal\[e2b\]"):
        await report_of("")
