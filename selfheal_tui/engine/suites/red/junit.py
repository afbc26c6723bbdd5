"""The failing cases of a JUnit XML file, as pytest writes it with `--junit-xml`.

The file may come from anywhere. No document type is read, so that nothing in it stands for more than itself; it is
never held as a tree.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat

from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line
from selfheal_tui.walled import NoRegularFile, read_below

MOST_BYTES = 20_000_000
_FAILED = ("failure", "error")


class Address(NamedTuple):
    """How the file names a case."""

    classname: str
    """`tests.test_shop.TestFee`; empty for a file that could not be collected."""
    name: str
    """`test_fee[3]`; for such a file its dotted path."""


class _Refused(Exception):
    """The file has a document type."""


def load_junit(path: Path) -> list[Address]:
    """Read the failing cases of a file. Raises: InputError."""
    try:
        target = path.resolve()
        content = read_below(target.parent, target, MOST_BYTES)
    except NoRegularFile:
        raise InputError(f"{path} is not a regular file.") from None
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', '') or error}.") from error
    if len(content) > MOST_BYTES:
        raise InputError(f"{path} is larger than {MOST_BYTES // 1_000_000} MB.")
    try:
        return read_junit(content)
    except InputError as error:
        raise InputError(f"{path}: {error.message}", error.hint) from None


def read_junit(content: bytes) -> list[Address]:
    """Return the failing cases of JUnit XML. Raises: InputError."""
    parser = expat.ParserCreate()
    reader = _Reader()
    parser.StartElementHandler = reader.start
    parser.StartDoctypeDeclHandler = reader.refuse
    try:
        parser.Parse(content, True)
    except _Refused:
        raise InputError("It has a document type, which pytest never writes: nothing was read.") from None
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise InputError(f"It is no XML that can be read: {one_line(str(error), 100)}.") from None
    if not reader.is_junit:
        raise InputError("It is XML, but no JUnit report.", "pytest writes one with --junit-xml=FILE")
    return list(dict.fromkeys(reader.failed))


def addressed(addresses: Iterable[Address], collected: Iterable[str]) -> list[str]:
    """Return the node ids that addresses stand for; one that stands for none as it is, to be told."""
    by_address: dict[Address, list[str]] = {}
    for node_id in collected:
        by_address.setdefault(address_of(node_id), []).append(node_id)
    return [node_id for one in addresses for node_id in by_address.get(one) or [_words(one)]]


def address_of(node_id: str) -> Address:
    """Return the address that pytest gives to a node id (`_pytest.junitxml.mangle_test_address`)."""
    path, bracket, parameters = node_id.partition("[")
    first, *rest = path.split("::")
    names = [first.replace("/", ".").removesuffix(".py"), *rest]
    return Address(".".join(names[:-1]), names[-1] + bracket + parameters)


def _words(address: Address) -> str:
    return f"{address.classname}.{address.name}" if address.classname else address.name


class _Reader:
    """Takes the elements of the file as they come."""

    def __init__(self) -> None:
        self.failed: list[Address] = []
        self.is_junit = False
        self._case = Address("", "")
        self._is_first = True

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Take in one element."""
        if self._is_first:
            self._is_first, self.is_junit = False, name in ("testsuites", "testsuite")
        if name == "testcase":
            self._case = Address(attributes.get("classname", ""), attributes.get("name", ""))
        elif name in _FAILED:
            self.failed.append(self._case)

    def refuse(self, *_: Any) -> None:
        """Refuse a document type: entities are declared there."""
        raise _Refused
