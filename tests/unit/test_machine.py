"""What fits into the memory of a machine, and which models can be pulled."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.errors import InputError
from selfheal_tui.llm.machine import Memory, fit, read_memory
from selfheal_tui.llm.pull import PullProgress, pull_name

GB = 1024**3


def test_memory_is_read_where_the_kernel_tells_it(tmp_path: Path) -> None:
    path = tmp_path / "meminfo"
    path.write_text("MemTotal:       16384 kB\nMemFree:   5 kB\nMemAvailable:    8192 kB\nHugePages_Total: 0\n")
    assert read_memory(path) == Memory(16384 * 1024, 8192 * 1024)
    path.write_text("nothing of that kind\n")
    assert read_memory(path).free_bytes is None


def test_a_model_fits_is_tight_or_is_too_large() -> None:
    memory = Memory(16 * GB, 8 * GB)
    assert fit(5 * GB, memory) == (True, "fits")
    assert fit(10 * GB, memory) == (True, "tight: needs about 12.0 GB, 8.0 GB are free")
    assert fit(20 * GB, memory) == (False, "too large: needs about 24.0 GB of 16.0 GB")
    assert fit(5 * GB, Memory()) == fit(0, memory) == (None, "")


@pytest.mark.parametrize(("text", "name"), [
    ("qwen3:8b", "qwen3:8b"), ("ollama:qwen3:8b", "qwen3:8b"), (" hf.co/some/model:Q4 ", "hf.co/some/model:Q4"),
])  # fmt: skip
def test_a_model_to_pull_may_be_named_as_everywhere_else(text: str, name: str) -> None:
    assert pull_name(text) == name


@pytest.mark.parametrize("text", ["", "ollama:", "anthropic:claude-haiku-5-5", "search"])
def test_what_ollama_cannot_have_is_not_pulled(text: str) -> None:
    with pytest.raises(InputError):
        pull_name(text)


def test_progress_is_said_safely() -> None:
    assert PullProgress("writing\x1b[2J manifest").words == "writing manifest"
    assert PullProgress("pulling", GB, 4 * GB).words == "1.0 GB of 4.0 GB (25 %)"
