"""Which files a request's text holds: under their headers, printed by a program, in part, and not by chance."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.engine.dialogue.describe import numbered, plain
from selfheal_tui.engine.dialogue.tools.common import numbered_lines
from selfheal_tui.engine.history.sent import files_words
from selfheal_tui.engine.moment.workspace import Workspace
from selfheal_tui.engine.workshop.sent_files import files_in, files_sent
from tests.engine.driving import BUGGY, FIXED, TESTS

NOTES = "\n".join(f"customer {number} pays by card" for number in range(40)) + "\n"
FILES = {"shop.py": BUGGY, "test_shop.py": TESTS, "notes.txt": NOTES, "empty.py": "", "pin.txt": "hunter2\n"}


def found(text: str, files: dict[str, str] | None = None) -> dict[str, bool]:
    """Return path -> whether all of it is there."""
    texts = {path: [one] for path, one in (files or FILES).items()}
    return {file["path"]: file["whole"] for file in files_in(text, texts)}


@pytest.mark.parametrize("show", [numbered, plain])
def test_files_under_their_headers_are_whole(show: object) -> None:
    shown = (numbered if show is numbered else plain)({"shop.py": BUGGY, "test_shop.py": TESTS})
    assert found(f"You mend programs.\n{shown}\n=== end ===\n") == {"shop.py": True, "test_shop.py": True}


def test_a_header_alone_or_a_cut_file_is_a_part() -> None:
    assert found("--- shop.py\n   1 def total(prices, discount):\n") == {"shop.py": False}


def test_lines_that_a_tool_read_are_a_part() -> None:
    seen = f"notes.txt, lines 1 to 2 of 40:\n{numbered_lines(NOTES, 1, 2)}"
    assert found(f"observation:\n{seen}") == {"notes.txt": False}


def test_what_a_program_printed_is_known_without_a_path() -> None:
    assert found(f"printed:\n{NOTES}") == {"notes.txt": True}
    assert found("printed:\n>>> customer 17 pays by card <<<") == {"notes.txt": False}
    assert found(f"printed: {NOTES!r}") == {"notes.txt": False}, "one line of a program's own form"
    assert found("printed:\nhunter2\n") == {"pin.txt": True}


def test_what_a_text_does_not_hold_is_not_listed() -> None:
    assert found("Find the cause of the failing test.") == {}
    assert found("--- other.py\nimport os\n") == {}
    assert found(plain({"empty.py": ""})) == {}, "nothing of it could leave"


def test_lines_that_a_shown_file_shares_tell_nothing_of_another() -> None:
    other = TESTS.replace("test_discount", "test_other_discount").replace("14", "15")
    files = {"test_shop.py": TESTS, "test_other.py": other, "tiny.py": "from shop import total\n"}
    assert found(plain({"test_shop.py": TESTS}), files) == {"test_shop.py": True}
    assert found(f"{plain({'test_shop.py': TESTS})}\n  assert total([7, 2, 9], 4) == 15", files) == {
        "test_shop.py": True,
        "test_other.py": False,
    }


def test_a_program_that_changed_is_known_by_both_of_its_texts_and_generated_tests_are_left_out() -> None:
    files = {"shop.py": FIXED, "test_spec.py": TESTS}
    workspace = Workspace(
        files, ("shop.py",), ("test_spec.py",), ("test_spec.py",), {"shop.py": BUGGY}, (), {"test_spec.py": "spec"}
    )
    now = files_sent(plain(files), workspace)
    assert now == [{"path": "shop.py", "whole": True}]
    assert files_sent("-    return amount + discount\n", workspace) == [{"path": "shop.py", "whole": False}]


def test_files_in_words() -> None:
    files = files_in(plain(FILES), {path: [text] for path, text in FILES.items()})
    assert files_words(files) == "shop.py, test_shop.py, notes.txt, pin.txt"
    assert files_words(files, most=2) == "shop.py, test_shop.py and 2 more files"
    assert files_words([{"path": "a.py", "whole": False}]) == "part of a.py" and files_words([]) == "no file"


def test_the_project_of_its_own_is_told_apart() -> None:
    """Every module of the engine against a prompt that shows one of them: the others share lines and are not named."""
    folder = Path(__file__).parents[2] / "selfheal_tui" / "engine" / "dialogue"
    files = {path.name: path.read_text("utf-8") for path in folder.glob("*.py")}
    assert found(plain({"reply.py": files["reply.py"]}), files).get("reply.py") is True
    wrong = [path for path, whole in found(plain({"reply.py": files["reply.py"]}), files).items() if whole]
    assert wrong == ["reply.py"]
