"""Which session is meant by putting back without a name."""

from __future__ import annotations

from pathlib import Path

from selfheal_tui.store.applied import NOTE, last_applied, note_applied, note_put_back


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
