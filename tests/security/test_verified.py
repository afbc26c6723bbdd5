"""The word "verified": nobody gets it without knowing the answers, and honest programs do.

python -m tests.security.liars --layers landlock      what is said of each liar
python -m tests.benchmarks.verified                   what is said of every reference of the dev data
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfheal_tui.sandbox.local import LocalSandbox
from tests.benchmarks.verified import SETS, Judged, judged
from tests.security.liars import corpus, opinions
from tests.tiers import opened

LIARS = corpus()
ROOT = Path(__file__).parents[2]
OTHER_UID = 65534
_SAMPLE = {"cruxeval": 40, "mbpp_sanitized": 20, "humaneval": 8, "humanevalfix": 8, "exercism": 6, "quixbugs": 3}
"""Every so many-th record."""


@pytest.fixture(scope="module", params=["namespaces", "landlock"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[LocalSandbox]:
    yield from opened(request.param)


@pytest.mark.parametrize("name", LIARS)
async def test_a_liar_passes_where_it_can_cheat_and_is_never_verified(sandbox: LocalSandbox, name: str) -> None:
    inside, after = await opinions(sandbox, LIARS[name])
    assert inside["verdict"] == "passed", f"this program does not even pass: {inside}"
    assert (after["verdict"], after["trust"]) != ("passed", "verified")
    if after["verdict"] == "passed":
        assert after["not_verified"]


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can become somebody else")
def test_nor_is_it_for_another_user(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.security.liars", "--layers", "landlock", "--as", str(OTHER_UID)]
    way = ["unshare", "--mount", "sh", "-ec", _opened(tmp_path) + '\nexec "$@"', "sh", *command]
    try:
        done = subprocess.run(way, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if not found or "skip" in found[0]:
        pytest.skip(f"the other user cannot run it: {found or done.stderr[-200:]}")
    assert {one["name"] for one in found if one["bites"]} == set(LIARS), done.stderr
    assert [one for one in found if one["verified"]] == []


def _opened(folder: Path) -> str:
    """Return shell commands that let everybody pass through the folders of the interpreter, in this mount namespace."""
    ways = [Path(sys.executable), Path(sys.executable).resolve(), Path(sys.prefix), Path(sys.base_prefix), ROOT]
    closed = {one for way in ways for one in way.parents if not one.stat().st_mode & 0o001}
    lines = [f"mount -t tmpfs tmpfs {folder}"]
    for number, one in enumerate(sorted(closed)):
        upper, work = folder / f"upper{number}", folder / f"work{number}"
        lines += [f"mkdir {upper} {work}"]
        lines += [
            f"mount -t overlay overlay -o lowerdir={one},upperdir={upper},workdir={work} {one}",
            f"chmod o+x {one}",
        ]
    return "\n".join(lines)


@pytest.mark.parametrize("name", SETS)
def test_a_sample_of_honest_programs_is_not_doubted(name: str) -> None:
    async def sample() -> list[Judged]:
        sandbox = LocalSandbox()
        try:
            return [one async for one in judged(sandbox, name, _SAMPLE[name])]
        finally:
            await sandbox.aclose()

    found = asyncio.run(sample())
    assert [one for one in found if one.verdict != "passed"] == []
    doubted = [one for one in found if one.trust != "verified"]
    assert len(doubted) <= len(found) // 4, doubted
