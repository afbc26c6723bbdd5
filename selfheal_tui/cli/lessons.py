"""`selfheal lessons`: what sessions learnt for those to come: list, turn off or on, delete."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from selfheal_tui.errors import InputError
from selfheal_tui.money import json_text
from selfheal_tui.store.lessons import Lesson, LessonBook
from selfheal_tui.text import strip_controls

from .options import add_settings, whole_number
from .trusting import load_from


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "action", choices=("list", "off", "on", "delete"), nargs="?", default="list", help="what to do (default: list)"
    )
    parser.add_argument(
        "ids", nargs="*", type=whole_number, metavar="ID", help="which lessons; list shows all when none is named"
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list and nothing else")
    add_settings(parser, ("sessions",))
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """List or change lessons."""
    book = LessonBook(load_from(args).sessions)
    if args.action == "list":
        lessons = [lesson for lesson in book.all() if not args.ids or lesson.id in args.ids]
        print(json_text([asdict(lesson) for lesson in lessons], indent=1) if args.json else _listed(lessons))
        return 0
    if not args.ids:
        raise InputError(f"Name the lessons to {args.action}.", "See: selfheal lessons list")
    for number in args.ids:
        if args.action == "delete":
            book.delete(number)
        else:
            book.use(number, args.action == "on")
    return 0


def _listed(lessons: list[Lesson]) -> str:
    if not lessons:
        return "no lessons yet"
    lines = [f"{one.id:>4} {_state(one)}{one.task}: {one.text}" for one in lessons]
    return strip_controls("\n".join(lines))


def _state(lesson: Lesson) -> str:
    if lesson.taken_back:
        return "(its repair was taken back) "
    return "" if lesson.used else "(off) "
