"""Search/replace blocks in a reply: read as edits, exactly as they stand, or refused."""

from __future__ import annotations

import json

import pytest

from selfheal_tui.engine.dialogue.prompts import load_prompt
from selfheal_tui.engine.dialogue.reading import read_reply

FORMATS = load_prompt("repairer").formats
SCHEMA = FORMATS["edits"].schema
FIND, PUT = "    return amount + discount\n", "    return amount - discount\n"
BLOCK = f"<<<<<<< SEARCH\n{FIND}=======\n{PUT}>>>>>>> REPLACE\n"
EDIT = {"path": "pkg/shop.py", "find": FIND, "replace": PUT}


@pytest.mark.parametrize(
    "text",
    [
        f"The sum is wrong.\n\npkg/shop.py\n{BLOCK}",
        f"The sum is wrong.\n\npkg/shop.py\n```python\n{BLOCK}```\n",
        f"The sum is wrong.\n\n```python pkg/shop.py\n{BLOCK}```\nDone.",
        f"The sum is wrong.\n\n### File: `pkg/shop.py`\n\n```\n{BLOCK}```\n",
        f"The sum is wrong.\n\n```\npkg/shop.py\n{BLOCK}```\n",
        f"<think>a {{b}}</think>\nThe sum is wrong.\n\n**pkg/shop.py**\n{BLOCK}",
    ],
)
def test_a_block_is_an_edit_wherever_its_path_stands(text: str) -> None:
    reading = read_reply(text, SCHEMA)
    assert reading.value == {"why": "The sum is wrong.", "summary": "The sum is wrong.", "edits": [EDIT]}
    assert "search/replace blocks" in reading.degraded


def test_a_second_block_is_of_the_same_file_and_an_empty_one_deletes() -> None:
    text = f"Two changes.\n\npkg/shop.py\n{BLOCK}\n<<<<<<< SEARCH\nimport os\n=======\n>>>>>>> REPLACE\n"
    value = read_reply(text, SCHEMA).value
    assert value is not None
    assert value["edits"] == [EDIT, {"path": "pkg/shop.py", "find": "import os\n", "replace": ""}]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"Why.\n\na.py\n{BLOCK[:-17]}", "edits.0.replace: was cut off"),
        (f"Why.\n\na.py\n<<<<<<< SEARCH\n{FIND}", "edits.0.replace: was cut off"),
        ("Why.\n\na.py\n<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n", "holds another line of marks"),
        (f"Why.\n\na.py\n<<<<<<< SEARCH\na\n{BLOCK}", "holds another line of marks"),
    ],
)
def test_a_block_that_is_not_whole_is_refused(text: str, why: str) -> None:
    reading = read_reply(text, SCHEMA)
    assert reading.value is None and any(why in problem for problem in reading.problems)


def test_json_goes_before_blocks_in_its_strings() -> None:
    edit = {"path": "a.py", "find": "x\n", "replace": BLOCK}
    value = {"why": "w", "summary": "s", "edits": [edit]}
    assert read_reply(json.dumps(value), SCHEMA).value == value


@pytest.mark.parametrize(("find", "put"), [("old_string", "new_string"), ("search", "replace"), ("before", "after")])
def test_names_that_models_use_instead_are_taken(find: str, put: str) -> None:
    reply = {"summary": "s", "changes": [{"file": "a.py", find: "a\n", put: "b\n"}]}
    value = read_reply(str(reply), SCHEMA).value
    assert value == {"why": "", "summary": "s", "edits": [{"path": "a.py", "find": "a\n", "replace": "b\n"}]}


def test_blocks_are_no_answer_where_no_edits_are_asked_for() -> None:
    assert read_reply(f"Why.\n\na.py\n{BLOCK}", FORMATS["files"].schema).value is None
