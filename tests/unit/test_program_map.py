"""A long program in a prompt: what matters whole, the rest as signatures, every gap named."""

from __future__ import annotations

import re
from typing import Any, cast

import pytest

from selfheal_tui.engine.dialogue.describe import numbered, plain
from selfheal_tui.engine.dialogue.focus import build_focus, changed_lines
from selfheal_tui.engine.dialogue.program_map import WHOLE_UP_TO, show_program, show_to_fit
from selfheal_tui.engine.moment.state import Diagnosis
from selfheal_tui.engine.workshop.prompt_room import fit
from selfheal_tui.engine.workshop.sent_files import files_in
from selfheal_tui.sandbox.base import SuiteReport

CLASS = '''class Shop{n}:
    """A shop."""

    LIMIT = {n}

    @property
    def size(self):
        return helper_{n}(self.LIMIT, RATE_{n})

    def close(self, at={n}):
        """Close it."""
        for door in self.doors:
            door.shut()
            door.lock()


def helper_{n}(a, b):
    first = a * {n}
    return first - b


RATE_{n} = {n} / 100
'''
LONG = "import os\nfrom re import sub\n\n\n" + "\n\n".join(CLASS.format(n=n) for n in range(150))
LINES = LONG.split("\n")


def line_of(text: str) -> int:
    return LINES.index(text) + 1


def test_a_short_program_is_shown_whole() -> None:
    files = {"a.py": "x = 1\n", "b.txt": "words"}
    assert show_program(files, [("a.py", 1)]).text == plain(files)
    assert show_program(files, with_numbers=True).text == numbered(files)
    assert not show_program(files).in_part


@pytest.mark.parametrize("with_numbers", [False, True])
def test_suspects_are_whole_and_what_they_use_is_named(with_numbers: bool) -> None:
    assert len(LONG) > WHOLE_UP_TO
    place = ("shop.py", line_of("        return helper_70(self.LIMIT, RATE_70)"))
    shown = show_program({"shop.py": LONG}, [place], with_numbers=with_numbers)
    assert shown.in_part == {"shop.py"} and len(shown.text) < 16_000
    for text in ("class Shop70:", "    @property", "    def size(self):", "return helper_70(self.LIMIT, RATE_70)"):
        assert text in shown.text
    for used in ("def helper_70(a, b):", "RATE_70 = 70 / 100", "from re import sub"):
        assert used in shown.text
    assert "def helper_71(a, b):" in shown.text and "first = a * 71" not in shown.text
    assert "def helper_3(" not in shown.text


def test_every_line_is_shown_as_it_is_or_lies_in_a_named_gap() -> None:
    focus = [("shop.py", line_of(f"    first = a * {n}")) for n in (5, 149)]
    head, *lines = show_program({"shop.py": LONG}, focus, with_numbers=True).text.split("\n")[1:]
    assert head.startswith("[shown in part, ") and f"of {len(LINES) - 1:,} lines" in head
    covered: list[int] = []
    for line in lines:
        if gap := re.fullmatch(r"\[(\d+)-(\d+)\]", line):
            covered += range(int(gap[1]), int(gap[2]) + 1)
        else:
            number = int(line[:4])
            assert line == f"{number:4} {LINES[number - 1]}"
            covered.append(number)
    assert covered == list(range(1, len(LINES)))


def test_a_function_too_long_to_show_is_shown_around_the_line() -> None:
    long = "def long(x):\n" + "".join(f"    x += {n}\n" for n in range(3_000))
    text = show_program({"a.py": long}, [("a.py", 1_500)]).text
    assert "def long(x):" in text and "x += 1498\n" in text and "x += 1400\n" not in text


@pytest.mark.parametrize("name", ["a.py", "a.txt"])
def test_a_file_that_does_not_parse_is_shown_around_its_fault(name: str) -> None:
    long = "".join(f"x{n} = {n}\n" for n in range(2_000)) + "def f(:\n" + "".join(f"y{n} = {n}\n" for n in range(2_000))
    focus = build_focus({name: long}, {}, _report()) or [(name, 2_001)]
    text = show_program({name: long}, focus).text
    assert "def f(:" in text and "x1999 = 1999" in text and len(text) < 2_000


def test_of_many_files_only_those_in_focus_are_opened() -> None:
    files = {f"pkg/m{n}.py": LONG for n in range(20)}
    shown = show_program(files, [("pkg/m7.py", line_of("    first = a * 3"))])
    assert len(shown.text) < 18_000 and "--- pkg/m19.py\n[left out, " in shown.text
    told = {
        file["path"]: file["whole"] for file in files_in(shown.text, {path: [text] for path, text in files.items()})
    }
    assert told and not any(told.values()), "what was sent is told as a part"


def test_of_what_is_reached_and_not_whole_signature_and_first_docstring_line_are_shown() -> None:
    body = "".join(f"    x += {n}\n" for n in range(800))
    long = f'def long(x):\n    """\n    Count.\n\n    More words.\n    """\n{body}'
    files = {"a.py": f"{long}\n\ndef get(x):\n    pass\n", "b.py": long, "c.py": "def get(x):\n    pass\n" * 500}
    lines = show_program(files, [("a.py", 400), ("a.py", 500), ("b.py", 400)]).text.split("\n")
    at = lines.index("--- b.py") + 2
    assert lines[at : at + 3] == ["def long(x):", '    """', "    Count."]
    assert "    More words." not in lines
    assert lines[-1] == "[left out, 1,000 lines]", "what no failing case reaches is left out"


def test_a_small_context_is_shown_less_of_the_program() -> None:
    place = ("shop.py", line_of("        return helper_70(self.LIMIT, RATE_70)"))
    sizes, in_part = show_to_fit({"shop.py": LONG}, [place])
    assert in_part == {"shop.py"} and sizes.text() == show_program({"shop.py": LONG}, [place]).text
    whole = fit({"program": sizes}, ("program",), lambda texts: len(texts["program"]), None)
    assert whole.left_out == () and whole.tokens == len(sizes.text())
    small = fit({"program": sizes}, ("program",), lambda texts: len(texts["program"]), 2_000)
    assert small.left_out == ("parts of the program",) and small.tokens <= 2_000
    assert "return helper_70(self.LIMIT, RATE_70)" in small.values["program"], "the suspect stays whole"
    short, _ = show_to_fit({"a.py": "def f(x):\n    return x\n\n\n" + "y = 1\n" * 600}, [("a.py", 2)])
    assert short.pieces[0].count("y = 1") == 600 and "return x" in short.pieces[-1] and len(short.pieces[-1]) < 300


def _report(*cases: dict[str, Any]) -> SuiteReport:
    blank = {"outcome": "failed", "message": "", "location": None, "traceback": ""}
    return cast(SuiteReport, {"cases": [{**blank, **case} for case in cases], "error": ""})


def test_focus_begins_with_the_diagnosis_and_ends_with_what_tests_name() -> None:
    diagnosis = cast(Diagnosis, {
        "evidence": [{"file": "shop.py", "line": 9, "why": ""}], "cause": "helper_4 is wrong", "strategy": "",
    })  # fmt: skip
    tests = {"test_shop.py": "def test_ok():\n    helper_8(1, 2)\n\n\ndef test_bad():\n    helper_6(RATE_7, 2)\n"}
    report = _report({"id": "test_shop.py::test_bad[1]", "traceback": 'File "shop.py", line 30, in size'})
    suspects: Any = {"of": {}, "lines": []}
    focus = build_focus({"shop.py": LONG}, tests, report, suspects, diagnosis)
    named = {n: ("shop.py", line_of(f"def helper_{n}(a, b):")) for n in (4, 6)}
    assert focus == [("shop.py", 9), named[4], ("shop.py", 30), named[6], ("shop.py", line_of("RATE_7 = 7 / 100"))]
    assert build_focus({"shop.py": "x = 1\n"}, tests, report, suspects, diagnosis) == []


def test_changed_lines() -> None:
    assert changed_lines({"a.py": "a\nb\nc\n"}, {"a.py": "a\nx\nc\n", "b.py": ""}) == [("a.py", 2)]
