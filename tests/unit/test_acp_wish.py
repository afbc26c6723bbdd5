"""What a prompt of an editor asks for."""

from __future__ import annotations

from pathlib import Path

import pytest
from acp.helpers import (
    ContentBlock,
    embedded_text_resource,
    image_block,
    resource_block,
    resource_link_block,
    text_block,
)

from selfheal_tui.acp.wish import Wish, read_wish
from selfheal_tui.errors import InputError


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "my shop"
    (folder / "tests").mkdir(parents=True)
    for name in ("shop.py", "till.py", "tests/test_shop.py"):
        (folder / name).touch()
    return folder


def wish(folder: Path, *blocks: str | ContentBlock) -> Wish:
    return read_wish([text_block(one) if isinstance(one, str) else one for one in blocks], folder)


def test_a_sentence_names_the_files_that_are_there(shop: Path) -> None:
    asked = wish(shop, "Please heal `shop.py`, till.py and nothing.py. The tests fail!")
    assert (asked.command, asked.paths) == ("", (shop / "shop.py", shop / "till.py"))


def test_a_command_takes_paths_node_ids_and_after_two_dashes_a_text(shop: Path) -> None:
    asked = wish(shop, "/fix shop.py tests/test_shop.py::test_sum -- It sums -- all of it.")
    assert asked.paths == (shop / "shop.py",)
    assert asked.tests == (shop / "tests/test_shop.py::test_sum",)
    assert asked.spec == "It sums -- all of it."
    assert wish(shop, "/new Write roman numerals.\nIn both ways.") == Wish(
        "new", "Write roman numerals.\nIn both ways."
    )


def test_attached_files_are_healed_however_the_editor_attaches_them(shop: Path) -> None:
    link = resource_link_block("shop.py", (shop / "shop.py").as_uri())
    embedded = resource_block(embedded_text_resource((shop / "till.py").as_uri() + "#L1:3", "text"))
    assert wish(shop, "Heal this", link, embedded).paths == (shop / "shop.py", shop / "till.py")
    assert wish(shop, "/fix", link).paths == (shop / "shop.py",)


@pytest.mark.parametrize(("text", "means"), [("heal this project", True), ("Fix.", True), ("", True), ("ok", False)])
def test_a_few_words_mean_the_project(shop: Path, text: str, means: bool) -> None:
    assert wish(shop, text).means_project is means


def test_a_path_from_the_root_is_no_command(shop: Path) -> None:
    named = shop.rename(shop.parent / "shop")
    assert wish(shop.parent, f"{named}/till.py").paths == (named / "till.py",)
    assert wish(named, "look into tests/").paths == (named / "tests",) and wish(named, "the tests fail").paths == ()


@pytest.mark.parametrize(
    ("block", "sentence"),
    [
        (text_block("/fxi shop.py"), "There is no command /fxi. Did you mean fix?"),
        (text_block("/fix nothing.py"), "nothing.py does not exist."),
        (text_block("/fix --trust"), "/fix takes no option --trust."),
        (text_block("/fix 'shop.py"), "The paths cannot be read"),
        (image_block("", "image/png"), "Pictures and sounds cannot be used."),
        (resource_link_block("x", "https://example.org/shop.py"), "is no file here"),
        (resource_link_block("x", "file:///nowhere/shop.py"), "is no file here"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_sentence(shop: Path, block: ContentBlock, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence.replace("?", r"\?")):
        read_wish([block], shop)
