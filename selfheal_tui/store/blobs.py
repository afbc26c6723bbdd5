"""Bodies by content: text and JSON under their sha256, compressed, verified whenever they are read."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections import OrderedDict
from typing import Any

from selfheal_tui.errors import SessionDamaged

from .damage import UNDECODABLE
from .packing import pack
from .session_db import SessionDB

_CACHED = 512


def text_ref(text: str) -> str:
    """Return the ref of a text: the sha256 of its UTF-8 bytes, 64 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def json_text(body: Any) -> str:
    """Return the one JSON text of a body, so that equal bodies share a ref. NaN is refused."""
    return json.dumps(body, sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


class Blobs:
    """Content-addressed store inside a session's file."""

    def __init__(self, db: SessionDB) -> None:
        self._db = db
        self._cache: OrderedDict[str, str] = OrderedDict()

    async def put_text(self, text: str) -> str:
        """Store a text; return its ref. Storing it twice costs nothing."""
        ref = text_ref(text)
        if ref not in self._cache:
            await self._db.write("insert or ignore into blob values(?,?)", (ref, pack(text)))
            self._keep(ref, text)
        return ref

    async def put(self, body: Any) -> str:
        """Store a JSON body; return its ref."""
        return await self.put_text(json_text(body))

    async def get_text(self, ref: str) -> str:
        """Return a text. Raises: SessionDamaged when it is missing or its hash does not match."""
        if ref in self._cache:
            self._cache.move_to_end(ref)
            return self._cache[ref]
        try:
            rows = await self._db.rows("select body from blob where ref=?", (ref,))
            raw = zlib.decompress(rows[0][0]) if rows else None
        except (*UNDECODABLE, sqlite3.DatabaseError):
            raw = None
        if raw is None or hashlib.sha256(raw).hexdigest() != ref:
            raise SessionDamaged(
                f"The session is damaged: body {ref[:12]} is missing or altered.",
                "Restore a copy of the session.",
            )
        text = raw.decode("utf-8", "surrogatepass")
        self._keep(ref, text)
        return text

    async def get(self, ref: str) -> Any:
        """Return a JSON body. Raises: SessionDamaged."""
        return json.loads(await self.get_text(ref))

    def _keep(self, ref: str, text: str) -> None:
        self._cache[ref] = text
        if len(self._cache) > _CACHED:
            self._cache.popitem(last=False)
