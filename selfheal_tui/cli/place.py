"""`--on`: where work runs, in this process or on the workers of a Ray cluster; shared by commands that may."""

from __future__ import annotations

import secrets
from argparse import ArgumentParser, ArgumentTypeError
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from .compose import build_workbench

if TYPE_CHECKING:
    from selfheal_tui.cluster.room import RoomSetup
    from selfheal_tui.sandbox.base import Limits
    from selfheal_tui.settings import Settings

HERE = "here"


def add_on(parser: ArgumentParser, what: str) -> None:
    """Add `--on`; `what` is said to run there: `the tasks`."""
    parser.add_argument(
        "--on",
        type=_place,
        metavar="here|ray[://HOST:PORT]",
        help=f"where {what} run: in this process (default), or on the workers of a Ray cluster",
    )


def opened(place: str | None) -> AbstractContextManager[Any]:
    """Connect to a cluster; yields the package `ray`, or None for this process. Raises: InputError, SettingsError."""
    if (place or HERE) == HERE:
        return nullcontext()
    from selfheal_tui.cluster.connection import open_cluster

    return open_cluster(str(place))


def check_place(place: str | None) -> None:
    """Raises: SettingsError where a cluster is asked for and its package is not there."""
    if (place or HERE) != HERE:
        from selfheal_tui.cluster.connection import check_installed

        check_installed()


def room_setup(settings: Settings, suite_limits: Limits | None = None) -> RoomSetup:
    """Return what the workers of a run are told of it."""
    from selfheal_tui.cluster.room import RoomSetup, prompt_texts
    from selfheal_tui.cluster.versions import versions
    from selfheal_tui.extensions import enabled_record

    return RoomSetup(
        secrets.token_hex(8),
        settings,
        partial(build_workbench, suite_limits=suite_limits),
        versions(),
        prompt_texts(settings.prompts),
        enabled_record(),
    )


def _place(text: str) -> str:
    place, _, address = text.partition("://")
    if place not in (HERE, "ray") or (place == HERE and "://" in text) or ("://" in text and not address):
        raise ArgumentTypeError(f"{text!r} is no place: write here, ray, or ray://HOST:PORT")
    return text
