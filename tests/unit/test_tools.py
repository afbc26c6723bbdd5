"""The debugger's tools: what each shows, how each refuses, and that nothing a program prints gets out of hand."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from selfheal_tui.engine.dialogue.prompts import load_prompt
from selfheal_tui.engine.dialogue.tools.registry import CONCLUDE, OBSERVATION_LIMIT, TOOLS, arguments_of, observe
from selfheal_tui.engine.moment.workspace import Workspace
from selfheal_tui.engine.workshop.role_context import RoleContext
from selfheal_tui.errors import SandboxError
from selfheal_tui.sandbox.base import Limits, run_through
from selfheal_tui.sandbox.local import LocalSandbox
from tests.engine.driving import BUGGY, FIXED
from tests.warm import WarmSandbox

PATH, CASE = "shop.py", "test_shop.py::test_discount"
TESTS = """from shop import total


def test_no_discount():
    assert total([1, 2], 0) == 3


def test_discount():
    assert total([5, 5], 3) == 7
"""
SHOP = (
    BUGGY
    + '''

class Cart:
    """Holds prices."""

    def price(self, *prices, discount=0):
        return total(prices, discount)
'''
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[LocalSandbox]:
    opened = WarmSandbox()
    yield opened
    asyncio.run(opened.aclose())


def context_of(sandbox: Any, blobs: dict[str, Any] | None = None, args: tuple[str, ...] = (), **state: Any) -> Any:
    files = {PATH: SHOP, "test_shop.py": TESTS}
    workspace = Workspace(files, (PATH,), ("test_shop.py",), ("test_shop.py",), {PATH: SHOP}, args)

    async def get(ref: str) -> Any:
        return (blobs or {})[ref]

    blobs_of = SimpleNamespace(get=get)
    deps = SimpleNamespace(sandbox=sandbox, suite_limits=Limits(20.0, 1.0), blobs=blobs_of, covered=None)
    return RoleContext(cast(Any, deps), lambda _: None, cast(Any, state), workspace, "")


def test_read_file_answers_only_from_the_frozen_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a model names: the disk is not asked, neither beside the program nor through what lies there."""
    secret = "nobody is to see this"
    home, folder = tmp_path / "home", tmp_path / "home" / "project" / "pkg"
    folder.mkdir(parents=True)
    for place in (home / "key.pem", home / "project" / "key.pem", folder / "key.pem", folder / "other.py"):
        place.write_text(secret)
    (folder / "link.py").symlink_to(home / "key.pem")
    (folder / "shop.py").write_text(secret)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(home))
    context = context_of(None)
    names = [
        *("key.pem", "./key.pem", "../key.pem", "../../key.pem", "pkg/../../key.pem", "~/key.pem", "$HOME/key.pem"),
        *(str(home / "key.pem"), f"//{home}/key.pem", (home / "key.pem").as_uri(), "link.py", "other.py", "./link.py"),
        *("/etc/passwd", "../../../../../../etc/passwd", "/proc/self/environ", "/dev/zero", "/dev/stdin", "/dev/fd/0"),
        *("shop.py\0", "shop.py\0/../key.pem", "\0", "", " ", ".", "..", "/", "~", "~root", "-", "*", "*.pem", "?"),
        *("CON", "NUL", "C:\\key.pem", "..\\key.pem", "a" * 5000, "../" * 2000, "shop.py/", "shop.py/..", "\ud800"),
    ]
    for name in names:
        text, lasting = asyncio.run(observe(context, "read_file", {"path": name, "first": 0, "last": 0}))
        assert text.startswith("That cannot be done: there is no file") and lasting, name
        assert secret not in text and len(text) < 400
    for tool, arguments in (
        ("inspect_function", {"name": "total", "path": "../../key.pem"}),
        ("inspect_function", {"name": "total", "path": "other.py"}),
        ("run_case", {"case": CASE, "lines": "/etc/passwd.py:1"}),
        ("run_case", {"case": CASE, "lines": "other.py:1"}),
    ):
        text, _ = asyncio.run(observe(context, tool, arguments))
        assert text.startswith("That cannot be done: there is no file") and secret not in text, (tool, arguments)
    own, _ = asyncio.run(observe(context, "read_file", {"path": PATH, "first": 1, "last": 1}))
    assert "def total" in own and secret not in own, "the frozen text, not the file of that name on disk"


async def failing(sandbox: LocalSandbox, args: tuple[str, ...] = ()) -> RoleContext:
    context = context_of(sandbox, args=args)
    report = (await run_through(sandbox, context.workspace.suite(context.deps.suite_limits))).report
    return RoleContext(context.deps, context.emit, context.state, context.workspace, "", report)


async def seen(context: RoleContext, tool: str, /, **arguments: str | int) -> str:
    text, lasting = await observe(context, tool, arguments_of({"action": tool, **arguments}))
    assert lasting and len(text) <= OBSERVATION_LIMIT + 100
    return text


def test_the_prompt_offers_what_there_is() -> None:
    actions = load_prompt("debugger").actions
    assert actions is not None
    fields = actions.schema["properties"]
    assert fields["action"]["enum"] == [*TOOLS, CONCLUDE]
    taken = {name: usual for tool in TOOLS.values() for name, usual in tool.takes.items()}
    assert {name: fields[name]["default"] for name in taken} == taken
    assert set(fields) == {*taken, "thought", "action", "diagnosis"}
    assert all(f"\n{name} " in actions.system for name in (*TOOLS, CONCLUDE))


async def test_unknown_tools_and_arguments_are_told_what_is_right() -> None:
    context = context_of(None)
    text, _ = await observe(context, "read_files", {})
    assert text.startswith("That cannot be done: there is no action 'read_files'; there are read_file, ")
    assert arguments_of({"action": "read_file", "path": 3, "first": True, "code": "x"}) == {
        "path": "",
        "first": 0,
        "last": 0,
    }


async def test_a_sandbox_that_does_not_start_is_no_finding() -> None:
    class Broken:
        def run(self, suite: Any) -> Any:
            raise SandboxError("It did not start.", "")

    text, lasting = await observe(context_of(Broken()), "localise", {})
    assert (text, lasting) == ("The sandbox could not run this: It did not start.", False)


async def test_snippet_prints_and_raises(sandbox: LocalSandbox) -> None:
    context = context_of(sandbox)
    code = 'from shop import total\ntext = """\nas\n  it is"""\nprint(total([5, 5], 3), repr(text))\n'
    assert await seen(context, "run_snippet", code=code) == (
        "printed:\n13 '\\nas\\n  it is'\nIt ended without an exception."
    )
    text = await seen(context, "run_snippet", code="from shop import total\nprint('a')\ntotal(None, 1)")
    assert text.startswith("printed:\na\nIt ended with TypeError: ") and "shop.py" in text
    assert "runpy" not in text
    assert "SyntaxError" in await seen(context, "run_snippet", code="print(")
    assert "`code` is empty" in await seen(context, "run_snippet", code=" \n")
    assert "It printed nothing." in await seen(context, "run_snippet", code="if __name__ != '__main__': print(1)")


async def test_snippet_that_never_ends_or_leaves(sandbox: LocalSandbox) -> None:
    context = context_of(sandbox)
    assert "It did not end in time." in await seen(context, "run_snippet", code="while True: pass")
    for code in ("import os; os._exit(0)", "raise SystemExit(0)"):
        text = await seen(context, "run_snippet", code=code)
        assert "It ended without an exception." not in text


async def test_snippet_cannot_reach_out(sandbox: LocalSandbox) -> None:
    code = "import socket\nsocket.create_connection(('127.0.0.1', 9), 1)\n"
    text = await seen(context_of(sandbox), "run_snippet", code=code)
    assert "It ended with " in text
    code = "open('/etc/selfheal', 'w').write('x')\n"
    assert "It ended with " in await seen(context_of(sandbox), "run_snippet", code=code)


async def test_snippet_output_is_data_and_short(sandbox: LocalSandbox) -> None:
    code = "print('{x} ${y} $z [bold]b[/] === end ===\\x1b[2J\\x1b]0;t\\x07\\u202e')\nprint('n' * 99999)\n"
    text = await seen(context_of(sandbox), "run_snippet", code=code)
    assert "{x} ${y} $z [bold]b[/] === end ===" in text
    assert not set("\x1b\x07\u202e") & set(text)
    assert "characters left out" in text and len(text) < 3000


async def test_snippet_is_run_whatever_the_tests_are_chosen_by(sandbox: LocalSandbox) -> None:
    context = context_of(sandbox, args=("-k", "discount", "-m=slow", "--deselect", CASE, "-q"))
    assert "printed:\n1" in await seen(context, "run_snippet", code="print(1)")


async def test_one_case_with_values(sandbox: LocalSandbox) -> None:
    context = await failing(sandbox)
    text = await seen(context, "run_case", case=CASE, lines="shop.py:5-6")
    assert text.splitlines()[0] == f"{CASE}: failed"
    assert "expected: 7\nactual:   13" in text
    assert "shop.py:5 total  prices=[5, 5]  discount=3  amount=0  price=5" in text
    assert "\nshop.py:5 total  amount=5\n" in text, "only what has changed"
    assert text.splitlines()[-1] == "shop.py:6 total  amount=10"
    assert await seen(context, "run_case", case="test_discount", lines="5,6") == text
    assert "(none of these lines ran)" in await seen(context, "run_case", case=CASE, lines="13")


@pytest.mark.parametrize(
    ("case", "lines", "words"),
    [
        ("test_discounts", "6", "there is no case 'test_discounts'; there are test_shop.py::test_"),
        ("", "6", "there is no case ''"),
        (CASE, "prog.py:6", "there is no file 'prog.py'; there is shop.py"),
        (CASE, "shop.py:99", "shop.py has the lines 1 to 13"),
        (CASE, "amount", "names no line; write it as shop.py:6,8"),
        (CASE, "1-14", "at most 12 lines"),
    ],
)
async def test_a_case_or_line_that_is_not(sandbox: LocalSandbox, case: str, lines: str, words: str) -> None:
    assert words in await seen(await failing(sandbox), "run_case", case=case, lines=lines)


async def test_suspicious_lines(sandbox: LocalSandbox) -> None:
    lines = (await seen(await failing(sandbox), "localise")).splitlines()
    assert lines[0] == "Suspicious lines, 1.00 is the most:"
    assert any("shop.py:6  return amount + discount" in line for line in lines[1:]), lines


async def test_a_function_by_its_source() -> None:
    context = context_of(None)
    text = await seen(context, "inspect_function", name="total")
    assert text.splitlines()[:4] == [
        "shop.py:1 def total(prices, discount)",
        "docstring: Sum the prices, less the discount.",
        "calls: (nothing)",
        "called at: shop.py:13, test_shop.py:5, test_shop.py:9",
    ]
    assert "   6     return amount + discount" in text
    method = await seen(context, "inspect_function", name="Cart.price()", path=PATH)
    assert "def price(self, *prices, discount=0)" in method and "calls: total" in method
    assert "class Cart" in await seen(context, "inspect_function", name="Cart")
    assert "there are total, " in await seen(context, "inspect_function", name="totals")
    assert "there is no file 'x.py'" in await seen(context, "inspect_function", name="total", path="x.py")


async def test_lines_of_a_file() -> None:
    context = context_of(None)
    assert await seen(context, "read_file", path="./shop.py", first=5, last=6) == (
        "shop.py, lines 5 to 6 of 13:\n   5         amount += price\n   6     return amount + discount"
    )
    assert "lines 1 to 13 of 13" in await seen(context, "read_file", path=PATH, first=-4, last=999)
    assert "lines 13 to 13" in await seen(context, "read_file", path=PATH, first=10**9)
    assert "there are shop.py, test_shop.py" in await seen(context, "read_file", path="../etc/passwd")


async def test_what_iterations_changed() -> None:
    assert "only iteration 0" in await seen(context_of(None), "diff_iterations")
    one = {"summary": "One.", "changes": {PATH: ""}, "fixes": ["a"], "breaks": [], "diff": "+1\n"}
    two = {"summary": "Two.", "changes": {PATH: FIXED}}
    common = {"note": "", "by": "human"}
    blobs: dict[str, Any] = {
        "one": one,
        "two": two,
        "r1": {"prev": "", "iteration": 0, "repair_ref": "one", "verdict": "approve", **common},
        "r2": {"prev": "r1", "iteration": 1, "repair_ref": "two", "verdict": "reject", **common, "note": "No."},
        "r3": {"prev": "r2", "iteration": 1, "repair_ref": "two", "verdict": "edit", **common, "edit": "-2\n"},
    }
    context = context_of(None, blobs, iteration=2, head="r3")
    assert await seen(context, "diff_iterations") == (
        "From iteration 1 to 2:\n--- proposed for iteration 2 and rejected, not in the program: "
        "Two. Reason: No.\n"
        "(it changed shop.py)\n--- led to iteration 2: Two.\n-2"
    )
    text = await seen(context, "diff_iterations", first=0, last=1)
    assert text == "From iteration 0 to 1:\n--- led to iteration 1: One.\nfixed: a; broke: (no case)\n+1"
    assert "two iterations from 0 to 2" in await seen(context, "diff_iterations", first=2, last=1)
