"""Build what is released into dist/ and look at it: `python .ci/dist.py [--tag vX.Y.Z]`, or `make dist`.

Both files are built twice, and have to be the same byte for byte. Their times are that of the last commit, unless
SOURCE_DATE_EPOCH says another. With `--tag` the version has to be that of the tag, and the changelog has to tell of it.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
NEEDED = ("hatchling", "twine", "check_wheel_contents")
INSTALL = "pip install -e '.[release]'"
DEFAULT_EPOCH = "1577836800"
"""Where there is no git: the start of 2020."""


def version() -> str:
    """Return the version of the package."""
    text = (ROOT / "selfheal_tui" / "__init__.py").read_text("utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, flags=re.MULTILINE)
    assert found is not None
    return found[1]


def notes(of_version: str) -> str:
    """Return what the changelog says of a version; empty where it says nothing."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    found = re.search(
        rf"^## \[?{re.escape(of_version)}\]?(?=\s).*?\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL
    )
    return found[1].strip() if found else ""


def build(folder: Path) -> dict[str, str]:
    """Build sdist and wheel into a folder; return file name -> sha256."""
    environ = {**os.environ, "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH") or _commit_time()}
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, env=environ, check=True, stdout=subprocess.DEVNULL)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def _commit_time() -> str:
    told = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    return told or DEFAULT_EPOCH


def main() -> int:
    """Build, compare, check; return 0 when all is well."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tag", default="", metavar="vX.Y.Z", help="the tag that is released")
    parser.add_argument("--notes", action="store_true", help="only print what the changelog says of the version")
    args = parser.parse_args()
    if args.tag and args.tag != f"v{version()}":
        return _fail(f"The tag {args.tag} is not the version {version()} of selfheal_tui/__init__.py.")
    if (args.tag or args.notes) and not notes(version()):
        return _fail(f"CHANGELOG.md has no section `## {version()}`, or it is empty.")
    if args.notes:
        print(notes(version()))
        return 0
    if missing := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
        return _fail(f"Not installed: {', '.join(missing)}. Install them: {INSTALL}")
    shutil.rmtree(DIST, ignore_errors=True)
    sums = build(DIST)
    with tempfile.TemporaryDirectory() as again:
        if (second := build(Path(again))) != sums:
            return _fail(f"Two builds differ: {sums} and {second}")
    files = [str(DIST / name) for name in sums]
    wheels = [path for path in files if path.endswith(".whl")]
    for command in (["twine", "check", "--strict", *files], ["check_wheel_contents", *wheels]):
        if subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=False).returncode:
            return 1
    print("\n".join(f"{sha256}  {name}" for name, sha256 in sums.items()))
    return 0


def _fail(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
