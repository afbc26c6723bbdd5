"""Reading an object out of a model's reply: what is got back, what is refused and in which words, and how fast."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from selfheal_tui.engine.dialogue.prompts import load_prompt
from selfheal_tui.engine.dialogue.reading import MAX_CHARACTERS, Reading, read_reply
from tests.dev_data import records

CODE, REPAIR, DIAGNOSIS = (load_prompt(role).schema for role in ("generator", "repairer", "debugger"))
FOUND: dict[str, Any] = {
    "fault": "code",
    "category": "boundary",
    "cause": "The loop ends early.",
    "evidence": [{"file": "shop.py", "line": 3, "why": "range(n - 1)"}],
    "strategy": "Count to n.",
    "confidence": 0.8,
    "disproof": "f(3) gives 3.",
    "thought": "",
}
ONE_FILE: dict[str, Any] = {
    "summary": "Counts to n.",
    "files": [{"path": "shop.py", "text": "def f():\n    return 1\n"}],
}
X = {"code": "x = 1\n"}
SOUND = json.dumps(X)
WORST = [
    "{",
    "[",
    '"',
    "\\",
    "`",
    "#",
    "“",
    "{{",
    ",}",
    "]}",
    "-*",
    "```\n",
    "</think>",
    "<think>",
    "a.b/c",
    "Cause: x\n",
]
WORST += ["{'a':", '{"a":[1,', '{"code":"x"}', '{"code":"', "{a:/*", '{\\"code\\":', '"code": "x\n', '{"code":{"b":["']
WORST += ['{"files":[{"path":"a","text":"x="1""},', '{"code":"a","b":"', '```json\n{"code": "x\n```\n']
WORST += ["def f():\n  return {'code': 1}\n"]


def found(**changes: Any) -> str:
    return json.dumps(FOUND | changes)


def repair(**changes: Any) -> str:
    return json.dumps(ONE_FILE | changes)


@pytest.mark.parametrize(
    ("text", "value", "degraded"),
    [
        (SOUND, X, ""),
        ("\ufeff \n" + SOUND + "\n", X, ""),
        (f"Sure, {{so}}:\n{SOUND}\nBye.", X, "among other text"),
        (f"```json\n{SOUND}\n```", X, "in a fence"),
        (f"~~~~ json\n{SOUND}\n~~~~", X, "in a fence"),
        (f"- So:\n\n    ```JSON\n    {SOUND}\n    ```\n", X, "in a fence"),
        (f"```json\n{SOUND}", X, "in a fence"),
        (f"````markdown\n```json\n{SOUND}\n```\n````", X, "in a fence"),
        (f'```json\n{SOUND}\n```\nor\n```json\n{{"code": "later"}}\n```', X, "in a fence"),
        (f'It is {{"code": "prose"}}.\n```json\n{SOUND}\n```', X, "in a fence"),
        (f'```python\nold = {{"code": "no"}}\n```\n{SOUND}', X, "among other text"),
        ('{"code": "see ```json\\n{}\\n``` there"}', {"code": "see ```json\n{}\n``` there"}, ""),
        ('{"code": "s = \'\n```json\n{}\n```\n\'"}', {"code": "s = '\n```json\n{}\n```\n'"}, "bare line breaks"),
        (f'<think>{{"code": "draft"}} hm</think>\n{SOUND}', X, "after reasoning"),
        (f'maybe {{"code": "draft"}}\n</think>{SOUND}', X, "after reasoning"),
        (f'<think>maybe {{"code": "draft"}}, no:\n{SOUND}', X, "in the reasoning; among other text"),
        ('Here: {"code": "a </think> {\\"code\\": 1}"}', {"code": 'a </think> {"code": 1}'}, "among other text"),
        (f"<|channel|>analysis<|message|>hm<|channel|>final<|message|>{SOUND}", X, "after reasoning"),
        (json.dumps(SOUND), X, "escaped twice"),
        (json.dumps(json.dumps(SOUND)), X, "escaped twice"),
        (json.dumps(SOUND)[1:-1], X, "escaped twice"),
        (f"[{SOUND}]", X, "in another object"),
        (json.dumps({"answer": {"result": X}}), X, "in another object"),
        (json.dumps({"name": "reply", "arguments": SOUND}), X, "in another object"),
        (json.dumps({"content": f"So:\n```json\n{SOUND}\n```"}), X, "in another object"),
        ('{"note": 1}' + SOUND, X, "among other text"),
        ('{"CODE": "x = 1\\n", "why": null}', X, "keys renamed: CODE; left out: why"),
        ('{"code": "x = 1\\n", "code": "x = 1\\n"}', X, ""),
        ("{{" + SOUND[1:] + "}", X, "among other text"),
        (SOUND + "}", X, "among other text"),
        ("{'code': 'x = 1\\n'}", X, "Python, not JSON"),
        ("{'code': \"it's \\x41 \\N{DEGREE SIGN}\"}", {"code": "it's A °"}, "Python, not JSON"),
        ("{code: `x = 1\n`, // the code\n}", X, "keys not quoted; unusual quotes; trailing comma"),
        ('{"code": """x = 1\n"""}', X, "unusual quotes"),
        ('{"code": ```python\nx = 1\n```}', X, "unusual quotes"),
        ("{“code”: “x = 1\\n”}", X, "unusual quotes"),
        ('"code": "x = 1\\n"}', X, "brackets missing"),
        ('{"code": "x = 1\\n"', X, "brackets missing"),
        ("{\"code\": \"re.sub('\\d', '\\bx')\"}", {"code": "re.sub('\\d', '\\bx')"}, "wrong escapes"),
        ('{"code": "print(\\\'hi\\\')"}', {"code": "print('hi')"}, "wrong escapes"),
        ('{"code": ["x = 1", "y = 2"]}', {"code": "x = 1\ny = 2"}, "types coerced: code"),
        ('{"code": ["x = 1\\n", "y = 2\\n"]}', {"code": "x = 1\ny = 2\n"}, "types coerced: code"),
        (json.dumps({"code": "```python\ndef f(): ...\n```"}), {"code": "def f(): ...\n"}, "unwrapped: code"),
        (
            json.dumps({"code": "def f():\\n    return 1\\n"}),
            {"code": "def f():\n    return 1\n"},
            "unwrapped: code",
        ),
    ],
)
def test_got_back(text: str, value: dict[str, Any], degraded: str) -> None:
    assert read_reply(text, CODE) == Reading({"thought": "", **value}, [], degraded)


@pytest.mark.parametrize(
    "code",
    [
        'print("hi")',
        'print("hi", "}")\nd = {"text": "a", "path": "b"}\n',
        '"""Doc with "quotes"."""\nx = {"code": ["a", "b"]}\n',
        'x = "}abc"',
        'print("}")',
        "s = 'it is \"}]}\"'\n",
        'print("say \\"hi\\"", "\\n")\n',
    ],
)
def test_code_with_quotes_that_nobody_escaped(code: str) -> None:
    body = json.dumps(code)[1:-1]
    bare = body.replace('\\\\\\"', "\0").replace('\\"', '"').replace("\0", '\\\\"')
    for text, schema in (
        ('{"code": "%s"}', CODE),
        ('{"summary": "use "x" now", "files": [{"path": "a.py", "text": "%s"}, {"path": "b.py", "text": ""}]}', REPAIR),
        ('{\n  "files": [\n    {"path": "a.py", "text": "%s"}\n  ],\n  "summary": "it is "so""\n}\nDone.', REPAIR),
    ):
        value = read_reply(text % bare, schema).value
        assert value is not None
        assert (value["code"] if schema is CODE else value["files"][0]["text"]) == code


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the reply holds no JSON object"),
        ("I would rather not.", "the reply holds no JSON object"),
        ('{"code": 3}', "code: 3 is not of type 'string'"),
        ('{"code": ""}', "code: '' should be non-empty"),
        ('{"code": ...}', "code: is not a quoted string"),
        ('{"code": "print(1', "code: was cut off"),
        ('{"code": "print(\\"', "code: was cut off"),
        ('{"code": "print("', "code: was cut off"),
        ('{"code": ["x = 1", "y = 2"', "code: was cut off"),
        ("```python\ndef f():\n    return 1", "code: was cut off"),
        ('{"code": "a = 1 # "x", "y": 2"}', "code: holds quotes that are not escaped, so where it ends is unclear"),
        ('{"code": "a = 1", "code": "a = 2"}', "code: is given twice, each time something else"),
        ('{"code": "\\ud800"}', "code: holds half a surrogate pair, which no file can hold"),
        ('{"code": "print(\'\\d\\n\')"}', "code: holds wrong escapes, so what it says is unclear"),
        (json.dumps(CODE), "code: "),
        ("[" * 50_000, "the reply holds no JSON object"),
        ('{"code": ' + "[" * 50_000, "code: "),
        ("[" * 900 + SOUND + "]" * 900, "reply: is nested too deeply"),
    ],
)
def test_refused_in_words(text: str, problem: str) -> None:
    reading = read_reply(text, CODE)
    assert reading.value is None
    assert reading.problems[0].startswith(problem)


def test_files_are_never_lost() -> None:
    """A list of files that was cut, or files that ran together, are refused; not closing the last bracket is fine."""
    first, second = ({"path": p, "text": "x = 1\n"} for p in ("a.py", "b.py"))
    whole = json.dumps({"summary": "s", "files": [first, second]})
    for end in range(whole.index('"a.py"'), len(whole)):
        value = read_reply(whole[:end], REPAIR).value
        # Nothing but the place tells a text that ends right behind a whole item from one without its last brackets.
        assert value is None or len(value["files"]) == 2 or whole[:end].endswith('"}')
    assert read_reply(whole[:-2], REPAIR).value == json.loads(whole)
    assert read_reply("```json\n" + whole[: whole.index(', {"path": "b')], REPAIR).value is None
    ran_together = whole.replace('"}, {"path"', '", "path"')
    assert read_reply(ran_together + ",", REPAIR).value is None
    again = json.dumps({"summary": "s", "files": [first]})[:-1] + ', "files": [' + json.dumps(second) + "]}"
    assert read_reply(again, REPAIR).problems == ["files: is given twice, each time something else"]


def test_prose_is_kept_in_part_but_no_path() -> None:
    text = json.dumps({"files": ONE_FILE["files"], "summary": "It counts to n and not to n - 1."})
    cut = read_reply(text[:-12], REPAIR)
    assert cut.value == ONE_FILE | {"summary": "It counts to n and not"}
    assert cut.degraded == "brackets missing; cut off: summary"
    long = read_reply(found(cause="x" * 3000), DIAGNOSIS)
    assert long.value == FOUND | {"cause": "x" * 1999 + "…"}
    assert long.degraded == "shortened: cause"
    assert read_reply(text[: text.index(".py")], REPAIR).value is None


@pytest.mark.parametrize(
    ("given", "share"),
    [("0.8", 0.8), ("80%", 0.8), (80, 0.8), ("8/10", 0.8), ("0,8", 0.8), ("0.8 (fairly sure)", 0.8), ("1", 1.0)]
    + [
        (value, None)
        for value in ("high", 8, "8", True, None, "0.", "0.7-0.9", "x0.8", [], 1e999, 101, "80%%", "9" * 50)
    ],
)
def test_shares(given: Any, share: float | None) -> None:
    reading = read_reply(found(confidence=given), DIAGNOSIS)
    if given == "80%%":
        share = 0.8
    assert (reading.value or {}).get("confidence") == share
    assert reading.degraded == ("types coerced: confidence" if share else "")


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ("Code", "code"),
        ("the code.", "code"),
        ("tests", "test"),
        ("Environment issue", "environment"),
        (["spec"], "spec"),
    ]
    + [(value, None) for value in ("code or test", "code|test|spec", "not the code", "bug", 1, "", {})],
)
def test_choices(given: Any, fault: str | None) -> None:
    assert (read_reply(found(fault=given), DIAGNOSIS).value or {}).get("fault") == fault


@pytest.mark.parametrize(
    ("given", "evidence"),
    [
        (["shop.py:3 the loop"], [{"file": "shop.py", "line": 3, "why": "the loop"}]),
        (["- `src/a.py`, line 3: x"], [{"file": "src/a.py", "line": 3, "why": "x"}]),
        ({"file": "a.py", "line": "3-5", "why": "x"}, [{"file": "a.py", "line": 3, "why": "x"}]),
        ({"File": "a.py", "lineNumber": 3.0, "reason": "x"}, [{"file": "a.py", "line": 3, "why": "x"}]),
        ('[{"file": "a.py", "line": 3, "why": "x"}]', [{"file": "a.py", "line": 3, "why": "x"}]),
        ([None], []),
        (["the loop"], None),
        ([{"file": "a.py", "line": 0, "why": "x"}], None),
        ([{"file": "a.py", "why": "x"}], None),
        (None, None),
    ],
)
def test_evidence(given: Any, evidence: Any) -> None:
    assert (read_reply(found(evidence=given), DIAGNOSIS).value or {}).get("evidence") == evidence


def test_at_most_eight_pieces_of_evidence() -> None:
    many = [{"file": "a.py", "line": n, "why": "x"} for n in range(1, 12)]
    reading = read_reply(found(evidence=many), DIAGNOSIS)
    assert reading.value == FOUND | {"evidence": many[:8]}
    assert reading.degraded == "shortened: evidence"


def test_defaults_fill_in_and_nothing_else_does() -> None:
    schema = {
        "type": "object",
        "required": ["a", "b"],
        "properties": {"a": {"type": "integer", "default": 3}, "b": {"type": "integer"}, "c": {"type": "string"}},
    }
    assert read_reply('{"b": 1, "a": null, "c": null}', schema) == Reading({"a": 3, "b": 1}, [], "default used: a")
    assert read_reply('{"b": 1}', schema).value == {"a": 3, "b": 1}
    assert read_reply('{"a": 1}', schema).problems == ["reply: 'b' is a required property"]


@pytest.mark.parametrize("files", [{"shop.py": ONE_FILE["files"][0]["text"]}, ONE_FILE["files"][0]])
def test_files_in_another_shape(files: Any) -> None:
    assert read_reply(repair(files=files), REPAIR) == Reading(ONE_FILE, [], "types coerced: files")


def test_fields_in_pieces() -> None:
    lines = "\n".join(json.dumps({key: value}) for key, value in FOUND.items() if value)
    assert read_reply(lines, DIAGNOSIS) == Reading(FOUND, [], "in several pieces")
    apart = json.dumps({"summary": ONE_FILE["summary"]}) + "\n" + json.dumps(ONE_FILE["files"][0])
    assert read_reply(apart, REPAIR).value == ONE_FILE
    assert read_reply(repair(files=["b.py"]) + "\n" + json.dumps(ONE_FILE["files"][0]), REPAIR).value is None


def test_code_beside_the_json() -> None:
    fence = "```python\n" + ONE_FILE["files"][0]["text"] + "```\n"
    for file in ({"path": "shop.py"}, {"path": "shop.py", "text": None}, "shop.py"):
        assert read_reply(repair(files=[file]) + "\n" + fence, REPAIR).value == ONE_FILE
    assert read_reply(repair(files=[{"path": "a.py"}, {"path": "b.py"}]) + fence, REPAIR).value is None
    assert read_reply(repair(files=[{"path": "shop.py"}]) + fence + fence, REPAIR).value is None


def test_code_instead_of_the_json() -> None:
    program = ONE_FILE["files"][0]["text"]
    fence = f"```python\n{program}```\n"
    usage = "```sh\npip install x\n```\n", "```python\nprint(f())\n```\n"
    answer = {"thought": "", "code": program}
    assert read_reply(usage[0] + fence + usage[1], CODE) == Reading(answer, [], "code from a fence")
    assert read_reply(program, CODE) == Reading(answer, [], "code without JSON")
    nested = 'def f():\n    """So.\n\n    ```\n    f()\n    ```\n    """\n'
    assert read_reply(f"```python\n{nested}```", CODE).value == {"thought": "", "code": nested}
    said = "Counts to n.\n\nThis is `shop.py`:\n" + fence
    assert read_reply(said, REPAIR).value == ONE_FILE
    assert read_reply(said + "and b.py", REPAIR).value is None
    assert read_reply(fence, REPAIR).value is None


@pytest.mark.parametrize("label", ["{}:", "**{}:**", "- {}:", "### {}\n", "{} ="])
def test_labels_instead_of_json(label: str) -> None:
    shown = {key.title(): value for key, value in FOUND.items() if value} | {"Evidence": "\n1. shop.py:3 range(n - 1)"}
    lines = [f"{label.format(key)} {value}" for key, value in shown.items()]
    assert read_reply("My diagnosis\n" + "\n".join(lines), DIAGNOSIS).value == FOUND
    assert read_reply("\n".join(lines[:-2]), DIAGNOSIS).problems == ["the reply holds no JSON object"]


def test_a_long_reply_is_read_up_to_the_limit() -> None:
    reading = read_reply('{"code": "' + "x" * MAX_CHARACTERS + '"}', CODE)
    assert reading.problems == [f"reply: only its first {MAX_CHARACTERS:,} characters were read", "code: was cut off"]


def test_whole_chat_replies() -> None:
    for record in records("raw_replies_mbpp"):
        reading = read_reply(record["trace"]["reply"], CODE)
        assert reading.value is not None
        assert reading.value["code"].strip() == record["trace"]["extracted"].strip()


@pytest.mark.parametrize("piece", WORST)
@pytest.mark.parametrize("schema", [CODE, REPAIR, DIAGNOSIS], ids=["code", "repair", "diagnosis"])
def test_time_is_linear(piece: str, schema: dict[str, Any]) -> None:
    """30 KB of the worst there is take some hundredths of a second; a quadratic reader takes many."""
    text = piece * (30_000 // len(piece))
    started = time.process_time()
    read_reply(text, schema)
    read_reply('{"summary": "' + text, schema)
    assert time.process_time() - started < 5
