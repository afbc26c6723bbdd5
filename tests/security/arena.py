"""Runs hostile programs through our sandbox and looks from outside at what they did.

    python tests/security/arena.py --layers auto|namespaces|landlock --user root|other PROGRAM...

One JSON object per program: `program`, `rules`, `verdict`, `violations`, `isolation`, `seconds`. Exit status: 0 no
violation, 1 some, 3 the layers are not to be had here, 4 the interpreter cannot be run by the other user, 5 the
arena itself failed.

    driver            starts a world, starts the next one when an agent dies or something was damaged
    `- world          as root: namespaces of its own and an overlay over the machine's files, thrown away at the end
       `- agent       what the programs attack: secrets in its environment, open files, listeners, a victim process;
                      runs the suites through `LocalSandbox` and compares everything with what was there before

A program is a file with a header: `# rule:` says what must hold besides the world being untouched (`passes`,
`not-passed`; `contained`, `bounded`, `clean-output` name what the program is there for), `# does:` what it tries,
`# needs: world` that it may run only where a new pid namespace and an overlay surround the agent, `# case_s:` that a
case may take longer than half a second (a memory bomb is none when time stops it first). What leaves no trace
outside (a system call that should be refused) the program tells itself, with a line that begins with BREACH.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import ctypes
import errno
import fcntl
import hashlib
import inspect
import json
import os
import resource
import secrets
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import tty
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(__file__).parent / "hostile"
TIME_S, CASE_TIME_S, MEMORY_BYTES = 3.0, 0.5, 512 << 20
OVERTIME_S = 2.5
"""What a run may take beyond its time."""
PEAK_BYTES = 900 << 20
OTHERS_BYTES = 32 << 20
"""Shared memory of other tests that run meanwhile: it is only known for the whole machine."""
DISK_BYTES = 400 << 20
FILES = 20_000
TEXT_CHARACTERS = 2 << 20
OTHER_UID = 61234
FOUND, UNAVAILABLE, UNREACHABLE, BROKEN = 1, 3, 4, 5
_RENEW, _NO_WORLD = 10, 11
"""Exit statuses of an agent whose world something has damaged, and of a world that cannot be built here."""
_SILENCE_S = 60.0
_SETTLE_S = 1.5
_BEAT_S = 0.05
SURVIVOR = "arena-survivor"
"""Programs that want to outlive their run call themselves this."""

_HONEST = "def f(x):\n    return x + 1\n"
_CASES = "".join(f"\n\ndef test_{n}():\n    assert f({n}) == {n + 1}\n" for n in range(10))
TESTS = f"from prog import f\n{_CASES}"
_STUDY_TESTS = "".join(
    f"def test_{n}():\n    from solution import f\n\n    assert f({n}) == {n + 1}\n\n\n" for n in range(2)
)
_STUDY_RULES = {
    "no-attack-ok": "contained",
    "bounded": "bounded",
    "not-pass": "not-passed",
    "clean-output": "clean-output",
    "pass-or-clean": "clean-output",
}
_STUDY_ALONE = ("08_", "32_", "35_", "50_", "54_", "81_", "96_")
"""Files of the study that touch more than decoys when nothing holds them."""
_STUDY_PLACES = {
    "/home/someone/project/secret_plan.txt": "@HOME@/other-project/plan.md",
    "/home/someone/victim.txt": "@HOME@/thesis.txt",
    "/home/someone/project": "@HOME@/other-project",
    "/home/someone": "@HOME@",
    "/tmp/range.sock": "@UNIX_PATH@",
    "/run/range.sock": "@UNIX_PATH@",
    "range-abstract": "@ABSTRACT@",
    "18080": "@TCP_PORT@",
    "18081": "@UDP_PORT@",
    "10.99.0.1": "127.0.0.1",
    "os.getcwd().startswith('/tmp/work')": "True",
}


@dataclass(frozen=True, slots=True)
class Program:
    """One hostile program."""

    name: str
    text: str
    """With its placeholders."""
    rules: tuple[str, ...]
    needs_world: bool
    case_s: float = CASE_TIME_S
    module: str = "prog"
    tests: str = TESTS
    admits: str = "BREACH"
    """How it says that something without an outer trace worked; empty when its word does not count."""


def load_program(path: Path) -> Program:
    """Read a program of ours (`# rule:` and `# does:`) or one of the study's (`# expected:`)."""
    text = path.read_text("utf-8")
    header = dict(line[2:].split(": ", 1) for line in text.splitlines()[:6] if line.startswith("# ") and ": " in line)
    rules = tuple(rule.strip() for rule in header["rule"].split(","))
    if "expected" not in header:
        return Program(path.stem, text, rules, header.get("needs") == "world", float(header.get("case_s", CASE_TIME_S)))
    for there, here in _STUDY_PLACES.items():
        text = text.replace(there, here)
    admits = "ATTACK-OK" if "no-attack-ok" in rules else ""
    return Program(
        path.stem,
        text,
        tuple(_STUDY_RULES[rule] for rule in rules),
        path.name.startswith(_STUDY_ALONE),
        module="solution",
        tests=_STUDY_TESTS,
        admits=admits,
    )


def corpus() -> list[Path]:
    """Return our own programs, in order."""
    return sorted(CORPUS.glob("*.py"))


# -- the driver


def main(arguments: Sequence[str]) -> int:
    """Run the programs and print what they did."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--layers", default="auto", choices=("auto", "namespaces", "landlock", "none"))
    parser.add_argument("--user", default="root" if os.getuid() == 0 else "other", choices=("root", "other"))
    parser.add_argument("programs", nargs="*", type=Path, help="files; all of hostile/ when none is given")
    options = parser.parse_args(arguments)
    if options.user == "root" and os.getuid() != 0:
        parser.error("--user root needs root")
    worst = 0
    for result in results_of(options.programs or corpus(), options.layers, options.user):
        print(json.dumps(result), flush=True)
        worst = max(worst, result.get("exit", FOUND if result.get("violations") else 0))
    return worst


def results_of(paths: Sequence[Path], layers: str, user: str) -> Iterator[dict[str, Any]]:
    """Yield one result per program and one for the end; a last one with `exit` and `error` when it cannot go on."""
    left = [str(path.resolve()) for path in paths]
    surround = os.getuid() == 0
    while True:
        with _World(left, layers, user, surround) as world:
            begun, ready = "", False
            for line in world.lines():
                message = json.loads(line)
                ready |= "ready" in message
                if "begin" in message:
                    begun = message["begin"]
                elif "program" in message:
                    left = left[1:] if begun else left
                    begun = ""
                    yield message
                elif "exit" in message:
                    yield message
                    return
            status = world.end()
            if surround and status == _NO_WORLD:
                surround = False
                continue
            if not ready or (not begun and status not in (0, _RENEW)):
                foreign = user == "other" and os.getuid() == 0 and not ready
                yield {"exit": UNREACHABLE if foreign else BROKEN, "error": world.error(status)}
                return
            if begun:
                left = left[1:]
                program = load_program(Path(begun))
                said = "hung" if status is None else f"ended with status {status}"
                yield _result(program, layers, user, violations=[f"agent: it {said} while the program ran"])
            elif status == 0:
                return


class _World:
    """The process that surrounds one agent."""

    def __init__(self, programs: list[str], layers: str, user: str, surround: bool) -> None:
        self._base = Path(tempfile.mkdtemp(prefix="arena-"))
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__
        order = {"programs": programs, "layers": layers, "user": user, "base": str(self._base), "surround": surround}
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--as-world", json.dumps(order)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={"PATH": os.defpath, "LANG": "C.UTF-8", "ARENA_PROJECT": os.environ.get("ARENA_PROJECT", str(ROOT))},
            start_new_session=True,
        )

    def __enter__(self) -> _World:
        return self

    def lines(self) -> Iterator[bytes]:
        """Yield lines until the agent ends or has been silent for too long."""
        assert self._process.stdout is not None
        fd, rest = self._process.stdout.fileno(), b""
        os.set_blocking(fd, False)
        last = time.monotonic()
        while time.monotonic() - last < _SILENCE_S:
            ended = self._process.poll() is not None
            try:
                data = os.read(fd, 1 << 16)
            except BlockingIOError:
                if ended:
                    return
                time.sleep(0.01)
                continue
            if not data:
                return
            last = time.monotonic()
            *lines, rest = (rest + data).split(b"\n")
            yield from (line for line in lines if line.startswith(b"{"))

    def end(self) -> int | None:
        """Return the exit status, None when it had to be killed."""
        try:
            return self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._kill()
            return None

    def error(self, status: int | None) -> str:
        """Return the last line of what it complained."""
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else f"the arena ended with status {status}"

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._kill()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._errors.close()
        subprocess.run(["chmod", "-R", "u+rwx", self._base], check=False, stderr=subprocess.DEVNULL)
        subprocess.run(["rm", "-rf", self._base], check=False, stderr=subprocess.DEVNULL)


def _result(program: Program, layers: str, user: str, **known: Any) -> dict[str, Any]:
    return {
        "program": program.name,
        "rules": list(program.rules),
        "verdict": "none",
        "violations": [],
        "isolation": [],
        "seconds": 0.0,
        "layers": layers,
        "user": user,
        **known,
    }


# -- the world

_LIBC = ctypes.CDLL(None, use_errno=True)
_NEW_MOUNT, _NEW_UTS, _NEW_IPC, _NEW_PID, _NEW_NET = 0x20000, 0x4000000, 0x8000000, 0x20000000, 0x40000000
_READ_ONLY, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE, _DETACH = 1, 32, 4096, 16384, 1 << 18, 2
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_DISKS = ("ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "zfs", "overlay", "virtiofs", "9p", "nfs", "nfs4", "fuse")
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_INSIDE = Path("/arena")
_DIE_WITH_PARENT, _SUBREAPER = 1, 36


def _call(function: str, *arguments: object) -> None:
    if getattr(_LIBC, function)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{function}: {os.strerror(code)}")


def _die_with_parent() -> None:
    _call("prctl", _DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)


def _mount(source: str, target: Path, kind: str | None, flags: int = 0, options: str = "") -> None:
    _call("mount", source.encode(), bytes(target), kind and kind.encode(), flags, options.encode())


def as_world(order: dict[str, Any]) -> NoReturn:
    """Surround the agent when told to, then become it."""
    _die_with_parent()
    base = Path(order["base"])
    if not order["surround"]:
        _become_agent(order, base, -1)
    try:
        _call("unshare", _NEW_MOUNT | _NEW_UTS | _NEW_IPC | _NEW_PID | _NEW_NET)
        first = os.fork()
        if first:
            os._exit(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]) & 0xFF)
        _die_with_parent()
        changes = _build_world(base)
    except OSError:
        os._exit(_NO_WORLD)
    with contextlib.suppress(OSError):  # so that no number of ours means another process inside the sandbox
        Path("/proc/sys/kernel/ns_last_pid").write_text("1000")
    agent = os.fork()
    if agent == 0:
        os.setsid()
        _become_agent(order, _INSIDE, changes)
    os.close(changes)
    while True:
        ended, status = os.wait()
        if ended == agent:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def _build_world(base: Path) -> int:
    """Lay an overlay over the machine's files, with /proc, /dev and network of its own; return where changes land."""
    _mount("none", Path("/"), None, _RECURSIVE | _PRIVATE)
    disks = [Path(line.split()[1]) for line in Path("/proc/self/mounts").read_text().splitlines() if _is_disk(line)]
    _mount("arena", base, "tmpfs", 0, "size=2g,mode=755")
    root = base / "root"
    for name in ("upper", "work", "root"):
        (base / name).mkdir()
    _mount("overlay", root, "overlay", 0, f"lowerdir=/,upperdir={base}/upper,workdir={base}/work")
    for disk in disks:
        place = root / disk.relative_to("/")
        with contextlib.suppress(OSError):
            _mount(str(disk), place, None, _BIND)
            _mount("none", place, None, _BIND | _REMOUNT | _READ_ONLY)
    _mount("proc", root / "proc", "proc")
    _mount("/sys", root / "sys", None, _BIND)
    _build_devices(root / "dev")
    for name, size in (("home", ""), ("tmp", "size=1500m,nr_inodes=200k,mode=755"), ("cache", "size=64m,mode=755")):
        place = root / _INSIDE.relative_to("/") / name
        place.mkdir(parents=True)
        if size:
            _mount("arena", place, "tmpfs", 0, size)
    (root / "etc/resolv.conf").unlink(missing_ok=True)
    (root / "etc/resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
    for folder in (*root.iterdir(), root / "var" / "tmp"):
        # Folders come into the overlay when somebody tries to write in them, even in vain: have them there already.
        if folder.is_dir() and not folder.is_symlink() and not folder.is_mount():
            folder.chmod(folder.stat().st_mode & 0o7777)
    changes = os.open(base / "upper", os.O_RDONLY | os.O_DIRECTORY)
    os.chdir(root)
    if _LIBC.syscall(_PIVOT_ROOT[os.uname().machine], b".", b".") != 0:
        raise OSError(ctypes.get_errno(), "pivot_root")
    _call("umount2", b".", _DETACH)
    os.chdir("/")
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14x", b"lo", 0x41))  # SIOCSIFFLAGS, IFF_UP | IFF_RUNNING
    Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").write_text("0")
    return changes


def _is_disk(line: str) -> bool:
    _, place, kind, *_ = line.split()
    within = ("/proc", "/sys", "/dev", "/run")
    return place != "/" and kind in (*_DISKS, "tmpfs") and not any((place + "/").startswith(f"{w}/") for w in within)


def _build_devices(dev: Path) -> None:
    """Make a /dev without the machine's disks, with terminals and shared memory of its own."""
    _mount("arena", dev, "tmpfs", 0, "size=64k,mode=755")
    for name in _DEVICES:
        (dev / name).touch()
        _mount(f"/dev/{name}", dev / name, None, _BIND)
    for name, options in (("pts", "newinstance,ptmxmode=0666,mode=620"), ("shm", "size=1500m,mode=1777")):
        (dev / name).mkdir()
        _mount("arena", dev / name, "devpts" if name == "pts" else "tmpfs", 0, options)
    (dev / "ptmx").symlink_to("pts/ptmx")
    (dev / "fd").symlink_to("/proc/self/fd")


def _become_agent(order: dict[str, Any], base: Path, changes: int) -> NoReturn:
    """Lay out the decoys, take the user and start the agent with secrets in its environment."""
    canaries = {name: f"CANARY-{name}-{secrets.token_hex(8)}" for name in ("env", "ssh", "project", "tmp", "heap")}
    other = order["user"] == "other" and os.getuid() == 0
    owned = _lay_out(base, canaries)
    master, slave = os.openpty()
    if other:
        for path in (base / "home", base / "tmp", base / "cache", *owned):
            os.chown(path, OTHER_UID, OTHER_UID, follow_symlinks=False)
        os.fchown(slave, OTHER_UID, OTHER_UID)
        if changes >= 0:
            _open_ways()
    if changes < 0:
        os.chmod(base, 0o711)
    _lay_out_root_program(base / "home" / "bin")
    with contextlib.suppress(OSError):
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    if other:
        os.setgroups([])
        os.setresgid(OTHER_UID, OTHER_UID, OTHER_UID)
        os.setresuid(OTHER_UID, OTHER_UID, OTHER_UID)
    inner = {**order, "base": str(base), "changes": changes, "canaries": canaries, "terminal": [master, slave]}
    order_fd = os.memfd_create("order", 0)
    os.write(order_fd, json.dumps(inner).encode())
    os.lseek(order_fd, 0, os.SEEK_SET)
    for fd in (master, slave, changes):
        if fd >= 0:
            os.set_inheritable(fd, True)
    environment = {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.environ.get("ARENA_PROJECT", str(ROOT)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(base / "home"),
        "TMPDIR": str(base / "tmp"),
        "XDG_CACHE_HOME": str(base / "cache"),
        "ANTHROPIC_API_KEY": canaries["env"],
        "GITHUB_TOKEN": canaries["env"],
    }
    os.chdir(base / "home" / "own-project")
    try:
        os.execve(sys.executable, [sys.executable, __file__, "--as-agent", str(order_fd)], environment)
    except PermissionError:
        sys.exit(f"{sys.executable} cannot be executed by uid {os.getuid()}: it lies in a folder of another user")


def _lay_out(base: Path, canaries: Mapping[str, str]) -> list[Path]:
    texts = {
        "home/.ssh/id_ed25519": f"-----BEGIN OPENSSH PRIVATE KEY-----\n{canaries['ssh']}\n",
        "home/.ssh/known_hosts": "example.test ssh-ed25519 AAAA\n",
        "home/.bashrc": "export PS1='$ '\n",
        "home/.config/gh/hosts.yml": f"oauth_token: {canaries['ssh']}\n",
        "home/thesis.txt": "Three years of work.\n" * 50,
        "home/other-project/plan.md": f"The secret plan: {canaries['project']}\n",
        "home/other-project/.env": f"DB_PASSWORD={canaries['project']}\n",
        "home/other-project/src/core.py": "answer = 42\n",
        "home/own-project/notes.md": f"Not for the program: {canaries['project']}\n",
        "tmp/another-run/notes.txt": f"What another run holds: {canaries['tmp']}\n",
    }
    owned = []
    for name in ("home", "tmp", "cache"):
        (base / name).mkdir(exist_ok=True)
    for name, text in texts.items():
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o600)
        owned += [path, *list(path.parents)[: len(Path(name).parents) - 2]]
    (base / "home/bin").mkdir(exist_ok=True)
    return owned


def _lay_out_root_program(folder: Path) -> None:
    """Put a program there that runs as root for whoever starts it."""
    source = shutil.which("id")
    if source and os.getuid() == 0:
        shutil.copy(source, folder / "id-as-root")
        (folder / "id-as-root").chmod(0o4755)


def _open_ways() -> None:
    """Let another user reach the interpreter and write where its packages lie, as one's own user could."""
    import site

    reached = [Path(sys.executable), Path(sys.executable).resolve(), Path(sys.prefix), Path(sys.base_prefix), ROOT]
    for path in [path for start in reached for path in (start, *start.parents)]:
        if path.is_dir():
            path.chmod(path.stat().st_mode & 0o7777 | 0o011)
    for packages in site.getsitepackages():
        if os.path.isdir(packages):
            os.chown(packages, OTHER_UID, OTHER_UID)


# -- the agent


def as_agent(order_fd: int) -> NoReturn:
    """Be what the programs attack; print a line of JSON per program."""
    with open(order_fd, "rb") as file:
        order = json.loads(file.read())
    try:
        import pytest  # noqa: F401

        import selfheal_tui.sandbox.local  # noqa: F401
    except (ImportError, OSError) as error:
        _say({"exit": UNREACHABLE, "error": f"what we run cannot be read by uid {os.getuid()}: {error}"})
        os._exit(UNREACHABLE)
    status = asyncio.run(_Agent(order).run())
    sys.stdout.flush()
    os._exit(status)


def _say(message: Mapping[str, Any]) -> None:
    print(json.dumps(message), flush=True)


class _Agent:
    """Runs the programs one after the other and compares the surroundings after each with those before."""

    def __init__(self, order: Mapping[str, Any]) -> None:
        self._order = order
        self._layers: str = order["layers"]
        self._canaries: dict[str, str] = order["canaries"]
        self._heap = bytearray(self._canaries["heap"].encode())
        self._base = Path(order["base"])
        self._surroundings = _Surroundings(self._base, order["changes"], *order["terminal"])
        self._sandbox = _open_sandbox(self._layers)
        self._isolation: list[str] = []

    async def run(self) -> int:
        """Return the exit status."""
        from selfheal_tui.errors import SandboxError

        around = self._surroundings
        try:
            for _ in range(2):
                report = await self._report_of("prog", _HONEST, TESTS, verify=True)
        except SandboxError as error:
            _say({"exit": UNAVAILABLE, "layers": self._layers, "error": f"unavailable: {error}"})
            return 0
        if report["verdict"] != "passed":
            _say({"exit": BROKEN, "error": f"an honest program does not pass: {_why(report)}"})
            return 0
        await asyncio.sleep(0.3)
        around.take_stock()
        _say({"ready": True})
        for path in self._order["programs"]:
            _say({"begin": path})
            program = load_program(Path(path))
            result = await self._try(program)
            _say(result)
            if any(not violation.startswith("verdict:") for violation in result["violations"]):
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._sandbox.aclose(), 5)
                return _RENEW
        _say(await self._close())
        return 0

    async def _try(self, program: Program) -> dict[str, Any]:
        user = self._order["user"]
        if program.needs_world and not self._surroundings.is_world:
            return _result(program, self._layers, user, skipped="needs a pid namespace and an overlay around the arena")
        text = program.text
        for name, value in self._surroundings.places.items():
            text = text.replace(f"@{name}@", value)
        violations: list[str] = []
        report: Mapping[str, Any] = {"verdict": "none", "isolation": []}
        began = time.monotonic()
        self._surroundings.watch()
        try:
            async with asyncio.timeout(TIME_S + 30):
                report = await self._report_of(program.module, text, program.tests, program.case_s, verify=True)
        except Exception as error:  # whatever it raises, a program made it
            violations.append(f"agent: the run raised {type(error).__name__}: {error}")
        seconds = time.monotonic() - began
        await self._surroundings.settle()
        violations += self._judge(program, report, seconds)
        violations += self._surroundings.survivors()
        violations += self._surroundings.damage()
        violations += await self._still_works()
        violations += self._surroundings.leftovers()
        return _result(
            program,
            self._layers,
            user,
            verdict=report["verdict"],
            violations=list(dict.fromkeys(violations)),
            isolation=report["isolation"],
            seconds=round(seconds, 2),
            peak_mb=self._surroundings.peak_bytes >> 20,
        )

    def _judge(self, program: Program, report: Mapping[str, Any], seconds: float) -> Iterator[str]:
        texts = list(_texts(report))
        whole = "\n".join(texts)
        for name, canary in self._canaries.items():
            if canary in whole:
                yield f"secret: the {name} canary is in the report"
        if program.admits:
            for line in whole.splitlines():
                if line.startswith(program.admits):
                    yield f"breach: {line[:200]}"
        if "passes" in program.rules and report["verdict"] != "passed":
            yield f"verdict: {report['verdict']} instead of passed: {_why(report)}"
        if "not-passed" in program.rules and report["verdict"] == "passed":
            yield f"verdict: passed, {report['trust']}"
        if seconds > TIME_S + OVERTIME_S:
            yield f"time: {seconds:.1f} s"
        if self._surroundings.peak_bytes > PEAK_BYTES:
            yield f"memory: {self._surroundings.peak_bytes >> 20} MB"
        if self._surroundings.peak_shared_bytes > PEAK_BYTES + OTHERS_BYTES:
            yield f"memory: {self._surroundings.peak_shared_bytes >> 20} MB more of shared memory on the whole machine"
        if self._surroundings.peak_disk_bytes > DISK_BYTES:
            yield f"disk: {self._surroundings.peak_disk_bytes >> 20} MB"
        if self._surroundings.peak_files > FILES:
            yield f"disk: {self._surroundings.peak_files} files"
        if unclean := sorted(filter(_is_unclean, set(whole))):
            yield f"output: {', '.join(f'U+{ord(character):04X}' for character in unclean[:8])}"
        if len(whole) > TEXT_CHARACTERS:
            yield f"output: {len(whole)} characters"

    async def _still_works(self) -> list[str]:
        began = time.monotonic()
        try:
            async with asyncio.timeout(TIME_S + 30):
                report = await self._report_of("prog", _HONEST, TESTS)
        except Exception as error:
            return [f"afterwards: an honest program raised {type(error).__name__}: {error}"]
        if report["verdict"] != "passed":
            return [f"afterwards: an honest program does not pass: {_why(report)}"]
        await self._surroundings.settle()
        seconds = time.monotonic() - began
        return [f"afterwards: an honest program took {seconds:.1f} s"] if seconds > TIME_S + OVERTIME_S else []

    async def _close(self) -> dict[str, Any]:
        """Close the sandbox: nothing of it may be left."""
        try:
            await asyncio.wait_for(self._sandbox.aclose(), 10)
            violations = []
        except Exception as error:
            violations = [f"agent: closing raised {type(error).__name__}: {error}"]
        await asyncio.sleep(0.2)
        violations += self._surroundings.nothing_left()
        end = Program("(the end)", "", ("contained",), False)
        return _result(end, self._layers, self._order["user"], violations=violations, isolation=self._isolation)

    async def _report_of(
        self, module: str, text: str, tests: str, case_s: float = CASE_TIME_S, verify: bool = False
    ) -> Mapping[str, Any]:
        from selfheal_tui.sandbox.base import Limits, Suite, SuiteFinished

        suite = Suite(
            files={f"{module}.py": text, f"test_{module}.py": tests},
            tests=(f"test_{module}.py",),
            program=(f"{module}.py",),
            limits=Limits(time_s=TIME_S, case_time_s=case_s, memory_bytes=MEMORY_BYTES),
        )
        if verify and any(known.name == "verify" for known in fields(suite)):
            suite = replace(suite, verify=True)
        async with contextlib.aclosing(self._sandbox.run(suite)) as results:
            async for result in results:
                if isinstance(result, SuiteFinished):
                    self._isolation = list(result.report["isolation"])
                    return result.report
        raise RuntimeError("the run ended without a report")


def _open_sandbox(layers: str) -> Any:
    from selfheal_tui.sandbox.local import LocalSandbox

    make: Callable[..., Any] = LocalSandbox
    wanted = {"layers": layers} | ({"allow_unsandboxed": True} if layers == "none" else {})
    return make(**{name: value for name, value in wanted.items() if name in inspect.signature(make).parameters})


def _why(report: Mapping[str, Any]) -> str:
    messages = [f"{case['id']}: {case['message']}" for case in report.get("cases", ()) if case["outcome"] != "passed"]
    return str(report.get("error") or "; ".join(messages[:2]) or "no case passed")[:300]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(key)
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def _is_unclean(character: str) -> bool:
    """Tell whether it could move a cursor, reorder or hide text, or cannot be encoded."""
    code = ord(character)
    return (
        (code < 0x20 and character not in "\n\t")
        or 0x7F <= code <= 0x9F
        or 0xD800 <= code <= 0xDFFF
        or code in (0x061C, 0x200E, 0x200F, 0x2028, 0x2029)
        or 0x202A <= code <= 0x202E
        or 0x2066 <= code <= 0x2069
    )


# -- what surrounds the agent


@dataclass(slots=True)
class _Stock:
    """What was there before any hostile program ran."""

    files: dict[str, str] = field(default_factory=dict)
    shared_memory: list[str] = field(default_factory=list)
    mounts: str = ""
    victim: str = ""
    agent: str = ""
    processes: int = 0
    descriptors: int = 0
    entries: int = 0


class _Surroundings:
    """Victim, listeners, terminal and files around the agent; looks at them from outside the sandbox."""

    def __init__(self, base: Path, changes: int, master: int, slave: int) -> None:
        self._base = base
        self._changes = changes
        self.is_world = changes >= 0
        self._master, self._slave = master, slave
        tty.setraw(slave)
        for fd in (master, slave, changes):
            if fd >= 0:
                os.set_inheritable(fd, False)
        for fd in (master, slave):
            os.set_blocking(fd, False)
        if not self.is_world:
            _call("prctl", _SUBREAPER, 1, 0, 0, 0)
        self._victim = subprocess.Popen(["sleep", "100000"], env={}, preexec_fn=_die_with_parent)  # noqa: PLW1509
        self._contacts: list[str] = []
        self._stock = _Stock()
        self._open_secret = open(base / "home" / "other-project" / ".env", "rb")  # noqa: SIM115 - theirs to find
        self.places = {
            "HOME": str(base / "home"),
            "TMP": str(base / "tmp"),
            "AGENT_PID": str(os.getpid()),
            "VICTIM_PID": str(self._victim.pid),
            **self._listen(),
        }
        self.peak_bytes = self.peak_shared_bytes = self.peak_disk_bytes = self.peak_files = 0
        self._disk_before = self._files_before = self._shared_before = 0
        threading.Thread(target=self._sample, daemon=True).start()

    # -- listeners

    def _listen(self) -> dict[str, str]:
        tcp, udp = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", 0))
        path = self._base / "cache" / "agent.sock"
        abstract = f"arena-{secrets.token_hex(6)}"
        named, nameless = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        named.bind(str(path))
        path.chmod(0o777)
        nameless.bind(f"\0{abstract}")
        for name, listener in (("TCP", tcp), ("unix socket", named), ("abstract socket", nameless)):
            listener.listen()
            threading.Thread(target=self._accept, args=(name, listener), daemon=True).start()
        listeners = [("UDP", udp)]
        with contextlib.suppress(OSError):
            names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            names.bind(("127.0.0.1", 53))
            listeners.append(("DNS", names))
        for name, listener in listeners:
            threading.Thread(target=self._receive, args=(name, listener), daemon=True).start()
        return {
            "TCP_PORT": str(tcp.getsockname()[1]),
            "UDP_PORT": str(udp.getsockname()[1]),
            "UNIX_PATH": str(path),
            "ABSTRACT": abstract,
        }

    def _accept(self, name: str, listener: socket.socket) -> None:
        while True:
            connection, _ = listener.accept()
            connection.close()
            self._contacts.append(name)

    def _receive(self, name: str, listener: socket.socket) -> None:
        while True:
            listener.recv(1 << 16)
            self._contacts.append(name)

    # -- memory and disk, while a program runs

    def watch(self) -> None:
        """Begin a new peak."""
        self._disk_before, self._files_before = _usage(self._base / "tmp")
        self._shared_before = _shared_memory_bytes()
        self.peak_bytes = self.peak_shared_bytes = self.peak_disk_bytes = self.peak_files = 0

    def _sample(self) -> None:
        while True:
            pids = self._others()
            held = sum(_resident_bytes(pid, exactly=False) for pid in pids)
            if held > PEAK_BYTES:  # pages that forked processes share are counted once only when looked at closely
                held = sum(_resident_bytes(pid, exactly=True) for pid in pids)
            shared = max(0, _shared_memory_bytes() - self._shared_before)
            disk, files = _usage(self._base / "tmp")
            self.peak_bytes = max(self.peak_bytes, held)
            self.peak_shared_bytes = max(self.peak_shared_bytes, shared)
            self.peak_disk_bytes = max(self.peak_disk_bytes, disk - self._disk_before)
            self.peak_files = max(self.peak_files, files - self._files_before)
            time.sleep(_BEAT_S)

    # -- before and after

    def take_stock(self) -> None:
        """Remember how everything is while the sandbox is warm and idle."""
        self._stock = _Stock(
            files=self._files(),
            shared_memory=_shared_memory_things(),
            mounts=Path("/proc/self/mounts").read_text(),
            victim=_condition(self._victim.pid),
            agent=_condition(os.getpid()),
            processes=len(self._others()),
            descriptors=len(_descriptors()),
            entries=self._count_entries(),
        )

    async def settle(self) -> None:
        """Wait until no more runs and lies about than before, but not long."""
        until = time.monotonic() + _SETTLE_S
        while time.monotonic() < until and self._is_busier():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.02)

    def _is_busier(self) -> bool:
        return (
            len(self._others()) > self._stock.processes
            or self._count_entries() > self._stock.entries
            or len(_descriptors()) > self._stock.descriptors
        )

    def damage(self) -> Iterator[str]:
        """Say what is not as it was."""
        files = self._files()
        for path in sorted({*files, *self._stock.files}):
            before, after = self._stock.files.get(path), files.get(path)
            if before != after:
                yield f"files: {path} {'was made' if before is None else 'is gone' if after is None else 'was changed'}"
        for thing in _shared_memory_things():
            if thing not in self._stock.shared_memory:
                yield f"shared memory: {thing} is left"
        if Path("/proc/self/mounts").read_text() != self._stock.mounts:
            yield "mounts: they changed"
        if self._victim.poll() is not None:
            yield f"victim: it ended with {self._victim.returncode}"
        elif (victim := _condition(self._victim.pid)) != self._stock.victim:
            yield f"victim: {victim} instead of {self._stock.victim}"
        if (agent := _condition(os.getpid())) != self._stock.agent:
            yield f"agent: {agent} instead of {self._stock.agent}"
        for name in sorted(set(self._contacts)):
            yield f"network: {self._contacts.count(name)} x {name}"
        self._contacts.clear()
        for fd, what in ((self._slave, "typed into"), (self._master, "written on")):
            with contextlib.suppress(OSError):
                if text := os.read(fd, 4096):
                    yield f"terminal: {what}: {text[:40]!r}"

    def survivors(self) -> Iterator[str]:
        """Say which processes run that did not before."""
        pids = self._others()
        named = [pid for pid in pids if _command(pid) == SURVIVOR]
        if named or len(pids) > self._stock.processes:
            yield f"survivors: {len(pids)} processes instead of {self._stock.processes}, {len(named)} of them hostile"

    def leftovers(self) -> Iterator[str]:
        """Say what is left in the agent and its temporary folder, now that the sandbox is warm and idle again."""
        if (now := len(_descriptors())) > self._stock.descriptors:
            yield f"descriptors: {now} instead of {self._stock.descriptors}: {_descriptors()}"
        if (entries := self._count_entries()) > self._stock.entries:
            yield f"temporary files: {entries} entries instead of {self._stock.entries}"

    def nothing_left(self) -> list[str]:
        """Say what the closed sandbox left."""
        left = [*self.damage()]
        if pids := self._others():
            left.append(f"survivors: {[_command(pid) for pid in pids]}")
        if names := [path.name for path in (self._base / "tmp").iterdir() if path.name != "another-run"]:
            left.append(f"temporary files: {names}")
        return left

    def _files(self) -> dict[str, str]:
        """Describe everything that the overlay holds, or the home; and the neighbours in the temporary folder."""
        found = dict(_describe_tree(self._base / "tmp" / "another-run", None))
        found |= (
            _describe_tree(Path("."), self._changes) if self.is_world else _describe_tree(self._base / "home", None)
        )
        return found

    def _count_entries(self) -> int:
        return sum(1 + len(folders) + len(files) for _, folders, files in os.walk(self._base / "tmp"))

    def _others(self) -> list[int]:
        """Return the living processes that the sandbox started, as far as one can tell: all but ours."""
        parents = dict(_parents())
        ours = {os.getpid(), self._victim.pid}
        if self.is_world:
            return [pid for pid in parents if pid not in ours and pid != 1]
        found: set[int] = {os.getpid()}
        while more := {pid for pid, parent in parents.items() if parent in found} - found:
            found |= more
        return sorted(found - ours)


def _parents() -> Iterator[tuple[int, int]]:
    """Yield pid and parent of all processes that are not dead."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                state, parent = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()[:2]
            except (OSError, ValueError):
                continue
            if state not in (b"Z", b"X"):
                yield int(name), int(parent)


def _descriptors() -> list[str]:
    """Return what our own descriptors lead to, but for the sampling thread's looks into /proc."""
    found = []
    for fd in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            found.append(os.readlink(f"/proc/self/fd/{fd}"))
    return [place for place in found if not place.startswith("/proc")]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def _resident_bytes(pid: int, exactly: bool) -> int:
    try:
        if exactly:
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    return int(line.split()[1]) << 10
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 0


def _shared_memory_bytes() -> int:
    """Return what tmpfs, memfd, System V and shared anonymous memory hold on the whole machine."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("Shmem:"):
            return int(line.split()[1]) << 10
    return 0


def _shared_memory_things() -> list[str]:
    things = [f"/dev/shm/{name}" for name in os.listdir("/dev/shm")] if os.path.isdir("/dev/shm") else []
    for kind in ("shm", "msg", "sem"):
        with contextlib.suppress(OSError):
            things += [
                f"System V {kind} {line.split()[1]}"
                for line in Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]
            ]
    return things


def _usage(folder: Path) -> tuple[int, int]:
    """Return bytes and files in use on the folder's file system."""
    try:
        fs = os.statvfs(folder)
    except OSError:
        return 0, 0
    return (fs.f_blocks - fs.f_bfree) * fs.f_frsize, fs.f_files - fs.f_ffree


def _condition(pid: int) -> str:
    """Describe what another process could have done to this one."""
    names = [name for name in dir(resource) if name.startswith("RLIMIT_") and name != "RLIMIT_OFILE"]
    limits = {name[7:].lower(): resource.prlimit(pid, getattr(resource, name)) for name in names}
    digest = hashlib.sha256(repr(limits).encode()).hexdigest()[:8]
    try:
        adjusted = Path(f"/proc/{pid}/oom_score_adj").read_text().strip()
        status = Path(f"/proc/{pid}/status").read_text()
        state = "stopped" if "State:\tT" in status or "State:\tt" in status else "running"
        group = os.getpgid(pid)
    except OSError as error:
        if error.errno != errno.ENOENT:
            raise
        return "gone"
    return (
        f"{state}, nice {os.getpriority(os.PRIO_PROCESS, pid)}, cpus {sorted(os.sched_getaffinity(pid))}, "
        f"policy {os.sched_getscheduler(pid)}, io {_io_priority(pid)}, oom {adjusted}, group {group}, limits {digest}"
    )


def _io_priority(pid: int) -> int:
    number = {"x86_64": 252, "aarch64": 31}.get(os.uname().machine)
    return int(_LIBC.syscall(number, 1, pid)) if number else 0


def _describe_tree(top: Path, dir_fd: int | None) -> Iterator[tuple[str, str]]:
    """Yield path and a description of everything below, changed by any write, rename, link or change of metadata."""
    if dir_fd is None and not top.is_dir():
        return
    for folder, folders, files, fd in os.fwalk(top, dir_fd=dir_fd):
        for name in [*folders, *files]:
            shown = os.path.join("/", folder, name) if dir_fd is not None else os.path.join(folder, name)
            try:
                about = os.stat(name, dir_fd=fd, follow_symlinks=False)
            except OSError:
                continue
            size = about.st_size if name in files else 0
            parts = [oct(about.st_mode), about.st_uid, about.st_gid, size, about.st_mtime_ns, about.st_ctime_ns]
            yield os.path.normpath(shown), " ".join(map(str, parts))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--as-world", order]:
            as_world(json.loads(order))
        case ["--as-agent", order_fd]:
            as_agent(int(order_fd))
        case arguments:
            sys.exit(main(arguments))
