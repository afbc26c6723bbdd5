"""A slip on the command line is told by the name that was meant; a group of actions alone lists."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfheal_tui.cli import main
from selfheal_tui.cli.parser import Parser, whole_parser
from selfheal_tui.errors import InputError


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("fix shop.py --test test_shop.py", "--tests"),
        ("fix --test=a.py shop.py", "--tests"),
        ("fix shop.py --autonmy=full_auto", "--autonomy"),
        ("demo --hedless", "--headless"),
        ("sessions show --jsn", "--json"),
        ("sessions decide S reject --nte no", "--note"),
        ("sessions race S --lnae x", "--lane"),
        ("sessions compare --jsno", "--json"),
        ("bench humaneval --job 2", "--jobs"),
        ("lessons --jso", "--json"),
        ("serve --prt 3", "--port"),
        ("--verison", "--version"),
        ("--them x", "--theme"),
    ],
)
def test_an_option_that_is_nearly_right_is_named(line: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 2
    assert capsys.readouterr().err.endswith(f"Did you mean {meant}?\n")


def parsers(parser: argparse.ArgumentParser) -> Iterator[Parser]:
    """Yield a parser and all below it."""
    if isinstance(parser, Parser):
        yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from parsers(below)


def test_every_parser_knows_each_of_its_options_with_a_letter_less() -> None:
    for parser in parsers(whole_parser()):
        flags = [flag for flag in parser._option_string_actions if flag.startswith("--") and len(flag) > 5]
        for flag in flags:
            if flag[:-1] in flags:
                continue
            with pytest.raises(InputError) as error:
                parser.refuse_unknown([flag[:-1]])
            assert error.value.hint.startswith("Did you mean --"), (parser.prog, flag)


def test_what_is_near_to_no_option_points_to_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--qqqq"]) == 2
    assert (
        capsys.readouterr().err == "selfheal: `selfheal doctor` has no option --qqqq. See `selfheal doctor --help`.\n"
    )
    assert main(["doctor", "now"]) == 2
    assert "has no use for 'now'" in capsys.readouterr().err


def test_what_is_missing_is_named_with_its_values(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion"]) == 2
    assert capsys.readouterr().err == "selfheal: Missing: SHELL. There are: bash, zsh, fish.\n"
    assert main(["completion", "ksh"]) == 2
    assert capsys.readouterr().err == "selfheal: There is no shell 'ksh'. There are: bash, zsh, fish.\n"
    assert main(["sessions", "decide", "approv"]) == 2
    assert capsys.readouterr().err == "selfheal: There is no verdict 'approv'. Did you mean approve?\n"
    assert main(["sessions", "try"]) == 2
    assert capsys.readouterr().err == "selfheal: Missing: SESSION, CODE. See `selfheal sessions try --help`.\n"


def test_what_may_be_left_out_is_not_said_to_be_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", "note"]) == 2
    assert capsys.readouterr().err == "selfheal: Missing: TEXT. See `selfheal sessions note --help`.\n"
    assert main(["sessions", "decide"]) == 2
    verdicts = "There are: approve, edit, reject, stop.\n"
    assert capsys.readouterr().err == f"selfheal: Missing: verdict. {verdicts}"
    assert main(["sessions", "decide", "maybe"]) == 2
    assert capsys.readouterr().err == f"selfheal: There is no verdict 'maybe'. {verdicts}"
    assert main(["sessions", "decide", "20261121-222106-shop-6ccd"]) == 2
    assert capsys.readouterr().err == f"selfheal: Missing: verdict. {verdicts}"


def test_a_file_in_the_place_of_a_command_is_told_how_it_is_healed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["dates.py"]) == 2
    assert "selfheal fix" not in capsys.readouterr().err
    (tmp_path / "dates.py").touch()
    assert main(["dates.py"]) == 2
    told = "selfheal: There is no command 'dates.py'. To heal it: selfheal fix dates.py\n"
    assert capsys.readouterr().err == told


@pytest.mark.parametrize("argv", [["sessions"], ["sessions", "list"]])
def test_sessions_alone_lists(
    argv: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SELFHEAL_SESSIONS", str(tmp_path))
    assert main(argv) == 0
    assert capsys.readouterr().out.startswith(f"No sessions in {tmp_path} yet")
    assert main([*argv, "--json"]) == 0
    assert capsys.readouterr().out == "[]\n"


def test_an_action_after_options_is_told_to_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", "--sessions", "my folder", "show", "S"]) == 2
    assert capsys.readouterr().err.endswith("Try: selfheal sessions show --sessions 'my folder' S\n")


@pytest.mark.parametrize("flag", ["--plain", "--headless", "--json"])
def test_a_flag_of_runs_without_a_command_names_those_that_have_it(
    flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--plain` alone was told to be `--plugins`."""
    assert main([flag]) == 2
    assert f"{flag} needs a command before it. As: selfheal fix {flag}, or demo" in capsys.readouterr().err
