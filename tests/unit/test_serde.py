"""Checkpoints on disk: compressed against a dictionary that never changes, read strictly."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from selfheal_tui.store.damage import UNDECODABLE
from selfheal_tui.store.dictionary import DICTIONARY
from selfheal_tui.store.serde import StateSerde

STATE: dict[str, Any] = {"channel_values": {f"channel_{n}": f"{n:064x}" for n in range(20)}, "v": 4}


def test_the_dictionary_is_frozen() -> None:
    """Another one could not read what this one wrote: a better one needs a name of its own in serde.py."""
    assert hashlib.sha256(DICTIONARY).hexdigest() == "022dd4542752fea4abb51ae834284a82b2da8412011ac8a98291bd5bc1eee30d"


def test_large_values_are_compressed_and_small_ones_are_not() -> None:
    serde = StateSerde()
    kind, body = serde.dumps_typed(STATE)
    assert kind == "msgpack+zdict" and len(body) < len(JsonPlusSerializer().dumps_typed(STATE)[1])
    assert serde.loads_typed((kind, body)) == STATE
    kind, body = serde.dumps_typed({"n": 1})
    assert kind == "msgpack" and serde.loads_typed((kind, body)) == {"n": 1}


def test_what_store_3_wrote_is_read() -> None:
    kind, body = JsonPlusSerializer().dumps_typed(STATE)
    assert StateSerde().loads_typed((kind + "+zlib", zlib.compress(body))) == STATE


@pytest.mark.parametrize("how", ["+zdict", "+zlib"])
def test_damaged_bytes_never_give_another_value(how: str) -> None:
    serde = StateSerde()
    kind, body = serde.dumps_typed(STATE)
    if how == "+zlib":
        kind, body = "msgpack+zlib", zlib.compress(JsonPlusSerializer().dumps_typed(STATE)[1])
    for cut in (0, 1, len(body) // 2, len(body) - 1):
        with pytest.raises(UNDECODABLE):
            serde.loads_typed((kind, body[:cut]))
    for at in range(len(body)):
        altered = body[:at] + bytes([body[at] ^ 4]) + body[at + 1 :]
        try:
            assert serde.loads_typed((kind, altered)) == STATE
        except UNDECODABLE:
            pass


def test_a_foreign_file_makes_no_object_of_a_class() -> None:
    """A file can name any class: making one of it would run code."""
    kind, body = JsonPlusSerializer().dumps_typed(Foreign("here"))
    Foreign.made.clear()
    lax = JsonPlusSerializer(allowed_msgpack_modules=True)
    assert lax.loads_typed((kind, body)) == Foreign("here") and Foreign.made == ["here", "here"]
    Foreign.made.clear()
    assert not isinstance(StateSerde().loads_typed((kind, body)), Foreign) and not Foreign.made


@dataclass
class Foreign:
    """What no session writes."""

    where: str
    made: ClassVar[list[str]] = []

    def __post_init__(self) -> None:
        self.made.append(self.where)
