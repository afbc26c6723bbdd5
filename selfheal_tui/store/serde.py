"""How LangGraph's values are written: strict about types, and compressed."""

from __future__ import annotations

import zlib
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

_SMALL_BYTES = 512
"""Below it compression gains nothing."""
_ZLIB = "+zlib"


class StateSerde(JsonPlusSerializer):
    """Plain JSON types only, whatever a file says; most of a checkpoint are names of channels, three times each."""

    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=None)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Return kind and bytes."""
        kind, data = super().dumps_typed(obj)
        return (kind, data) if len(data) < _SMALL_BYTES else (kind + _ZLIB, zlib.compress(data))

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return the value. Raises: ValueError, or what the parent raises, when it is damaged."""
        kind, body = data
        if not kind.endswith(_ZLIB):
            return super().loads_typed(data)
        try:
            packed = zlib.decompress(body)
        except zlib.error as error:
            raise ValueError(f"compressed bytes are damaged: {error}") from error
        return super().loads_typed((kind.removesuffix(_ZLIB), packed))
