"""Build the pages as a site in build/site: `python docs/build_site.py`, or `make site`. No network is needed.

The pages are plain Markdown that a code host shows too. A site has one folder of pages, so they are laid together in
build/pages first: those of docs/, and README, CONTRIBUTING and the like, whose links are turned. A link to a file of
the code becomes its words. Zensical is told to be strict: a link that leads nowhere ends the build.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "zensical.toml"
ELSEWHERE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "tests/benchmarks/README.md": "figures.md",
}
"""Page outside of docs/ -> its name on the site."""
SHOWN = (".svg", ".cast", ".html")
"""Endings of what lies beside the pages and is shown."""
INSTALL = "pip install 'selfheal-tui[docs]'"
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]*)(#[\w-]+)?\)")
_CODE = re.compile(r"(```.*?```|`[^`\n]+`)", re.DOTALL)
_NAMED = re.compile(r'= "([\w-]+\.md)"')


def lay_pages(folder: Path) -> None:
    """Put every page and picture into an empty folder."""
    for path in (ROOT / "docs").rglob("*"):
        if path.suffix in SHOWN:
            target = folder / path.relative_to(ROOT / "docs")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    for page in (ROOT / "docs").glob("*.md"):
        (folder / page.name).write_text(turned(page), "utf-8")
    for name, on_site in ELSEWHERE.items():
        (folder / on_site).write_text(turned(ROOT / name), "utf-8")


def turned(page: Path) -> str:
    """Return a page with its links as they lead on the site."""

    def link(found: re.Match[str]) -> str:
        mark, words, path, heading = found[1], found[2], found[3], found[4] or ""
        if not path or "://" in path:
            return found[0]
        target = Path(os.path.normpath(page.parent / path)).relative_to(ROOT).as_posix()
        if target in ELSEWHERE:
            return f"{mark}[{words}]({ELSEWHERE[target]}{heading})"
        if target.startswith("docs/") and (target.count("/") == 1 or target.endswith(SHOWN)):
            return f"{mark}[{words}]({target.removeprefix('docs/')}{heading})"
        return words

    # Links in code are words; a picture that is a link's words is no case of ours.
    parts = _CODE.split(page.read_text("utf-8"))
    marks = [part for part in parts[1::2]]
    text = "\0".join(parts[0::2])
    text = _LINK.sub(link, text)
    pieces = text.split("\0")
    return "".join(piece + (marks[n] if n < len(marks) else "") for n, piece in enumerate(pieces))


def navigation() -> list[str]:
    """Return the pages that the navigation names, as they are called on the site."""
    return _NAMED.findall(CONFIG.read_text("utf-8"))


def build(folder: Path) -> int:
    """Build pages and site below a folder; return the builder's exit code."""
    if importlib.util.find_spec("zensical") is None:
        print(f"The site is built by Zensical, which is not installed. Install it: {INSTALL}", file=sys.stderr)
        return 2
    pages = folder / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    lay_pages(pages)
    # A page that a later change brings may be named already.
    lines = CONFIG.read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not (named := _NAMED.search(line)) or (pages / named[1]).is_file()]
    (folder / CONFIG.name).write_text("".join(kept), "utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "-f", str(folder / CONFIG.name)]
    return subprocess.run(command, cwd=folder, check=False).returncode


if __name__ == "__main__":
    place = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build"
    code = build(place)
    if not code:
        print(place / "site" / "index.html")
    sys.exit(code)
