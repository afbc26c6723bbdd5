"""Valid replies of every role, and the ways in which models break them, each with a name.

`samples` gives objects that fit the shipped schemas, with real code where the data folder is there; `BREAKS` maps a
kind to a function that writes such an object the way a model might. A function returns "" where its kind cannot be
made of that object.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from selfheal_tui.engine.dialogue.prompts import load_prompt
from selfheal_tui.engine.dialogue.reading.python_text import is_python

DATA = Path(__file__).parents[3] / "shared" / "data"
ROLES = ("generator", "spec_tester", "repairer", "debugger")

_OWN_CODE = (
    'def greet(name: str = "you") -> str:\n    """Say "hello" to somebody."""\n    return f"hello, {name}!"\n',
    'import re\n\n\ndef words(text):\n    found = re.split(r"\\W+", text)\n    return {"all": found, "n": 1}\n',
    "def f(x):\n    # it's { not } [ JSON ]\n    if x < 0:\n        raise ValueError('\\n\\t\\'')\n    return x // 2\n",
    'TABLE = {"text": "a", "files": [], "code": {"path": "b"}}\n\n\ndef get(k):\n    return TABLE.get(k, "}]}")\n',
    'def show(rows):\n    print("\\n".join(f"{a!r}: {b:>3}" for a, b in rows))  # "x", "y": z\n    return ""\n',
    "class Größe:\n    einheit = 'µm → 😀'\n\n    def __str__(self):\n        return \"\\\\\" + self.einheit + '\"'\n",
)
_OWN_PROSE = (
    "The loop stops one step early, so the last item is never counted.",
    'The branch for "empty" input returns None; the test expects [].',
    "It's the operator: `<=` must be `<`, see C:\\temp\\new {braces} and 100 %.",
)


@dataclass(frozen=True, slots=True)
class Sample:
    """One right answer of a role."""

    role: str
    schema: Mapping[str, Any]
    value: dict[str, Any]


def samples(count: int, random: Random, own: bool = False) -> list[Sample]:
    """Return that many answers, the roles in turn; `own` leaves the data folder aside."""
    codes, proses = (list(_OWN_CODE), list(_OWN_PROSE)) if own else (_real_code(), _real_prose())
    schemas = {role: load_prompt(role).schema for role in ROLES}
    return [
        Sample(role, schemas[role], _value(role, codes, proses, random))
        for role in (ROLES[index % len(ROLES)] for index in range(count))
    ]


def _value(role: str, codes: list[str], proses: list[str], random: Random) -> dict[str, Any]:
    code, prose = random.choice(codes), random.choice(proses)
    if role == "generator":
        return {"code": code}
    if role == "spec_tester":
        return {"tests": code}
    if role == "repairer":
        paths = random.sample(["shop.py", "src/cart.py", "pkg/__init__.py"], random.choice([1, 1, 2]))
        return {"summary": prose[:500], "files": [{"path": path, "text": random.choice(codes)} for path in paths]}
    return {
        "fault": random.choice(["code", "code", "test", "spec", "environment"]),
        "category": random.choice(["boundary", "operator", "logic"]),
        "cause": prose[:2000],
        "evidence": [
            {"file": "shop.py", "line": random.randint(1, 90), "why": random.choice(proses)[:200]}
            for _ in range(random.randint(0, 3))
        ],
        "strategy": random.choice(proses)[:1000],
        "disproof": random.choice(("", random.choice(proses)[:500])),
        "confidence": round(random.random(), 2),
    }


def read_records(name: str) -> list[dict[str, Any]]:
    """Return the records of a set of real replies, none where the data folder is not there."""
    path = DATA / f"{name}.jsonl.gz"
    if not path.is_file():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _real_code() -> list[str]:
    traces = [step.get("code") for record in read_records("ldb_traces") for step in record["trace"]["steps"]]
    tests = [record["reference_code"] + "\n\n\n" + record["hidden_tests"] for record in read_records("humaneval")]
    projects = [t for r in read_records("projects_bugsinpy") for t in (r["files"] or {}).values() if isinstance(t, str)]
    small = [text for text in [*traces, *tests, *projects] if text and len(text) < 20_000]
    return [text for text in dict.fromkeys([*small, *_OWN_CODE]) if is_python(text)]


def _real_prose() -> list[str]:
    found = [text for record in read_records("reflexion_traces") for text in record["trace"]["reflections"]]
    return list(dict.fromkeys([*(text for text in found if text.strip()), *_OWN_PROSE]))


# --- writing JSON wrongly ---

Write = Callable[[dict[str, Any], Random], str]
BREAKS: dict[str, Write] = {}


def kind(name: str) -> Callable[[Write], Write]:
    """Register a way to break a reply."""

    def register(write: Write) -> Write:
        BREAKS[name] = write
        return write

    return register


def plain(value: Any, random: Random | None = None) -> str:
    """Write sound JSON, compact or indented."""
    indent = random.choice([None, 2]) if random else None
    return json.dumps(value, indent=indent, ensure_ascii=bool(random and random.random() < 0.5))


_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[^"]+')


def outside(text: str, change: Callable[[str], str]) -> str:
    """Change what stands between the strings of a JSON text."""
    return "".join(p if p[0] == '"' else change(p) for p in _PIECE.findall(text))


def inside(text: str, change: Callable[[str], str]) -> str:
    """Change the body of each string that is no key."""
    pieces = _PIECE.findall(text)
    for index, piece in enumerate(pieces):
        is_key = index + 1 < len(pieces) and pieces[index + 1].lstrip().startswith(":")
        if piece[0] == '"' and not is_key:
            pieces[index] = '"' + change(piece[1:-1]) + '"'
    return "".join(pieces)


def code_strings(value: Any) -> list[str]:
    """Return the texts of programs in a value."""
    if isinstance(value, list):
        return [code for item in value for code in code_strings(item)]
    if not isinstance(value, dict):
        return []
    own = [v for k, v in value.items() if k in ("code", "tests", "text") and isinstance(v, str)]
    return own + [code for item in value.values() for code in code_strings(item)]


def keys(value: Any, change: Callable[[str], str]) -> Any:
    """Rename every key."""
    if isinstance(value, list):
        return [keys(item, change) for item in value]
    return {change(k): keys(v, change) for k, v in value.items()} if isinstance(value, dict) else value


@kind("sound JSON")
def _sound(value: dict[str, Any], random: Random) -> str:
    return plain(value, random)


@kind("in prose")
def _prose(value: dict[str, Any], random: Random) -> str:
    return f"Sure! Here is {{my}} answer for f({{'a': 1}}):\n\n{plain(value, random)}\n\nI hope that {{helps}}."


@kind("in a JSON fence")
def _fence(value: dict[str, Any], random: Random) -> str:
    tag = random.choice(["json", "json ", " json", "JSON", "json5", 'json title="x"'])
    return f"Here it is:\n```{tag}\n{plain(value, random)}\n```\nDone."


@kind("in another fence")
def _other_fence(value: dict[str, Any], random: Random) -> str:
    mark = random.choice(["```", "~~~", "````"])
    tag = random.choice(["", "python", "text", "js"])
    indent = random.choice(["", "   ", "\t"])
    body = "\n".join(indent + line for line in plain(value, random).split("\n"))
    return f"1. The answer:\n{indent}{mark}{tag}\n{body}\n{indent}{mark}\n"


@kind("fence in a Markdown fence")
def _nested_fence(value: dict[str, Any], random: Random) -> str:
    return f"```markdown\n# Answer\n```json\n{plain(value, random)}\n```\n```\n"


@kind("fence never closed")
def _open_fence(value: dict[str, Any], random: Random) -> str:
    return f"```json\n{plain(value, random)}"


@kind("other fences first")
def _fences_first(value: dict[str, Any], random: Random) -> str:
    return (
        f'Before:\n```python\nx = {{"code": "old", "tests": "no"}}\n```\nNow:\n```json\n{plain(value, random)}\n```\n'
    )


@kind("a second answer after the first")
def _second(value: dict[str, Any], random: Random) -> str:
    other = json.dumps(value).replace("a", "b")
    return f"```json\n{plain(value, random)}\n```\nOr, if you prefer:\n```json\n{other}\n```\n"


@kind("after reasoning")
def _thinking(value: dict[str, Any], random: Random) -> str:
    tag = random.choice(["think", "thinking", "reasoning"])
    draft = plain(value).replace("e", "a")
    opened = random.choice([f"<{tag}>\n", ""])
    return f"{opened}Maybe {draft}? Or {{not}}. Let me see.\n</{tag}>\n\n{plain(value, random)}"


@kind("reasoning never closed")
def _open_thinking(value: dict[str, Any], random: Random) -> str:
    return f"<think>\nThe answer must be an object like {{this}}. So:\n\n{plain(value, random)}"


@kind("byte order mark and odd blanks")
def _blanks(value: dict[str, Any], random: Random) -> str:
    blank = random.choice(["\u200b", "\u00a0", "\x00", "\x0b", "\u2028", "\ufeff"])
    return "\ufeff" + outside(plain(value, random), lambda s: s.replace(":", blank + ":" + blank))


@kind("trailing commas")
def _trailing(value: dict[str, Any], random: Random) -> str:
    return outside(plain(value, random), lambda s: re.sub(r"(?<![\[{])(\s*)([}\]])", r",\1\2", s))


@kind("commas missing")
def _no_commas(value: dict[str, Any], random: Random) -> str:
    return outside(json.dumps(value, indent=2), lambda s: s.replace(",", ""))


@kind("doubled commas")
def _two_commas(value: dict[str, Any], random: Random) -> str:
    return outside(plain(value, random), lambda s: s.replace(",", ",,"))


@kind("comments")
def _comments(value: dict[str, Any], random: Random) -> str:
    note = random.choice([' // the next, and "last" one\n', " # it's {this}\n", " /* a: b, */ "])
    return outside(plain(value, random), lambda s: re.sub(r"([,{\[])(?=[\s\S])", lambda m: m[1] + note, s))


@kind("Python literal")
def _literal(value: dict[str, Any], random: Random) -> str:
    return random.choice(["", "answer = "]) + repr(value)


@kind("keys without quotes")
def _bare_keys(value: dict[str, Any], random: Random) -> str:
    return _requoted(value, random.choice([None, 2]), "")


@kind("backquotes around keys")
def _backquoted_keys(value: dict[str, Any], random: Random) -> str:
    return _requoted(value, random.choice([None, 2]), "`")


def _requoted(value: dict[str, Any], indent: int | None, mark: str) -> str:
    pieces = _PIECE.findall(json.dumps(value, indent=indent))
    for index, piece in enumerate(pieces[:-1]):
        if piece[0] == '"' and pieces[index + 1].startswith(":"):
            pieces[index] = f"{mark}{piece[1:-1]}{mark}"
    return "".join(pieces)


@kind("smart quotes")
def _smart(value: dict[str, Any], random: Random) -> str:
    return "".join(f"“{p[1:-1]}”" if p[0] == '"' else p for p in _PIECE.findall(plain(value)))


@kind("bare line breaks and tabs in strings")
def _raw_breaks(value: dict[str, Any], random: Random) -> str:
    def change(body: str) -> str:
        return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[0]), body)

    return inside(plain(value), change)


@kind("backslashes of \\d \\w \\s not doubled")
def _bad_escapes(value: dict[str, Any], random: Random) -> str:
    text = inside(plain(value), lambda s: re.sub(r"\\(.)(?:([dwsWDS.()*+]))?", _undouble, s))
    return text if text != plain(value) else ""


def _undouble(match: re.Match[str]) -> str:
    return "\\" + match[2] if match[1] == "\\" and match[2] else match[0]


@kind("apostrophes escaped")
def _apostrophes(value: dict[str, Any], random: Random) -> str:
    text = inside(plain(value), lambda s: s.replace("'", "\\'"))
    return text if text != plain(value) else ""


@kind("whole object as a JSON string")
def _as_string(value: dict[str, Any], random: Random) -> str:
    text = json.dumps(plain(value, random))
    return random.choice([text, f"```json\n{text}\n```", f"Answer: {text}", text[1:-1]])


@kind("whole object as a JSON string twice")
def _as_string_twice(value: dict[str, Any], random: Random) -> str:
    return json.dumps(json.dumps(plain(value, random)))


@kind("keys given twice, the same")
def _duplicates(value: dict[str, Any], random: Random) -> str:
    text = plain(value)
    return text[:-1] + ", " + text[1:]


@kind("keys given twice, different")
def _different_duplicates(value: dict[str, Any], random: Random) -> str:
    text = plain(value)
    return text[:-1] + ", " + json.dumps(value | {"code": "x = 1\n", "tests": "y = 1\n", "files": []})[1:]


@kind("NDJSON: a field a line")
def _ndjson(value: dict[str, Any], random: Random) -> str:
    return "\n".join(json.dumps({k: v}) for k, v in value.items()) if len(value) > 1 else ""


@kind("in an array")
def _array(value: dict[str, Any], random: Random) -> str:
    return plain([value], random)


@kind("in another object")
def _wrapped(value: dict[str, Any], random: Random) -> str:
    outer = random.choice(["answer", "diagnosis", "result", "arguments"])
    inner: Any = random.choice([value, [value], {"data": value}, plain(value)])
    return plain({"name": "reply", "thoughts": "hm, {x}", outer: inner}, random)


@kind("keys in another case")
def _case(value: dict[str, Any], random: Random) -> str:
    changes: list[Callable[[str], str]] = [str.upper, str.title, lambda k: f" {k} ", lambda k: "_" + k + "_"]
    return plain(keys(value, random.choice(changes)), random)


@kind("keys by another name")
def _aliases(value: dict[str, Any], random: Random) -> str:
    names = {"text": "content", "path": "filename", "code": "solution", "cause": "rootCause", "line": "line_number"}
    return plain(keys(value, lambda k: names.get(k, k)), random)


@kind("cut anywhere")
def _cut(value: dict[str, Any], random: Random) -> str:
    text = plain(value, random)
    return text[: random.randint(1, len(text) - 1)]


@kind("cut in its last 12 characters")
def _cut_late(value: dict[str, Any], random: Random) -> str:
    text = json.dumps(value)
    return text[: len(text) - random.randint(1, 12)]


@kind("cut in a fence")
def _cut_in_fence(value: dict[str, Any], random: Random) -> str:
    return f"Here:\n```json\n{_cut(value, random)}"


@kind("last brace missing")
def _no_last(value: dict[str, Any], random: Random) -> str:
    text = plain(value, random).rstrip("}\n ")
    return random.choice([text, f"```json\n{text}\n```"]) + "\n"


@kind("all closing brackets missing")
def _no_closers(value: dict[str, Any], random: Random) -> str:
    return re.sub(r"[\s\]}]+\Z", "\n", json.dumps(value, indent=2))


@kind("one closing bracket missing inside")
def _no_inner(value: dict[str, Any], random: Random) -> str:
    spots: list[str] = []
    pieces = _PIECE.findall(plain(value))
    for index, piece in enumerate(pieces[:-1]):
        if piece[0] != '"' and re.search(r"[\]}]", piece):
            changed = [*pieces]
            changed[index] = re.sub(r"[\]}]", "", piece, count=1)
            spots.append("".join(changed))
    return random.choice(spots) if spots else ""


@kind("one closing bracket too many")
def _extra(value: dict[str, Any], random: Random) -> str:
    pieces = _PIECE.findall(plain(value))
    spots = [i for i, p in enumerate(pieces) if p[0] != '"' and re.search(r"[\]}]", p)]
    spot = random.choice(spots)
    pieces[spot] = re.sub(r"([\]}])", random.choice([r"\1\1", r"\1}", r"\1]"]), pieces[spot], count=1)
    return "".join(pieces)


@kind("opening brace missing")
def _no_opening(value: dict[str, Any], random: Random) -> str:
    text = json.dumps(value, indent=2)[1:]
    return random.choice([text, f"```json{text}\n```", f"Here:\n{text}"])


@kind("quotes in code not escaped")
def _bare_quotes(value: dict[str, Any], random: Random) -> str:
    text = plain(value, random)
    for code in code_strings(value):
        for body in (json.dumps(code)[1:-1], json.dumps(code, ensure_ascii=False)[1:-1]):
            text = text.replace(f'"{body}"', '"' + re.sub(r'(?<!\\)((?:\\\\)*)\\"', r'\1"', body) + '"')
    return text if '\\"' in plain(value) and text != plain(value) else ""


@kind("quotes in prose not escaped")
def _bare_prose_quotes(value: dict[str, Any], random: Random) -> str:
    text = plain(value, random)
    said = [v for k, v in value.items() if k in ("summary", "cause", "strategy")]
    for words in [*said, *(e["why"] for e in value.get("evidence", ()))]:
        for body in (json.dumps(words)[1:-1], json.dumps(words, ensure_ascii=False)[1:-1]):
            text = text.replace(f'"{body}"', '"' + body.replace('\\"', '"') + '"')
    return text if any('"' in words for words in said) else ""


@kind("code pasted between quotes as it is")
def _pasted(value: dict[str, Any], random: Random) -> str:
    return _with_code(value, lambda code: f'"{code}"')


@kind("code pasted between triple quotes")
def _tripled(value: dict[str, Any], random: Random) -> str:
    mark = random.choice(['"""', "'''", "`"])
    return _with_code(value, lambda code: mark + code + mark if mark not in code else "")


@kind("code in a fence inside the JSON, without quotes")
def _fenced_value(value: dict[str, Any], random: Random) -> str:
    return _with_code(value, lambda code: f"```python\n{code}```" if code.endswith("\n") and "```" not in code else "")


def _with_code(value: dict[str, Any], write: Callable[[str], str]) -> str:
    codes = code_strings(value)
    text = json.dumps(value, indent=2)
    for code in codes:
        written = write(code)
        if not written:
            return ""
        text = text.replace(json.dumps(code), written, 1)
    return text if codes else ""


@kind("code fenced inside its string")
def _fenced_string(value: dict[str, Any], random: Random) -> str:
    codes = code_strings(value)
    if not codes or not all(c.endswith("\n") and "\n```" not in c for c in codes):
        return ""
    return _with_code(value, lambda code: json.dumps(f"```python\n{code}```"))


@kind("code as a list of lines")
def _lines(value: dict[str, Any], random: Random) -> str:
    if any("\r" in c or "\f" in c or "\x1c" in c for c in code_strings(value)):
        return ""
    keep = random.random() < 0.5
    return _with_code(value, lambda code: json.dumps(code.splitlines(True) if keep else code.split("\n")))


@kind("code escaped twice")
def _code_twice(value: dict[str, Any], random: Random) -> str:
    return _with_code(value, lambda code: json.dumps(json.dumps(code)[1:-1]) if code.count("\n") > 2 else "")


@kind("code beside the JSON")
def _beside(value: dict[str, Any], random: Random) -> str:
    codes = code_strings(value)
    if len(codes) != 1 or "files" not in value or not codes[0].endswith("\n") or "\n```" in codes[0]:
        return ""
    left = {"summary": value["summary"], "files": [{"path": value["files"][0]["path"]}]}
    return f"```json\n{plain(left)}\n```\n\n```python\n{codes[0]}```\n"


@kind("code instead of the JSON")
def _instead(value: dict[str, Any], random: Random) -> str:
    codes = code_strings(value)
    if len(codes) != 1 or not codes[0].endswith("\n") or "\n```" in codes[0]:
        return ""
    if "files" in value:
        said = " ".join(value["summary"].split())
        return (
            f"{said}\n\nHere is `{value['files'][0]['path']}`:\n\n```python\n{codes[0]}```\n" if _simple(said) else ""
        )
    return f"Here you are:\n\n```python\n{codes[0]}```\n\nUse it so:\n```\n$ python solution.py\n```\n"


def _simple(words: str) -> bool:
    return re.fullmatch(r"[A-Za-z][\w ,;'()]*\w", words) is not None


@kind("labels instead of JSON")
def _labels(value: dict[str, Any], random: Random) -> str:
    if "cause" not in value:
        return ""
    mark = random.choice(["", "**", "- "])
    close = mark if mark == "**" else ""
    lines = [f"{mark}{k.title()}{close}: {' '.join(v.split()) if isinstance(v, str) else v}" for k, v in value.items()]
    lines[3] = f"{mark}Evidence{close}:\n" + "\n".join(
        f"  - {e['file']}:{e['line']} {' '.join(e['why'].split())}" for e in value["evidence"]
    )
    return "Here is my diagnosis.\n\n" + "\n".join(lines)


@kind("numbers as strings and per cent")
def _numbers(value: dict[str, Any], random: Random) -> str:
    if "confidence" not in value or value["confidence"] < 0.11:
        return ""
    share = value["confidence"]
    written: Any = random.choice([str(share), f"{share * 100:.0f}%", round(share * 100), f"{share} (fairly sure)"])
    items = [
        e | {"line": random.choice([str(e["line"]), f"line {e['line']}", float(e["line"])])} for e in value["evidence"]
    ]
    return plain(value | {"confidence": written, "evidence": items}, random)


@kind("choice in other words")
def _choice(value: dict[str, Any], random: Random) -> str:
    if "fault" not in value:
        return ""
    word = value["fault"]
    return plain(
        value | {"fault": random.choice([word.title(), f"the {word}.", f"`{word}`", f"{word}s", [word]])}, random
    )


@kind("one object where a list is asked")
def _single(value: dict[str, Any], random: Random) -> str:
    name = next((n for n in ("files", "evidence") if n in value), "")
    return plain(value | {name: value[name][0]}, random) if name and len(value[name]) == 1 else ""


@kind("files as a map of path to text")
def _file_map(value: dict[str, Any], random: Random) -> str:
    return plain(value | {"files": {f["path"]: f["text"] for f in value["files"]}}, random) if "files" in value else ""


@kind("evidence as strings")
def _places(value: dict[str, Any], random: Random) -> str:
    if not value.get("evidence") or any(not e["why"][0].isalpha() for e in value["evidence"]):
        return ""
    mark = random.choice([": ", " ", " - "])
    said = [f"{e['file']}:{e['line']}{mark}{e['why'].strip()}" for e in value["evidence"]]
    return (
        plain(value | {"evidence": said}, random)
        if all(e["why"] == e["why"].strip() for e in value["evidence"])
        else ""
    )


@kind("extra keys")
def _extra_keys(value: dict[str, Any], random: Random) -> str:
    extra: dict[str, Any] = {"notes": 'none, "really"', "steps": [1, {"a": None}]}
    return plain(dict(random.sample([*(value | extra).items()], len(value) + 2)), random)


@kind("prose too long")
def _too_long(value: dict[str, Any], random: Random) -> str:
    return plain(value | {"cause": value["cause"].ljust(2100, ".")}, random) if "cause" in value else ""


@kind("a required field missing")
def _missing(value: dict[str, Any], random: Random) -> str:
    gone = random.choice([*value])
    return plain({k: v for k, v in value.items() if k != gone}, random)


@kind("NaN, null or a huge number")
def _bad_numbers(value: dict[str, Any], random: Random) -> str:
    if "confidence" not in value:
        return ""
    bad = random.choice(["NaN", "-Infinity", "null", "1" * 5000, "1e999", "true", "[]"])
    return json.dumps(value | {"confidence": "@"}).replace('"@"', bad)


@kind("half a surrogate pair in code")
def _surrogate(value: dict[str, Any], random: Random) -> str:
    return _with_code(value, lambda code: json.dumps(code + "# \ud83d\n"))


@kind("several breaks at once")
def _several(value: dict[str, Any], random: Random) -> str:
    text = outside(json.dumps(value, indent=2), lambda s: re.sub(r"(?<![\[{])(\s*)([}\]])", r",\1\2", s))
    text = inside(text, lambda s: s.replace("\\n", "\n") if "\\\\n" not in s else s)
    return f"<think>hm {{}}</think>\nHere:\n```json\n// answer\n{text.replace('{', '{ // one', 1)}\n```\nBye."


@kind("one bracket, comma, colon or quote lost or doubled")
def _one_sign(value: dict[str, Any], random: Random) -> str:
    text = plain(value, random)
    spots: list[int] = []
    at = 0
    for piece in _PIECE.findall(text):
        spots += (
            [at, at + len(piece) - 1] if piece[0] == '"' else [at + i for i, c in enumerate(piece) if c in "{}[],:"]
        )
        at += len(piece)
    spot = random.choice(spots)
    return text[:spot] + random.choice(["", text[spot] * 2]) + text[spot + 1 :]


_SPICE = (
    *"{}[]\"',:\\`#()\n\t\0😀“”\ufeff\u2028\ud800",
    *(
        "```",
        "```json\n",
        "~~~\n",
        '\\"',
        "\\u",
        "\\ud800",
        '"""',
        "'''",
        "<think>",
        "</think>",
        "null",
        "NaN",
        "1e999",
    ),
    *('{"code":', '"text":', "{{", "}}", "//", "/*", "*/", "...", "\n- ", "> ", "\r\n", "9" * 40, "Fault: ", "True"),
)


def edited(text: str, random: Random) -> str:
    """Return the text with a few pieces of it lost, doubled, moved or replaced by what may hurt a parser."""
    for _ in range(random.choice([1, 1, 2, 3, 8, 30])):
        start = random.randint(0, len(text))
        end = min(len(text), start + random.choice([0, 1, 1, 2, 5, 20, 100, 400]))
        piece = random.choice([text[start:end] * 2, random.choice(_SPICE), ""])
        text = text[:start] + piece + text[end:]
    return text[: random.randint(0, len(text))] if random.random() < 0.05 else text
