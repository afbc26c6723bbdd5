"""Parquet and Arrow files, as Hugging Face `datasets` writes and offers them. pyarrow is imported on use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line

COLUMNAR = (".parquet", ".arrow")
INSTALL = "pip install 'selfheal-tui[parquet]'"
_SHARD = re.compile(r"-\d+-of-\d+$")
_OF_NO_SPLIT = ("data", "dataset")
"""How `save_to_disk` names the files of a split, whose name is then the folder's."""


def read_columnar(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield place and row of a file. Raises: InputError without pyarrow, or for a file that is damaged."""
    try:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError as error:
        raise InputError(f"{path.name} needs the package pyarrow.", f"Install it: {INSTALL}.") from error
    number = 0
    try:
        for batch in _batches(path, pyarrow):
            for row in batch.to_pylist():
                number += 1
                yield f"{path}, row {number}", row
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read: {one_line(str(error))}.", "Check --data.") from error


def find_split(folder: Path) -> list[Path]:
    """Return the files of a folder's data: of its split `test`, or of its only one; empty when it holds none.

    Raises: InputError naming the splits when it has several and no `test`.
    """
    splits: dict[str, list[Path]] = {}
    for path in sorted(path for path in folder.rglob("*") if path.suffix in COLUMNAR and path.is_file()):
        name = _SHARD.sub("", path.stem)
        if not name.startswith("cache-"):
            split = path.parent.name if name in _OF_NO_SPLIT and path.parent != folder else name
            splits.setdefault(split, []).append(path)
    if len(splits) > 1 and "test" not in splits:
        raise InputError(
            f"{folder} has several parts: {', '.join(splits)}.", "Name the files of one of them with --data."
        )
    return splits["test"] if "test" in splits else next(iter(splits.values()), [])


def _batches(path: Path, pyarrow: Any) -> Iterator[Any]:
    if path.suffix == ".parquet":
        with pyarrow.parquet.ParquetFile(path) as file:
            yield from file.iter_batches()
        return
    with pyarrow.memory_map(str(path)) as source:
        try:
            reader = pyarrow.ipc.open_stream(source)
        except pyarrow.ArrowInvalid:
            reader = pyarrow.ipc.open_file(source)
            yield from (reader.get_batch(number) for number in range(reader.num_record_batches))
            return
        yield from reader
