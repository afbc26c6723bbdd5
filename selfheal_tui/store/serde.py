"""How LangGraph's values are written: strict about types, and compressed."""

from __future__ import annotations

import zlib
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from .dictionary import DICTIONARY

_SMALL_BYTES = 512
"""Below it compression gains nothing."""
_DICTIONARY = "+zdict"
_ZLIB = "+zlib"
"""As store 3 wrote it; still read, so that a migration need not touch what is whole."""


class StateSerde(JsonPlusSerializer):
    """Plain JSON types only, whatever a file says; most of a checkpoint are names of channels, three times each."""

    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=None)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Return kind and bytes."""
        kind, data = super().dumps_typed(obj)
        if len(data) < _SMALL_BYTES:
            return kind, data
        packer = zlib.compressobj(zdict=DICTIONARY)
        return kind + _DICTIONARY, packer.compress(data) + packer.flush()

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return the value. Raises: ValueError, or what the parent raises, when it is damaged."""
        kind, body = data
        try:
            if kind.endswith(_DICTIONARY):
                kind, body = kind.removesuffix(_DICTIONARY), _unpacked(body)
            elif kind.endswith(_ZLIB):
                kind, body = kind.removesuffix(_ZLIB), zlib.decompress(body)
        except zlib.error as error:
            raise ValueError(f"compressed bytes are damaged: {error}") from error
        return super().loads_typed((kind, body))


def _unpacked(body: bytes) -> bytes:
    unpacker = zlib.decompressobj(zdict=DICTIONARY)
    whole = unpacker.decompress(body)
    if not unpacker.eof:
        raise ValueError("compressed bytes are damaged: they end early")
    return whole
