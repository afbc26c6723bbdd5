"""SQL is written in store/ only: what a row means is known in one place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "selfheal_tui"
DATA = {"demos", "tasks"}
SQL = re.compile(
    r"\b(select\s.*\sfrom\s|insert\s+(or\s+\w+\s+)?into\s|replace\s+into\s|update\s+\S+\s+set\s|delete\s+from\s"
    r"|(create|drop|alter)\s+(\w+\s+)?(table|index|trigger|view)\s|begin\s+immediate|^vacuum\b"
    r"|pragma\s+\w+)",
    re.IGNORECASE | re.DOTALL,
)
RUNS = {"execute", "executemany", "executescript", "execute_fetchall"}


def statements(source: str) -> list[str]:
    """Return the SQL texts of a program, and its calls that run one."""
    tree = ast.parse(source)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [text for node in ast.walk(tree) if id(node) not in prose for text in _texts(node)]
    calls = [
        f".{node.func.attr}()"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in RUNS
    ]
    return [text for text in texts if SQL.search(text)] + calls


def _texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def test_no_sql_is_written_outside_of_the_store() -> None:
    places = {
        str(path.relative_to(PACKAGE)): sql
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] not in {"store", *DATA}
        if (sql := statements(path.read_text(encoding="utf-8")))
    }
    assert places == {}


@pytest.mark.parametrize(
    "line",
    [
        'rows = db.rows(f"select {NAMES} from {table} order by rowid")',
        'sql = "select key, value from meta"',
        '_LATER = """\nselect 1\nfrom checkpoints\n"""',
        'run(("update program set branch=? where branch=?", (a, b)))',
        'run(f"update {table} set branch=? where branch=?")',
        'db.write("delete from meta")',
        'run(f"insert or replace into meta {LINE} values(?)")',
        'db.rows("pragma data_version")',
        'db.write("create index if not exists x on checkpoints(parent_checkpoint_id)")',
        "connection.execute(SQL_OF_ANOTHER_MODULE)",
    ],
)
def test_sql_is_seen_where_it_is_written(line: str) -> None:
    assert statements(line)


@pytest.mark.parametrize(
    "line",
    ['"""Insert a row into the table, or update it."""', 'say("Selected from: a, b")', 'words = "delete"', "begin()"],
)
def test_prose_is_no_sql(line: str) -> None:
    assert statements(line) == []
