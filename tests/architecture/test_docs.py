"""What the pages for contributors name exists: files, names in files, commands, make targets; and the picture is true.

In backticks, `path/to/file.py` is a path from the repository or from `selfheal_tui/`, `file.py:name` a name defined
there, `file.py:Class.method` a method. A part such as `<name>` stands for any: then the folder before it must exist.
"""

from __future__ import annotations

import argparse
import ast
import functools
import importlib.util
import json
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pytest

from selfheal_tui.cli import COMMANDS, sessions
from selfheal_tui.cli.parser import whole_parser
from selfheal_tui.store.schema import TABLES

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "selfheal_tui"
PAGES = [
    *(ROOT / "docs").glob("*.md"),
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "SECURITY.md",
]
FIGURES = ROOT / "tests" / "benchmarks" / "README.md"
READMES = sorted(path for path in PACKAGE.rglob("README.md"))
_OF_TASKS = ("task.yaml", "start.py", "visible.py", "held_out.py", "reference.py", "mutant.py", "project/", "fixed/")
_OF_SOME_FOLDER = (
    "test_x.py",
    "selfheal.yaml",
    "demo.yaml",
    "setup.py",
    "bench-results/",
    "results.md",
    "results.html",
    *_OF_TASKS,
)
"""What lies in a user's folder, in each demo, in a benchmark's task or its run, and may be named by a page."""
_EXAMPLES = ("selfheal_tui/engine/loop/nodes/open_marks.py",)
"""Files that a page tells the reader to write."""
_ALONE = {"bench": "bench run", "sessions": "sessions list"}
"""What a command means without the name of an action."""
_CODE = re.compile(r"```.*?```", re.DOTALL)
_TICKED = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^)#\s]*)(?:#([\w-]+))?\)")
_PATH = re.compile(r"[\w.<>-]*[\w>](?:/[\w.<>-]+)*/?")
_ENDINGS = (".py", ".md", ".yaml", ".toml", ".tcss", ".svg", ".xz", ".css", ".html")


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def ticked(page: Path) -> list[str]:
    return _TICKED.findall(_CODE.sub("", page.read_text("utf-8")))


def places(token: str, page: Path) -> list[Path]:
    bases = [page.parent] if page in READMES else []
    return [base / token for base in (*bases, ROOT, PACKAGE)]


def is_path(token: str) -> bool:
    path = token.partition(":")[0]
    named = "/" in path or (path.endswith(_ENDINGS) and path not in _ENDINGS)
    return (
        named
        and bool(_PATH.fullmatch(path))
        and path not in (*_OF_SOME_FOLDER, *_EXAMPLES)
        and not path.startswith(".venv/")
    )


@functools.cache
def names_in(path: Path) -> frozenset[str]:
    """Return what a file defines: `name` and `Class.member`."""
    found: set[str] = set()

    def collect(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            match node:
                case ast.ClassDef():
                    found.add(prefix + node.name)
                    collect(node.body, f"{prefix}{node.name}.")
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    found.add(prefix + node.name)
                case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                    found.add(prefix + name)

    collect(ast.parse(path.read_text("utf-8")).body, "")
    return frozenset(found)


def missing(token: str, page: Path) -> str:
    """Say what a token names that is not there; empty when all is."""
    path, _, name = token.partition(":")
    whole = path.partition("<")[0].rpartition("/")[0] if "<" in path else path
    there = next((place for place in places(whole, page) if place.exists()), None)
    if there is None:
        return f"{page.relative_to(ROOT)}: there is no {path}"
    if name and name not in names_in(there):
        return f"{page.relative_to(ROOT)}: {path} defines no {name}"
    return ""


@pytest.mark.parametrize("page", [*PAGES, *READMES], ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_is_there(page: Path) -> None:
    problems = [problem for token in ticked(page) if is_path(token) and (problem := missing(token, page))]
    problems += [
        f"{page.name}: a link to {link}#{heading}"
        for link, heading in _LINK.findall(_CODE.sub("", page.read_text("utf-8")))
        if "://" not in link and not leads_somewhere(page.parent / link if link else page, heading)
    ]
    assert problems == []


def leads_somewhere(target: Path, heading: str) -> bool:
    """Say whether a linked file is there, and has the heading as GitHub names it."""
    if not heading:
        return target.exists()
    lines = _CODE.sub("", target.read_text("utf-8")).splitlines()
    titles = (line.lstrip("#").strip().lower() for line in lines if line.startswith("#"))
    return heading in {re.sub(r"[^\w -]", "", title).replace(" ", "-") for title in titles}


def test_the_readme_is_short_and_goes_back_in_time_before_anything_else() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.encode()) <= 8 * 1024 and len(text.splitlines()) <= 200
    titles = re.findall(r"^## (.*)$", text, flags=re.MULTILINE)
    assert titles.index("Going back in time") < titles.index("Heal your own program")


def test_every_page_is_in_the_navigation_of_the_site_once() -> None:
    site = _script("build_site")
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} | set(site.ELSEWHERE.values())
    named = site.navigation()
    assert pages - set(named) == set(), "name it in zensical.toml"
    assert len(named) == len(set(named))


def test_links_lead_on_the_site_where_they_lead_in_the_repository(tmp_path: Path) -> None:
    site = _script("build_site")
    site.lay_pages(tmp_path)
    lost = [
        f"{page.name}: {link}"
        for page in tmp_path.glob("*.md")
        for link, _ in _LINK.findall(_CODE.sub("", page.read_text("utf-8")))
        if link and "://" not in link and not (tmp_path / link).is_file()
    ]
    assert lost == []
    assert "(security.md)" in (tmp_path / "sandbox.md").read_text("utf-8")
    assert "](../" not in (tmp_path / "architecture.md").read_text("utf-8"), "what is no page becomes its words"


def test_the_recording_is_a_minute_of_the_demo() -> None:
    head, *lines = (ROOT / "docs" / "pictures" / "minute.cast").read_text("utf-8").splitlines()
    assert json.loads(head)["version"] == 2 and (json.loads(head)["width"], json.loads(head)["height"]) == (100, 30)
    shown = [json.loads(line) for line in lines]
    times = [at for at, _, _ in shown]
    assert times == sorted(times) and 45 <= times[-1] <= 75
    text = "".join(drawn for _, kind, drawn in shown if kind == "o")
    assert "Healed" in text and "PAST" in text and str(Path.home()) not in text
    picture = (ROOT / "docs" / "pictures" / "minute.svg").read_text("utf-8")
    assert set(re.findall(r"https?://[\w./-]+", picture)) == {"http://www.w3.org/2000/svg"} and "<script" not in picture


@pytest.mark.deep
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    pytest.importorskip("zensical", reason="the extra `docs`")
    command = [sys.executable, str(ROOT / "docs" / "build_site.py"), str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, "No issues found" in ran.stderr) == (0, True), ran.stdout[-1000:] + ran.stderr[-3000:]
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 30
    foreign = r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=\"?(?:https?:)?//[^\"> ]+"
    assert [found for page in pages for found in re.findall(foreign, page.read_text("utf-8"))] == []


@pytest.mark.parametrize("name", _script("reference").SCRIPTS)
def test_a_page_that_is_made_from_the_code_is_up_to_date(name: str) -> None:
    (made,) = (one for one in _script("reference").scripts() if one.__name__ == name)
    assert made.PAGE.read_text("utf-8") == made.page(), "write it anew: make docs"


def shown(page: Path) -> list[str]:
    text = page.read_text("utf-8")
    return [*_TICKED.findall(text), *(line for block in _CODE.findall(text) for line in block.splitlines())]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_a_page_shows_exist(page: Path) -> None:
    said = [f"selfheal {token}" if token.startswith("sessions ") else token for token in shown(page)]
    commands = [token.split() for token in said if re.match(r"selfheal [\w-]", token)]
    unknown = {words[1] for words in commands if not words[1].startswith("-")} - set(COMMANDS)
    assert unknown == set()
    actions = {words[2] for words in commands if words[1] == "sessions" and len(words) > 2}
    assert actions - set(sessions.ACTIONS) == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_flags_that_a_page_shows_are_taken_by_their_command(page: Path) -> None:
    flags = _flags_of_commands()
    unknown = []
    for token in shown(page):
        line = re.split(r" (?:#|--|&&|\|\|?|;|>) |\s\\$", re.sub(r"'[^']*'|\"[^\"]*\"", "TEXT", token))[0]
        words = re.sub(r"^.*?(?=selfheal [\w-])", "", line).split()
        if words[:1] != ["selfheal"] or len(words) < 2:
            continue
        pair = " ".join(words[1:3])
        name = pair if pair in flags else _ALONE.get(words[1], words[1])
        given = {flag for word in words for flag in re.findall(r"^\[?(--[a-z][\w-]*)", word)}
        unknown += [f"{line}: {flag}" for flag in given - flags.get(name, flags[""])]
    assert unknown == []


@functools.cache
def _flags_of_commands() -> dict[str, set[str]]:
    """Return `fix`, `sessions show`, ... -> its flags; those of `selfheal` alone under no name."""

    def collect(parser: argparse.ArgumentParser, name: str) -> None:
        found[name] = {flag for action in parser._actions for flag in action.option_strings}
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for below, of_below in action.choices.items():
                    collect(of_below, f"{name} {below}".strip())

    found: dict[str, set[str]] = {}
    collect(whole_parser(), "")
    return found


@pytest.mark.parametrize("page", [*PAGES, *READMES, FIGURES], ids=lambda page: str(page.relative_to(ROOT)))
def test_scripts_that_a_page_shows_exist(page: Path) -> None:
    lines = "\n".join(shown(page))
    files = set(re.findall(r"python3? ((?:docs|tests|\.ci)/[\w/.-]+\.py)", lines))
    modules = set(re.findall(r"python3? -m (tests\.[\w.]+|selfheal_tui[\w.]*)", lines))
    named = [*files, *(f"{module.replace('.', '/').rstrip('/')}.py" for module in modules)]
    assert [path for path in named if not (ROOT / path).is_file() and not (ROOT / path[:-3]).is_dir()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_targets_that_a_page_shows_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE))
    made = {token.split()[1] for token in shown(page) if re.match(r"make [a-z]", token)}
    assert made - targets == set()


def test_every_table_of_a_session_is_explained() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        for sql in TABLES:
            connection.execute(sql)
        rows = connection.execute("select name from sqlite_master where type='table' and name not like 'sqlite_%'")
        tables = {str(name) for (name,) in rows}
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    assert {name for name in tables if f"\n| `{name}` |" not in page} == set()


def test_every_word_in_bold_is_in_the_glossary() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    glossary = (ROOT / "docs" / "glossary.md").read_text("utf-8").lower()
    bold = {word.lower() for word in re.findall(r"\*\*([\w ]+)\*\*", text)}
    assert bold and {word for word in bold if f"\n| {word}" not in glossary} == set()


def test_the_picture_of_the_rooms_is_up_to_date_and_has_no_arrow_up() -> None:
    rooms = _script("rooms")
    drawings = rooms.floors()
    assert [floor.upward() for floor in drawings] == [[] for _ in drawings]
    assert rooms.PICTURE.read_text("utf-8") == rooms.draw(drawings), "draw it anew: python docs/rooms.py"


def test_an_arrow_up_would_be_drawn_and_told() -> None:
    rooms = _script("rooms")
    floor = rooms.Floor("house", ("roof", "cellar"), (("cellar", "roof"), ("roof", "cellar")))
    assert floor.upward() == [("cellar", "roof")]
    assert rooms._RED in rooms.draw([floor])


def test_every_package_folder_has_a_short_readme() -> None:
    folders = [path for path in PACKAGE.iterdir() if any(path.glob("*.py")) or any(path.glob("*/*.py"))]
    rooms = [path for house in ("engine", "bench") for path in (PACKAGE / house).iterdir()]
    folders += [path for path in rooms if (path / "__init__.py").is_file()]
    for folder in folders:
        text = (folder / "README.md").read_text("utf-8")
        lines = [line for line in text.splitlines() if line]
        assert lines[0].startswith("# "), folder
        assert 3 <= len(lines) <= (20 if folder.name in ("engine", "bench") else 8), f"{folder}: {len(lines)} lines"
