"""Which session is meant by putting back without a name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from selfheal_tui.engine.out.applying import plan_putting_back, plan_writing, write
from selfheal_tui.engine.out.before_apply import Permit
from selfheal_tui.errors import InputError
from selfheal_tui.store.applied import NOTE, last_applied, note_applied, note_put_back, written_changes
from tests.ui.fakes import snapshot


def test_the_one_that_was_applied_last_to_this_folder_is_meant(tmp_path: Path) -> None:
    home, shop, other = tmp_path / "home", tmp_path / "shop", tmp_path / "other"
    for name in ("a", "b", "c", "d"):
        (home / name).mkdir(parents=True)
    assert last_applied(home, shop) is None
    note_applied(home / "b", "main", shop)
    note_applied(home / "a", "edit-1", shop)
    note_applied(home / "c", "main", other)
    last = last_applied(home, shop / "cart")
    assert last is not None and (last.session_id, last.branch) == ("a", "edit-1")
    note_put_back(home / "a")
    note_put_back(home / "d")
    assert [one.session_id for here in (shop, tmp_path) if (one := last_applied(home, here))] == ["b", "c"]
    assert last_applied(home, tmp_path / "shopping") is None


def test_a_note_that_is_none_or_a_link_is_passed_over(tmp_path: Path) -> None:
    texts = ["", "[]", '{"at": 1, "branch": "main", "folder": "/"}', '{"at": "2026"', '{"at": "2026"}']
    for number, text in enumerate(texts):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / NOTE).write_text(text, "utf-8")
    (tmp_path / "link").mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine", "utf-8")
    (tmp_path / "link" / NOTE).symlink_to(elsewhere)
    note_applied(tmp_path / "link", "main", tmp_path)
    assert elsewhere.read_text("utf-8") == "mine"
    assert last_applied(tmp_path, tmp_path) is None


def test_what_was_written_is_put_back_whatever_the_branch_is_by_then(tmp_path: Path) -> None:
    home, shop = tmp_path / "home", tmp_path / "shop"
    home.mkdir()
    shop.mkdir()
    (shop / "a.py").write_text("x = 1\n", "utf-8")
    healed = snapshot(
        "c1", "conclude", base={"a.py": "x = 1\n"}, program={"a.py": "x = 2\n"}, tests={}, outcome="healed"
    )
    write(plan_writing(healed, shop, "s1"), home, healed.branch, Permit())
    assert (shop / "a.py").read_text("utf-8") == "x = 2\n"
    for undone in (replace(healed, program={"a.py": "x = 1\n"}), replace(healed, program={"a.py": "x = 3\n"})):
        (shop / "a.py").write_text("x = 2\n", "utf-8")
        back = plan_putting_back(undone, shop, "s1", home)
        assert [(change.before, change.after) for change in back.pending] == [("x = 2\n", "x = 1\n")]
    write(back, home, undone.branch, Permit())
    assert (shop / "a.py").read_text("utf-8") == "x = 1\n"
    assert written_changes(home, healed.branch) == {}
    assert plan_putting_back(undone, shop, "s1", home).wanted[0].before == "x = 3\n", "nothing is known of it any more"


def test_a_file_that_changes_while_it_is_asked_about_is_not_put_back(tmp_path: Path) -> None:
    home, shop = tmp_path / "home", tmp_path / "shop"
    home.mkdir()
    shop.mkdir()
    (shop / "a.py").write_text("x = 1\n", "utf-8")
    bodies = {"base": {"a.py": "x = 1\n"}, "program": {"a.py": "x = 2\n"}}
    healed = snapshot("c1", "conclude", **bodies, tests={}, outcome="healed")
    write(plan_writing(healed, shop, "s1"), home, healed.branch, Permit())
    back = plan_putting_back(healed, shop, "s1", home)
    (shop / "a.py").write_text("x = 2  # mine\n", "utf-8")
    with pytest.raises(InputError, match="was changed while you were asked: nothing was put back"):
        write(back, home, healed.branch, Permit())
    assert (shop / "a.py").read_text("utf-8") == "x = 2  # mine\n"
