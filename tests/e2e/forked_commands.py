"""The real command in processes that start in milliseconds: forked from a server that has imported everything.

What is killed is a process of its own with the command's whole life in it; only the import of its modules is shared.
"""

from __future__ import annotations

import asyncio
import ctypes
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, NamedTuple

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    [
        "selfheal_tui.cli.drive",
        "selfheal_tui.cli.resume",
        "selfheal_tui.cli.decide",
        "selfheal_tui.cli.show",
        "selfheal_tui.cli.sessions",
        "selfheal_tui.cli.fork",
        "selfheal_tui.engine.session.session",
        "selfheal_tui.engine.loop.graph",
        "selfheal_tui.engine.dialogue.roles.repairer",
        "selfheal_tui.llm.ollama",
        "selfheal_tui.sandbox.local",
        "selfheal_tui.store.saver",
        # What those import on use; langgraph alone takes a second.
        "langgraph.types",
        "anthropic",
        "jsonschema",
        "ollama",
        "openai",
        "tests.e2e.forked_commands",
    ]
)
_NEW_MOUNT = 0x20000
"""Linux's CLONE_NEWNS."""


class Ended(NamedTuple):
    """A command that is over."""

    code: int
    """Negative: the signal that ended it."""
    out: str
    err: str


def _command(argv: list[str], environment: dict[str, str], folder: str, out: str, err: Connection | IO[bytes]) -> None:
    from selfheal_tui.cli import main

    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    with open(out, "wb") as file:
        os.dup2(file.fileno(), 1)
    os.dup2(err.fileno(), 2)
    err.close()
    sys.exit(main(argv))


def run_script(text: str, environment: Mapping[str, str], folder: Path, log: Path) -> int:
    """Run a shell script in a mount namespace of its own; return its exit status.

    `selfheal NAME WORDS...` in it runs a command, and leaves NAME.out, NAME.err and NAME.code in the folder `log`.
    """
    process = _CONTEXT.Process(target=_script, args=(text, dict(environment), str(folder), str(log)))
    process.start()
    process.join(240)
    process.kill()
    process.join()
    assert process.exitcode is not None
    return process.exitcode


def _script(text: str, environment: dict[str, str], folder: str, log: str) -> None:
    if ctypes.CDLL(None).unshare(_NEW_MOUNT):
        sys.exit("no mount namespace is to be had")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    os.chdir(folder)
    (asks, ask), (answer, answers) = os.pipe(), os.pipe()
    head = f"set -u\nselfheal() {{ printf '%s\\n' $# \"$@\" >&{ask}; read -r done <&{answer}; }}\n"
    with subprocess.Popen(["sh", "-c", head + text], pass_fds=(ask, answer), env=environment) as shell:
        os.close(ask)
        os.close(answer)
        with open(asks) as questions:
            for count in questions:
                name, *argv = [next(questions).rstrip("\n") for _ in range(int(count))]
                with open(f"{log}/{name}.err", "wb") as err:
                    there = (argv, environment, folder, f"{log}/{name}.out", err)
                    process = multiprocessing.get_context("fork").Process(target=_command, args=there)
                    process.start()
                    process.join()
                Path(f"{log}/{name}.code").write_text(str(process.exitcode))
                os.write(answers, b"\n")
    sys.exit(shell.returncode)


async def run_command(
    argv: list[str],
    environment: Mapping[str, str],
    out: Path,
    on_line: Callable[[int, int], None] = lambda pid, line: None,
    folder: Path | None = None,
) -> Ended:
    """Run a command; `on_line` is told its process and how many lines of progress it has printed, from 0."""
    loop, printed = asyncio.get_running_loop(), bytearray()
    receiver, sender = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(
        target=_command, args=(argv, dict(environment), str(folder or Path.cwd()), str(out), sender)
    )
    process.start()
    sender.close()
    assert process.pid is not None
    pid, over = process.pid, asyncio.Event()

    def read() -> None:
        try:
            data = os.read(receiver.fileno(), 65536)
        except BlockingIOError:
            return
        printed.extend(data)
        for line in range(printed.count(b"\n") - data.count(b"\n"), printed.count(b"\n")):
            on_line(pid, line + 1)

    on_line(pid, 0)
    os.set_blocking(receiver.fileno(), False)
    loop.add_reader(receiver.fileno(), read)
    loop.add_reader(process.sentinel, over.set)
    try:
        async with asyncio.timeout(180):
            await over.wait()
        read()
    finally:
        loop.remove_reader(receiver.fileno())
        loop.remove_reader(process.sentinel)
        process.kill()
        process.join()
        receiver.close()
    assert process.exitcode is not None
    return Ended(process.exitcode, out.read_text("utf-8") if out.exists() else "", printed.decode("utf-8", "replace"))
