"""The matrix: what it draws at any width, in which order, where it flips, and that size costs nothing."""

from __future__ import annotations

from typing import Any

import pytest
from textual.app import App, ComposeResult

from selfheal_tui.engine.history.matrix import Column, Matrix, SuiteRun, build_matrix
from selfheal_tui.ui.kit.matrix_view import MatrixRows, MatrixView, case_story, ordered_rows


class Host(App[None]):
    """Holds one matrix."""

    def compose(self) -> ComposeResult:
        yield MatrixView()


def run(iteration: int, **outcomes: str) -> SuiteRun:
    passed = sum(outcome == "passed" for outcome in outcomes.values())
    column: Column = {
        "on": "both",
        "checkpoint_id": f"c{iteration}",
        "branch": "main",
        "iteration": iteration,
        "passed": passed,
        "failed": len(outcomes) - passed,
    }
    return SuiteRun(column, {f"test_x.py::{name}": outcome for name, outcome in outcomes.items()}, {})


def matrix() -> Matrix:
    return build_matrix(
        [
            run(0, good="passed", mended="failed", lost="passed", bad="error"),
            run(1, good="passed", mended="passed", lost="timeout", bad="error", new="passed"),
        ]
    )


def drawn(view: MatrixView) -> list[str]:
    rows = view.query_one(MatrixRows)
    return [rows.render_line(y).text.rstrip() for y in range(min(rows.size.height, len(rows.cases)))]


async def shown(pilot: Any, found: Matrix) -> MatrixView:
    view: MatrixView = pilot.app.query_one(MatrixView)
    view.show(found["columns"], found["cases"])
    await pilot.pause()
    await pilot.pause()
    return view


def test_a_case_that_is_new_has_not_flipped() -> None:
    rows = {row["id"].partition("::")[2]: row for row in matrix()["cases"]}
    assert rows["mended"]["flips"] == ["", "fixed"]
    assert rows["lost"]["flips"] == ["", "broke"]
    assert rows["new"]["outcomes"] == [None, "passed"] and rows["new"]["flips"] == ["", ""]


def test_what_does_not_pass_comes_first_then_what_flipped() -> None:
    names = [row["id"].partition("::")[2] for row in ordered_rows(matrix()["cases"])]
    assert names == ["lost", "bad", "mended", "good", "new"]


async def test_each_outcome_and_each_flip_has_a_sign_of_its_own() -> None:
    async with Host().run_test(size=(60, 16)) as pilot:
        view = await shown(pilot, matrix())
        lines = {line.split()[0]: "".join(line.split()[1:]) for line in drawn(view)}
        assert lines == {"lost": "✓◷▼", "bad": "!!", "mended": "✗✓▲", "good": "✓✓", "new": "·✓"}
        head = str(view.query_one("#matrix-columns").render())
        at = drawn(view)[3].index("✓")
        assert head[at] == "0" and head.rstrip().endswith("1")


@pytest.mark.parametrize("width", [60, *(pytest.param(width, marks=pytest.mark.deep) for width in (24, 140))])
async def test_the_newest_runs_are_shown_and_older_ones_are_a_key_away(width: int) -> None:
    runs = [run(n, one="passed" if n % 2 else "failed") for n in range(80)]
    async with Host().run_test(size=(width, 16)) as pilot:
        view = await shown(pilot, build_matrix(runs))
        rows = view.query_one(MatrixRows)
        rows.focus()
        assert str(view.query_one("#matrix-columns").render()).rstrip().endswith("79")
        assert all(len(line) <= width for line in drawn(view))
        await pilot.press("left")
        assert str(view.query_one("#matrix-columns").render()).rstrip().endswith("1 ›")
        await pilot.press("right")
        assert str(view.query_one("#matrix-columns").render()).rstrip().endswith("79")
        for _ in range(80):
            await pilot.press("h")
        assert rows.first == 0


async def test_the_case_under_the_cursor_tells_its_story() -> None:
    async with Host().run_test(size=(60, 16)) as pilot:
        view = await shown(pilot, matrix())
        view.query_one(MatrixRows).focus()
        await pilot.press("down", "down")
        text = str(view.query_one("#matrix-case").render())
        assert "passed" in text and "test_x.py::mended" in text and "fixed at 1" in text


@pytest.mark.parametrize(
    ("outcomes", "words"),
    [
        (["failed", "failed"], "the same in every run"),
        (["failed"], "the same in every run"),
        (["failed", None, "failed"], "the same in 2 of 3 runs"),
        (["failed", None], "it ran in 1 of 2 runs"),
        (["failed", "failed", "timeout"], "failed, then timeout: neither fixed nor broken"),
    ],
)
def test_what_became_of_a_case_that_never_turned_is_true(outcomes: list[str | None], words: str) -> None:
    runs = [run(n, **({"a": outcome} if outcome else {"other": "passed"})) for n, outcome in enumerate(outcomes)]
    built = build_matrix(runs)
    row = next(one for one in built["cases"] if one["id"].endswith("::a"))
    assert case_story(built["columns"], row).plain.splitlines()[1] == words


async def test_only_what_is_on_the_screen_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [run(n, **{f"case_{i}": "passed" for i in range(10_000)}) for n in range(3)]
    calls: list[int] = []
    plain = MatrixRows.row

    def counted(self: MatrixRows, y: int, width: int) -> Any:
        calls.append(y)
        return plain(self, y, width)

    monkeypatch.setattr(MatrixRows, "row", counted)
    async with Host().run_test(size=(80, 24)) as pilot:
        view = await shown(pilot, build_matrix(many))
        view.query_one(MatrixRows).focus()
        calls.clear()
        await pilot.press("end")
        await pilot.pause()
        assert view.query_one(MatrixRows).cursor == 9_999
        assert 0 < len(calls) < 200


async def test_nothing_to_show_says_so_and_foreign_names_are_text() -> None:
    async with Host().run_test(size=(60, 16)) as pilot:
        view = await shown(pilot, {"columns": [], "cases": []})
        assert "has not run yet" in str(view.query_one("#matrix-heading").render())
        view = await shown(pilot, build_matrix([run(0, **{"[red]x\x1b[31m\u202e": "failed"})]))
        assert "[red]x" in drawn(view)[0] and "\x1b" not in drawn(view)[0]
        assert "\x1b" not in case_story(matrix()["columns"], matrix()["cases"][0]).plain
