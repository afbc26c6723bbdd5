"""Install the wheel of dist/ into a bare environment of each Python on this machine, and heal the demo there.

`python .ci/try_wheel.py [3.11 3.12 ...]`, or `make try-wheel`. Packages come from where pip is told to get them. Exits
1 when one of them fails, or when there is none to try; which versions are not on the machine is said.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
_DEMO = ("demo", "--headless", "--json", "--autonomy", "full_auto")


def interpreter(version: str) -> Path | None:
    """Return a Python of this version, from PATH, pyenv or uv; None where there is none that starts."""
    for path in _candidates(version):
        command = [str(path), "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.stdout.strip() == version:
            return path
    return None


def _candidates(version: str) -> Iterator[Path]:
    if found := shutil.which(f"python{version}"):
        yield Path(found)
    for home in ("~/.pyenv/versions", "~/.local/share/uv/python"):
        yield from sorted(Path(home).expanduser().glob(f"*{version}*/bin/python{version}"))


def try_in(python: Path, wheel: Path, folder: Path) -> str:
    """Install and heal; return what went wrong, empty for nothing."""
    subprocess.run([str(python), "-m", "venv", str(folder / "venv")], check=True)
    place = folder / "venv" / "bin"
    pip = [str(place / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)]
    if (installed := subprocess.run(pip, capture_output=True, text=True, check=False)).returncode:
        return f"cannot be installed: {installed.stderr.strip()[-600:]}"
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SELFHEAL"))}
    environ |= {"HOME": str(folder), "SELFHEAL_SESSIONS": str(folder / "sessions")}
    command = [str(place / "selfheal"), *_DEMO]
    ran = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)
    try:
        outcome = json.loads(ran.stdout)["outcome"]
    except (ValueError, KeyError):
        outcome = ""
    return (
        "" if (outcome, ran.returncode) == ("healed", 0) else f"{outcome or 'no result'}: {ran.stderr.strip()[-600:]}"
    )


def main() -> int:
    """Try each version that is there."""
    wheels = sorted((ROOT / "dist").glob("*.whl"))
    if not wheels:
        print("There is no wheel in dist/. Build it: make dist", file=sys.stderr)
        return 1
    failed, tried = False, 0
    for version in sys.argv[1:] or VERSIONS:
        python = interpreter(version)
        if python is None:
            print(f"{version}  not on this machine")
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            wrong = try_in(python, wheels[-1], Path(folder))
        print(
            f"{version}  {wrong or 'healed'}  ({time.monotonic() - began:.0f} s with the installation, {python})",
            flush=True,
        )
        failed, tried = failed or bool(wrong), tried + 1
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
