"""Hooks: what each is told, that none harms a run, and that `before_apply` may refuse."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui import heal
from selfheal_tui.engine.moment.events import RunFinished
from selfheal_tui.engine.moment.review import approve, reject
from selfheal_tui.engine.session.hooks import HookOptions
from selfheal_tui.engine.session.workbench import RunOptions, Workbench, default_limits
from selfheal_tui.errors import InputError
from selfheal_tui.hook_settings import HOOKS, Hook

from .driving import ANSWERS, BUGGY, TESTS, drain, options, script, shop_task, to_review

TELLING = (*(name for name in HOOKS if name != "before_apply"),)
KEEPS = "import pathlib, sys; pathlib.Path(sys.argv[1]).open('a').write(sys.stdin.read())"


class Kept:
    """Hooks that write down what they are told."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "told.jsonl"
        self.hook = Hook(f'{sys.executable} -c "{KEEPS}" {self.file}', folder)

    def told(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.file.read_text().splitlines()] if self.file.exists() else []


@asynccontextmanager
async def hooked(folder: Path, commands: Mapping[str, Hook], **more: Any) -> AsyncIterator[Workbench]:
    bench = Workbench(folder / "sessions", hooks=HookOptions(commands, **more))
    try:
        yield bench
    finally:
        await bench.aclose()


async def test_a_question_a_decision_and_the_end_are_told_once_each(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    async with hooked(tmp_path, dict.fromkeys(TELLING, kept.hook)) as bench:
        session_id = await bench.create(shop_task(), options())
        async with bench.open_session(session_id) as session:
            asked = await to_review(session.resume())
            await drain(session.resume())  # the same question, only shown again
            asked = await to_review(session.decide(asked.checkpoint_id, approve()))
            events = await drain(session.decide(asked.checkpoint_id, approve()))
            await drain(session.resume())  # the same end
            assert isinstance(events[-1], RunFinished)
    told = kept.told()
    assert [(one["hook"], one["kind"]) for one in told] == [
        ("review_asked", "diagnosis"),
        ("decided", "diagnosis"),
        ("review_asked", "repair"),
        ("decided", "repair"),
        ("decided", "end"),
        ("healed", None),
        ("ended", None),
    ]
    question, decided, by_policy, healed = told[2:6]
    assert question["sentence"] == "A repair waits for your decision; it fixes 1 case and breaks none."
    assert question["next"] == question["answers"]["approve"]
    assert question["next"] == f"selfheal sessions decide {session_id} approve --at {question['checkpoint']} --once"
    assert question["cases"] == {"passed": 1, "failed": 1} and question["version"] == 1
    assert decided["decision"] == {"kind": "repair", "verdict": "approve", "by": "human"}
    assert by_policy["decision"] == {"kind": "end", "verdict": "approve", "by": "policy"}
    assert healed["outcome"] == "healed" and healed["next"] == f"selfheal sessions apply {session_id} -o healed"
    assert all("amount" not in json.dumps(one) for one in told), "no code"


async def test_the_change_is_told_only_where_it_was_asked_for_and_without_secrets(tmp_path: Path) -> None:
    kept = Kept(tmp_path)

    def clean(told: Any) -> Any:
        return json.loads(json.dumps(told).replace("amount", "[KEY]"))

    async with hooked(tmp_path, {"review_asked": kept.hook}, with_diff=True, clean=clean) as bench:
        session_id = await bench.create(shop_task(), options())
        async with bench.open_session(session_id) as session:
            asked = await to_review(session.resume())
            await to_review(session.decide(asked.checkpoint_id, approve()))
    assert "+    return [KEY] - discount" in kept.told()[1]["diff"]


async def test_a_decision_that_a_fork_goes_on_from_is_not_told_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    async with hooked(tmp_path, {"decided": kept.hook}) as bench:
        session_id = await bench.create(shop_task(), options())
        async with bench.open_session(session_id) as session:
            asked = await to_review(session.resume())
            await to_review(session.decide(asked.checkpoint_id, approve()))
            timeline = await session.timeline()
            (decided,) = [one for one in timeline if one.decision]
            await to_review(session.fork(decided.id, {"max_iterations": 9}))
            again = await to_review(session.decide(asked.checkpoint_id, reject("no")))
            assert again.branch != "main"
    assert [one["decision"]["verdict"] for one in kept.told()] == ["approve", "reject"]


async def test_a_budget_that_is_nearly_used_up_is_told_once(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    model = script(tmp_path / "script.yaml", *ANSWERS)
    run = RunOptions("full_auto", {"*": model}, {**default_limits(), "max_tokens": 32})
    async with hooked(tmp_path, {"budget_near": kept.hook}) as bench:
        session_id = await bench.create(shop_task(), run)
        async with bench.open_session(session_id) as session:
            await drain(session.resume())
    (told,) = kept.told()
    assert told["budget"] == "93 % of 32 tokens" and told["sentence"] == "93 % of 32 tokens used."


@pytest.mark.parametrize(
    ("command", "trouble"),
    [
        ("/nowhere/at-all", "The hook ended could not be started (No such file or directory). The run is not harmed."),
        (
            f"{sys.executable} -c \"import sys; sys.exit('\\x1b[2Jno server')\"",
            "The hook ended failed with exit code 1: no server. The run is not harmed.",
        ),
        (
            f"{sys.executable} -c 'import threading; threading.Event().wait()'",
            "The hook ended took longer than 0.2 s and was ended; it is not started again. The run is not harmed.",
        ),
    ],
)
async def test_a_hook_that_fails_or_hangs_harms_no_run(command: str, trouble: str, tmp_path: Path) -> None:
    async with hooked(tmp_path, {"ended": Hook(command, tmp_path)}, time_s=0.2) as bench:
        session_id = await bench.create(shop_task(), options(autonomy="full_auto"))
        async with bench.open_session(session_id) as session:
            events = await drain(session.resume())
            assert isinstance(events[-1], RunFinished) and events[-1].snapshot.outcome == "healed"
    assert bench.hook_troubles == [trouble]


async def test_a_program_that_a_hook_leaves_behind_holds_nobody_up(tmp_path: Path) -> None:
    left = f"import subprocess; print(subprocess.Popen(['sleep', '4321']).pid, file=open('{tmp_path}/pid', 'w'))"
    async with hooked(tmp_path, {"ended": Hook(f'{sys.executable} -c "{left}"', tmp_path)}) as bench:
        session_id = await bench.create(shop_task(), options(autonomy="full_auto"))
        async with bench.open_session(session_id) as session:
            await drain(session.resume())
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)  # it is there still: nothing waited for its end
    assert bench.hook_troubles == []


def project(folder: Path) -> Path:
    folder.mkdir()
    (folder / "shop.py").write_text(BUGGY)
    (folder / "test_shop.py").write_text(TESTS)
    return folder


def test_the_python_api_tells_hooks_and_asks_before_it_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_hooks: Callable[[Mapping[str, str]], None]
) -> None:
    kept, shop = Kept(tmp_path), project(tmp_path / "shop")
    refuses = f"{sys.executable} -c \"import sys; print('Not on a Friday.', file=sys.stderr); sys.exit(2)\""
    own_hooks({"healed": kept.hook.command, "before_apply": refuses})
    result = heal(path=shop, sessions=tmp_path / "sessions")
    assert [one["folder"] for one in kept.told()] == [str(shop)]
    with pytest.raises(InputError, match=r"Your hook before_apply refused: Not on a Friday\. Nothing was written\."):
        result.write()
    assert (shop / "shop.py").read_text() == BUGGY
    own_hooks({"before_apply": kept.hook.command})
    assert result.write() == [shop / "shop.py"]
    writes = kept.told()[-1]["writes"]
    assert writes == {
        "action": "write",
        "into": str(shop),
        "files": ["shop.py"],
        "git_branch": "",
        "new_branch": False,
    }


def test_a_hook_that_could_not_be_asked_does_not_refuse(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, own_hooks: Callable[[Mapping[str, str]], None]
) -> None:
    shop = project(tmp_path / "shop")
    result = heal(path=shop, sessions=tmp_path / "sessions")
    own_hooks({"before_apply": "/nowhere/at-all"})
    assert result.write() == [shop / "shop.py"]
    assert "it did not refuse, so the files are written" in caplog.text


@pytest.fixture
def own_hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Mapping[str, str]], None]:
    """Write the user's own settings file."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)

    def write(hooks: Mapping[str, str]) -> None:
        folder = tmp_path / "config" / "selfheal"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "selfheal.yaml").write_text(json.dumps({"hooks": dict(hooks)}))

    return write
