"""The sandbox at E2B: one micro-VM of the service for a session, a process in it for each run. Needs `selfheal[e2b]`.

The user's code leaves this machine. Nothing is streamed: results come when a run has ended. Tested against a double
of the SDK only; the service itself was out of reach.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import io
import itertools
import json
import math
import os
import tarfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from selfheal_tui.errors import SandboxError, SettingsError
from selfheal_tui.text import one_line

from .allowance import Allowance
from .base import Suite, SuiteReport
from .local import LocalSandbox

_ROOT = "/tmp/selfheal"
_LIFE_S = 3600
_DOMAIN = "e2b.app"
_PYTEST = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments")
_READ_BYTES = 8 << 20
_KILLED = 137


class E2BServer:
    """What `host.Server` is to the fork server: takes runs and kills them, all in one micro-VM."""

    tier = "e2b"

    def __init__(self, box: Any) -> None:
        """`box` is an open `e2b.AsyncSandbox`."""
        self._box = box
        self._numbers = itertools.count(1)
        self._runs: dict[int, asyncio.Task[None]] = {}
        self.layers: Mapping[str, str] = {"micro-VM": "", "no network": "", "rlimits": ""}
        self.not_used: Mapping[str, str] = {}

    @property
    def alive(self) -> bool:
        """The service's own end is told by its run."""
        return True

    def submit(self, seconds: float, memory_bytes: int, fds: list[int]) -> int:
        """Start a run; `fds` (status, order, output, result) stay the caller's."""
        number = next(self._numbers)
        self._runs[number] = asyncio.create_task(self._run(number, seconds, [os.dup(fd) for fd in fds]))
        return number

    def kill_run(self, number: int) -> None:
        """End the wait for a run; `timeout` ends its process in the VM."""
        if number in self._runs:
            self._runs[number].cancel()

    def kill(self) -> None:
        """End the wait for all of them."""
        for number in list(self._runs):
            self.kill_run(number)

    async def aclose(self) -> None:
        """Give the micro-VM back, with all that runs in it."""
        self.kill()
        await asyncio.gather(*self._runs.values(), return_exceptions=True)
        with contextlib.suppress(Exception):  # it may have ended by itself, and costs nothing more then
            await self._box.kill()

    async def _run(self, number: int, seconds: float, fds: list[int]) -> None:
        status, order, output, result = fds
        code, killed = 1, "asked"
        try:
            name = f"{_ROOT}/run-{number}"
            await self._box.files.write(f"{name}.order", os.pread(order, os.fstat(order).st_size, 0))
            python = f"python3 -P -s -B {_ROOT}/inside/once.py {name} {_ROOT}/site"
            ran = await self._box.commands.run(
                f"mkdir {name} && timeout -s KILL {math.ceil(seconds)} {python} "
                f"< {name}.order > {name}.result 2> {name}.output; echo $?",
                timeout=seconds + _LIFE_S,
            )
            code = int(ran.stdout.strip().splitlines()[-1])
            killed = "deadline" if code == _KILLED else ""
            for fd, kind in ((output, "output"), (result, "result")):
                data = bytes(await self._box.files.read(f"{name}.{kind}", format="bytes"))
                await asyncio.to_thread(_write, fd, data[:_READ_BYTES])
        finally:
            self._runs.pop(number, None)
            with contextlib.suppress(OSError):
                os.write(status, json.dumps({"code": code, "killed": killed}).encode())
            for fd in fds:
                os.close(fd)


class E2BSandbox(LocalSandbox):
    """Runs suites at E2B; the key is `E2B_API_KEY`, the template `SELFHEAL_E2B_TEMPLATE`."""

    name = "e2b"

    def __init__(
        self,
        python: str = "",
        allow_unsandboxed: bool = False,
        allowed: Allowance = Allowance(),  # noqa: B008 - a frozen value
    ) -> None:
        """The interpreter is the template's; what a setting says of one does not count here.

        Raises: SettingsError when something is allowed: E2B has neither the files nor the network of this machine.
        """
        if allowed.names():
            raise SettingsError(
                "--sandbox e2b runs elsewhere: it has neither the files nor the network of this machine.",
                "Leave out --allow-read and --allow-network, or use --sandbox local.",
            )
        super().__init__()

    async def verify(self, suite: Suite, report: SuiteReport) -> SuiteReport:
        """Say why there is no second opinion."""
        return {**report, "not_verified": "At E2B the tests run in the same process as the code."}

    async def _open(self, preload: Collection[str], pytest: bool) -> E2BServer:
        try:
            from e2b import AsyncSandbox
            from e2b.exceptions import SandboxException
        except ImportError:
            raise SandboxError("The e2b package is not installed.", "Run: pip install 'selfheal[e2b]'.") from None
        try:
            template = os.environ.get("SELFHEAL_E2B_TEMPLATE") or None
            box = await AsyncSandbox.create(
                template=template, timeout=_LIFE_S, allow_internet_access=False, **_connection(os.environ)
            )
            await box.files.write(f"{_ROOT}/selfheal.tgz", await asyncio.to_thread(_archive))
            await box.commands.run(f"cd {_ROOT} && tar xzf selfheal.tgz")
        except SandboxException as error:
            raise SandboxError(f"E2B gives no sandbox: {one_line(str(error))}", "Check E2B_API_KEY.") from error
        return E2BServer(box)


def _connection(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return where the service is and the key for it, in full: the SDK looks up for itself what it is not told.

    Raises: SandboxError.
    """
    key = environ.get("E2B_API_KEY", "").strip()
    if not key:
        raise SandboxError("E2B needs a key and E2B_API_KEY is not set.", "Set it, or choose another sandbox.")
    domain = environ.get("E2B_DOMAIN", "").strip() or _DOMAIN
    options = {
        "api_key": key,
        "domain": domain,
        "api_url": environ.get("E2B_API_URL", "").strip() or f"https://api.{domain}",
        "sandbox_url": environ.get("E2B_SANDBOX_URL", "").strip(),
        "http_version": environ.get("E2B_HTTP_VERSION", "").strip() or "2",
    }
    return {**{name: value for name, value in options.items() if value}, "debug": False}


def _write(fd: int, data: bytes) -> None:
    with contextlib.suppress(OSError):
        while data:
            data = data[os.write(fd, data) :]


def _archive() -> bytes:
    """Return what runs inside, and pytest, as a compressed archive."""
    spec = importlib.util.find_spec("pytest")
    if spec is None or spec.origin is None:
        raise SandboxError("pytest is not installed beside selfheal.", "Reinstall selfheal in a fresh venv.")
    site = Path(spec.origin).parent.parent
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        archive.add(Path(__file__).parent / "inside", "inside", filter=_sources)
        for name in _PYTEST:
            archive.add(site / name, f"site/{name}", filter=_sources)
    return buffer.getvalue()


def _sources(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if member.name.endswith("__pycache__") else member
