"""What each node and role of a session has used, branch by branch: runs, calls, tokens, time, retries, trouble."""

from __future__ import annotations

from typing import TypedDict

from selfheal_tui.money import round_usd

from .session_db import SessionDB, Statement

_NAMES = ("branch", "node", "role", "model")
_COLUMNS = (
    *("runs", "time_s", "calls", "replayed_calls", "input_tokens", "output_tokens"),
    *("cost_usd", "unpriced_calls", "retries", "degraded"),
)
_ALL = ", ".join((*_NAMES, *_COLUMNS))
_ADDED = f"on conflict({', '.join(_NAMES)}) do update set " + ", ".join(f"{n}={n}+excluded.{n}" for n in _COLUMNS)


class UsageRow(TypedDict):
    """One node (role and model are empty), or one role's calls to one model in a node."""

    branch: str
    """Empty for what was used before branches were told apart."""
    node: str
    role: str
    model: str
    runs: int
    time_s: float
    """Wall clock of the node, its waits for models and the sandbox included."""
    calls: int
    """Paid ones, refused and unreadable ones among them."""
    replayed_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    """Of the calls whose price is known."""
    unpriced_calls: int
    retries: int
    degraded: int
    """Replies that had to be salvaged or asked for again."""


class UsageLog:
    """The usage table of a session's file; what is added is written at `flush`."""

    def __init__(self, db: SessionDB) -> None:
        self._db = db
        self._unwritten: dict[tuple[str, str, str, str], dict[str, float]] = {}

    def add(self, branch: str, node: str, role: str = "", model: str = "", **amounts: float) -> None:
        """Add amounts by column name."""
        row = self._unwritten.setdefault((branch, node, role, model), {})
        for name, amount in amounts.items():
            row[name] = row.get(name, 0) + amount

    async def flush(self) -> None:
        """Write down what was added since the last time."""
        unwritten, self._unwritten = self._unwritten, {}
        sql = f"insert into usage({_ALL}) values(?,?,?,?{',?' * len(_COLUMNS)}) {_ADDED}"
        if unwritten:
            await self._db.write_all(
                [(sql, (*key, *(row.get(name, 0) for name in _COLUMNS))) for key, row in unwritten.items()]
            )

    async def rows(self) -> list[UsageRow]:
        """Return all rows, by branch, node, role and model."""
        await self.flush()
        rows = await self._db.rows(f"select {_ALL} from usage order by {', '.join(_NAMES)}")
        told = [dict(zip((*_NAMES, *_COLUMNS), row, strict=True)) for row in rows]
        # SQLite adds up binary fractions.
        return [{**row, "cost_usd": round_usd(row["cost_usd"])} for row in told]  # type: ignore[typeddict-item]


def renamed(old: str, new: str) -> list[Statement]:
    """Return what puts a branch's rows under another name; a deleted branch may have left rows there."""
    columns = f"node, role, model, {', '.join(_COLUMNS)}"
    moved = f"insert into usage({_ALL}) select ?, {columns} from usage where branch=? {_ADDED}"
    return [(moved, (new, old)), ("delete from usage where branch=?", (old,))]
