"""Runs the steps of our Dockerfile in a fresh root, where no Docker daemon is: `python -m tests.e2e.fresh_root`.

Needs root on Linux, and packages for pip. Every RUN, COPY, ENV and USER is taken from the Dockerfile and run in an
empty root that has this machine's system folders and Python, read-only, in the place of the image `python:3.12-slim`.
Then, as the image's user, without capabilities and under those rules of Docker's default seccomp profile that decide
the tier: the health check, a demo that is healed, and `serve` as compose.yaml starts it; also the health check without
those rules. It does not build an image and does not test Docker's own isolation. `--share PATH` shows a folder that pip
takes packages from.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import yaml

from .default_container import MACHINE
from .dockerfile import ROOT, Stage, in_context, read_stages

_SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/sbin")
_FROM_ETC = ("alternatives", "ld.so.cache", "ssl", "nsswitch.conf", "hosts", "resolv.conf", "login.defs", "pip.conf")
_ENTER = """
set -e
cd "$1"; shift
mount --make-rprivate /
mount --bind . .
cd "$PWD"
while [ "$1" != -- ]; do
  mkdir -p ".$2"; mount --rbind "$1" ".$2"; mount -o remount,bind,ro ".$2"; shift 2
done
shift
mount -t proc proc proc
mount --rbind /dev dev
pivot_root . .
umount -l .
cd "$1"; shift
exec "$@"
"""
"""Makes the first folder the root of the new namespaces; then FROM TO pairs, --, the folder to be in, the command."""
_CONTAINED = Path(__file__).with_name("default_container.py").read_text("utf-8")
_PATIENCE_S = 120.0


class FreshRoot:
    """A folder that stands for one stage of the image."""

    def __init__(self, folder: Path, stage: Stage, shared: list[str]) -> None:
        self.folder = folder
        self.stage = stage
        shows = [*((path, path) for path in _SYSTEM), (sys.base_prefix, "/usr/local")]
        if sys.base_prefix not in ("/usr", "/usr/local"):  # a Python elsewhere finds its libraries by that path
            shows.append((sys.base_prefix, sys.base_prefix))
        self._shows = [*shows, *((path, path) for path in shared)]
        self._environment = stage.environment()
        self._pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        self._workdir = "/"
        for name in ("proc", "dev", "etc", "tmp", "root", "home", "run", "var", "opt"):
            (folder / name).mkdir(parents=True)
        (folder / "tmp").chmod(0o1777)
        for name in _FROM_ETC:
            source = Path("/etc", name)
            if source.is_dir():
                shutil.copytree(source, folder / "etc" / name, symlinks=True, ignore=shutil.ignore_patterns("private"))
            elif source.exists():
                shutil.copy(source, folder / "etc" / name)
        (folder / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
        (folder / "etc/group").write_text("root:x:0:\n")
        for name in ("shadow", "gshadow"):
            (folder / "etc" / name).touch()

    def build(self, earlier: dict[str, FreshRoot]) -> None:
        """Run the stage's steps in order. Raises: CalledProcessError."""
        for step in self.stage.steps:
            print(f"{step.kind} {step.text}", flush=True)
            match step.kind:
                case "RUN":
                    subprocess.run(self.command(["/bin/sh", "-c", step.text], **self._pip), check=True)
                case "COPY":
                    self._copy(step.words, earlier)
                case "WORKDIR" | "VOLUME":
                    (self.folder / step.text.lstrip("/")).mkdir(exist_ok=True)
                    self._workdir = step.text if step.kind == "WORKDIR" else self._workdir

    def _copy(self, words: list[str], earlier: dict[str, FreshRoot]) -> None:
        *sources, target = [word for word in words if not word.startswith("--from=")]
        from_stage = [word.removeprefix("--from=") for word in words if word.startswith("--from=")]
        for source in sources:
            base = earlier[from_stage[0]].folder / source.lstrip("/") if from_stage else ROOT / source
            into = self.folder / target.lstrip("/")
            into = into / base.name if target.endswith("/") else into
            into.parent.mkdir(parents=True, exist_ok=True)
            if not base.is_dir():
                shutil.copy(base, into)
                continue
            shutil.copytree(base, into, symlinks=True, ignore=None if from_stage else _ignored)

    def command(self, command: list[str], **more: str) -> list[str]:
        """Return a command line that runs a command in here as root."""
        variables = [f"{name}={value}" for name, value in {**self._environment, **more}.items()]
        shows = [word for pair in self._shows for word in pair]
        entered = ["sh", "-c", _ENTER, "enter", str(self.folder), *shows, "--", self._workdir]
        return [
            *("unshare", "--mount", "--pid", "--fork", "--kill-child"),
            *entered,
            "/usr/bin/env",
            "-i",
            *variables,
            *command,
        ]

    def as_user(self, command: list[str], contained: bool = True) -> list[str]:
        """Return the same as the image's user, without capabilities; `contained`: under Docker's seccomp rules too."""
        uid, gid = self.stage.last("USER").text.split(":")
        dropped = f"setpriv --reuid {uid} --regid {gid} --clear-groups --inh-caps=-all --bounding-set=-all".split()
        rules = ["/usr/local/bin/python3", "-c", _CONTAINED] if contained else []
        return self.command([*dropped, *rules, *command])


def _ignored(folder: str, names: list[str]) -> set[str]:
    at = Path(folder).relative_to(ROOT)
    return {name for name in names if not in_context(str(at / name))}


def _serves(root: FreshRoot) -> str:
    """Start the app's service as compose.yaml does, open the printed address, and end it; return what it said."""
    service = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]["app"]
    words = [re.sub(r"\$\{\w+:-(\w+)\}", "0", word) for word in service["command"]]
    command = root.as_user([*root.stage.last("ENTRYPOINT").words, *words])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            with urllib.request.urlopen(address, timeout=_PATIENCE_S) as page:
                return f"{page.status} at {address.rsplit('/', 2)[0]}, {len(page.read()):,} bytes"
        finally:
            process.kill()


def main() -> int:
    """Build and try; 0 when all of it worked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", action="append", default=[], metavar="PATH")
    shared = parser.parse_args().share
    if os.geteuid() != 0 or os.uname().machine != MACHINE:
        print(f"This needs root on {MACHINE}: it mounts folders in a namespace of its own.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="fresh-root-") as work:
        Path(work).chmod(0o755)
        built: dict[str, FreshRoot] = {}
        for number, stage in enumerate(read_stages()):
            print(f"\nFROM {stage.base} ({stage.name or 'the image'})")
            root = FreshRoot(Path(work, str(number)), stage, shared)
            root.build(built)
            built[stage.name] = root
        size_bytes = sum(f.lstat().st_size for f in (root.folder / "opt").rglob("*") if not f.is_dir())
        print(f"\n/opt holds {size_bytes / 1e6:.0f} MB")
        health = ["/bin/sh", "-c", stage.health_command()]
        demo = shlex.split("selfheal demo --headless --autonomy full_auto")
        tried = [
            ("health check in a default container", root.as_user(health)),
            ("health check without Docker's seccomp rules", root.as_user(health, contained=False)),
            ("a demo", root.as_user(demo)),
        ]
        codes = []
        for what, command in tried:
            began = time.monotonic()
            ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE_S)
            print(f"\n{what}: exit {ran.returncode} in {time.monotonic() - began:.1f} s\n{ran.stdout}{ran.stderr}")
            codes.append(ran.returncode)
        print("serve:", _serves(root))
        return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
