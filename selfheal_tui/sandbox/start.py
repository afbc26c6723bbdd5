"""Starts the fork server with the strongest isolation that works here. Found by doing, never by asking a setting.

A tier is tried by starting a server in it, which confines a first child and says how that went. What each tier is
made of: `inside/confine.py`.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from selfheal_tui.errors import SandboxError
from selfheal_tui.text import one_line

from .allowance import Allowance
from .cgroup import join_group, open_group
from .host import RunServer, Server

INSIDE = Path(__file__).parent / "inside"
TIERS = ("seatbelt",) if sys.platform == "darwin" else ("namespaces", "bubblewrap", "landlock")
"""Strongest first."""
UNSANDBOXED = "UNSANDBOXED"
_BOX = "/box/run"
_START_S = 60.0
_FILES = 128
"""Open files that a server and its runs need, with room to spare."""
_CHUNK = 1 << 16
_GROUP_BYTES = 1 << 30
"""Memory of the server and all its runs, for each core."""
_WIDE = frozenset({Path("/"), *Path(os.path.realpath(Path.home())).parents, Path(os.path.realpath(Path.home()))})
"""Folders that no interpreter opens to the sandbox."""
_FOR_NETWORK = (
    *(
        "/etc/resolv.conf",
        "/etc/hosts",
        "/etc/nsswitch.conf",
        "/etc/services",
        "/etc/ssl/certs",
        "/etc/ssl/openssl.cnf",
    ),
    *("/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted", "/etc/ca-certificates/extracted"),
)
"""What finds the address of a name, and tells whom to believe."""
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


async def open_server(
    layers: str = "auto",
    python: str = "",
    allow_unsandboxed: bool = False,
    allowed: Allowance = Allowance(),  # noqa: B008 - a frozen value
    preload: Collection[str] = (),
    pytest: bool = True,
) -> Server:
    """Start a warm fork server for an interpreter (ours when empty), with these packages imported ahead.

    Without `pytest` it takes plain suites only, which it runs in two thirds of the time: a fork copies half the pages.
    `layers` is `auto`, one of `TIERS`, or `none`, which the user must have allowed; `allowed` is what runs may have
    beyond the sandbox. Raises: SandboxError.
    """
    reasons: dict[str, str] = {}
    for tier in TIERS if layers == "auto" else (layers,):
        if tier == "none" and not allow_unsandboxed:
            raise SandboxError("Running without a sandbox was not allowed.", "Add --allow-unsandboxed.")
        if tier == "bubblewrap" and shutil.which("bwrap") is None:
            reasons[tier] = "bwrap is not installed"
            continue
        server = await _try(tier, python or sys.executable, allowed, preload, pytest, reasons)
        if server is not None:
            return server
    if allow_unsandboxed and layers == "auto":
        server = await _try("none", python or sys.executable, allowed, preload, pytest, reasons)
        if server is not None:
            return server
    why = "; ".join(f"{tier}: {reason}" for tier, reason in reasons.items())
    few = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    too_few = f"Only {few} files may be open at once here: raise that first (ulimit -n 1024)."
    hint = too_few if few < _FILES else remedy()
    raise SandboxError(f"No sandbox with the required isolation works here ({why}).", hint)


async def _try(
    tier: str, python: str, allowed: Allowance, preload: Collection[str], pytest: bool, reasons: dict[str, str]
) -> Server | None:
    """Return the server, or None with the reason noted."""
    nested = tier in ("namespaces", "bubblewrap")
    base = Path(_BOX) if nested else Path(tempfile.mkdtemp(prefix="selfheal-"))
    if not nested:
        base.chmod(0o711)
    ours, theirs = socket.socketpair()
    with tempfile.TemporaryFile() as errors, theirs:
        readable = readable_paths(python)
        order = {
            "control": theirs.fileno(),
            "tier": "namespaces" if nested else tier,
            "base": str(base),
            "readable": readable,
            "opened": [*allowed.paths(), *(_FOR_NETWORK if allowed.network else ())],
            "network": allowed.network,
            "pytest_path": _pytest_path(python),
            # In an interpreter that the user named, what is installed is there for the project.
            "plugins": python != sys.executable,
            "preload": sorted(preload),
            "pytest": pytest,
        }
        process = subprocess.Popen(  # noqa: ASYNC220 - a millisecond; the child watchers of asyncio need threads
            _command(tier, python, order, theirs.fileno()),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=clean_environment(str(base)),
            cwd="/",
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        ours.setblocking(False)
        group, no_group = open_group(_GROUP_BYTES * (os.cpu_count() or 1))
        if group is not None:
            no_group = join_group(group, process.pid)
        server = Server(process, ours, None if nested else base, tier, group)
        try:
            answer = await _answer(ours)
        except BaseException:
            server.kill()
            raise
        if "layers" in answer:
            server.layers = {**answer["layers"], "cgroup": no_group}
            server.not_used = dict(reasons)
            return server
        server.kill()
        errors.seek(0)
        reasons[tier] = one_line(str(answer.get("failed") or _last_line(errors)))
        return None


def _command(tier: str, python: str, order: Mapping[str, Any], control: int) -> list[str]:
    server = [python, "-P", "-s", "-B", str(INSIDE / "server.py"), json.dumps(order)]
    if tier == "namespaces":
        readable = [*order["readable"], *order["opened"]]
        launch = {"control": control, "command": server, "readable": readable, "network": order["network"]}
        return [sys.executable, "-I", "-S", "-B", str(INSIDE / "launch.py"), json.dumps(launch)]
    if tier == "bubblewrap":
        return [*_bubblewrap([*order["readable"], *order["opened"]], order["network"]), *server]
    return server


def _bubblewrap(readable: list[str], network: bool) -> list[str]:
    """The same tree as launch.py builds. Its environment must be empty already: it stays readable as process 1's."""
    words = [shutil.which("bwrap") or "bwrap", "--unshare-user", "--uid", "1000", "--gid", "1000", "--cap-add", "ALL"]
    words += [
        "--unshare-pid",
        *([] if network else ["--unshare-net"]),
        "--unshare-ipc",
        "--unshare-uts",
        "--hostname",
        "sandbox",
    ]
    words += ["--die-with-parent", "--new-session", "--size", str(1 << 20), "--tmpfs", "/", "--proc", "/proc"]
    for path in ("/usr", "/lib", "/lib64", "/bin", "/sbin"):
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            words += ["--ro-bind", path, path]
    for path in ("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives", *readable):
        if not path.startswith("/usr/"):
            words += ["--ro-bind-try", path, path]
    for path in _DEVICES:
        words += ["--dev-bind", path, path]
    words += ["--dir", _BOX, "--symlink", f"{_BOX}/tmp", "/dev/shm"]
    return [*words, "--remount-ro", "/", "--chdir", "/box"]


async def _answer(control: socket.socket) -> dict[str, Any]:
    """Return the server's first line; empty when it ends or takes too long."""
    reply = b""
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(_START_S):
            while not reply.endswith(b"\n"):
                data = await asyncio.get_running_loop().sock_recv(control, _CHUNK)
                if not data:
                    break
                reply += data
    return dict(json.loads(reply)) if reply.endswith(b"\n") else {}


def clean_environment(home: str) -> dict[str, str]:
    """Return the whole environment of the sandbox: nothing of ours passes."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
    }


def readable_paths(python: str) -> list[str]:
    """Return what an interpreter needs to run, read without running it: its folders, ours and pytest's."""
    folder = Path(python).parent
    named = [folder.parent, Path(os.path.realpath(python)).parent.parent]
    if home := _home_of(folder.parent):
        named.append(Path(home).parent)
    folders = {INSIDE, *(path for path in named if _is_prefix(path))}
    if python == sys.executable:
        folders |= {Path(sys.prefix), Path(sys.base_prefix)}
    paths = {str(path) for path in folders} | {os.path.realpath(path) for path in folders} | set(_pytest_path(python))
    return sorted(path for path in paths if path != "/usr" and Path(path) not in _WIDE)


def _home_of(environment: Path) -> str:
    """Return the `home` of an environment's pyvenv.cfg, its first one as Python takes it; empty for none."""
    with suppress(OSError):
        for line in (environment / "pyvenv.cfg").read_text("utf-8", "replace").splitlines():
            key, _, value = line.partition("=")
            if key.strip().lower() == "home":
                return value.strip()
    return ""


def _is_prefix(path: Path) -> bool:
    """Tell whether a folder is a Python's or an environment of one, and not a home folder or one above.

    An environment from elsewhere may name any folder as its home: only what holds the standard library is taken.
    """
    real = Path(os.path.realpath(path))
    return real not in _WIDE and (
        any(real.glob("lib*/python3*/os.py")) or ((real / "pyvenv.cfg").is_file() and any(real.glob("lib*/python3*")))
    )


def _pytest_path(python: str) -> list[str]:
    """Return where our pytest lies, when the interpreter would not find it there by itself."""
    spec = importlib.util.find_spec("pytest")
    if spec is None or spec.origin is None:
        raise SandboxError("pytest is not installed beside selfheal.", "Reinstall selfheal in a fresh venv.")
    folder = Path(spec.origin).parent.parent
    own = Path(python).parent.parent
    return [] if own in folder.parents else [str(folder)]


def remedy() -> str:
    """Say what would make a sandbox possible on this machine, in one sentence."""
    if sys.platform == "darwin":
        return "Use --sandbox container, or --allow-unsandboxed to run without one."
    if _setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        remedy = "Install bubblewrap with an AppArmor profile that allows it user namespaces"
    elif _setting("kernel/unprivileged_userns_clone") == "0":
        remedy = "Run `sysctl kernel.unprivileged_userns_clone=1` as root"
    elif _setting("user/max_user_namespaces") == "0":
        remedy = "Run `sysctl user.max_user_namespaces=15000` as root"
    elif Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        remedy = "Start the container with `--security-opt seccomp=unconfined --security-opt systempaths=unconfined`"
    else:
        remedy = "Use Linux 5.13 or newer with Landlock or user namespaces switched on"
    return f"{remedy}, use --sandbox container, or add --allow-unsandboxed to run without one."


def _setting(name: str) -> str:
    try:
        return Path("/proc/sys", name).read_text().strip()
    except OSError:
        return ""


def isolation_names(server: RunServer) -> tuple[str, ...]:
    """Return the layers in force, in the few words that a report and the status line show."""
    if server.tier == "none":
        return (UNSANDBOXED,)
    held = {layer for layer, why_not in server.layers.items() if not why_not}
    names = [server.tier] if server.tier in ("namespaces", "bubblewrap", "seatbelt", "container", "e2b") else []
    return tuple([*names, *(name for name in ("landlock", "seccomp", "rlimits", "cgroup") if name in held)])


def _last_line(file: IO[bytes]) -> str:
    lines = file.read(_CHUNK).decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it ended without a word"
