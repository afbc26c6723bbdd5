"""Every variable that selfheal reads for a vendor belongs to one vendor, and is one kind of thing."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import selfheal_tui
from selfheal_tui.provider_variables import FOREIGN_SECRETS, VENDORS, addresses, secrets

ROOT = Path(selfheal_tui.__file__).parent
OF_A_VENDOR = re.compile(r"\"((?:ANTHROPIC|OPENAI|DASHSCOPE|QWEN|OLLAMA|E2B)_[A-Z0-9_]+)\"")


def test_a_variable_belongs_to_one_vendor_and_is_one_kind_of_thing() -> None:
    counted = Counter([*(name for vendor in VENDORS.values() for name in vendor.names), *FOREIGN_SECRETS])
    assert [name for name, times in counted.items() if times > 1] == []
    assert not set(addresses()) & set(secrets())


def test_no_provider_reads_a_variable_that_the_table_does_not_know() -> None:
    known = {name for vendor in VENDORS.values() for name in vendor.names}
    read = {
        name
        for file in [*(ROOT / "llm").glob("*.py"), ROOT / "sandbox/e2b.py"]
        for name in OF_A_VENDOR.findall(file.read_text("utf-8"))
    }
    assert read and read <= known, read - known
