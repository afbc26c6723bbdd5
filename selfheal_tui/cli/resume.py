"""`selfheal resume`: reopen a session where it stopped."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from .app import open_app, require_terminal
from .compose import build_options
from .options import RUN_SETTINGS, add_headless, add_settings, given_run_settings, load_from
from .find import find_session

if TYPE_CHECKING:
    from selfheal_tui.engine.events import Event
    from selfheal_tui.engine.session import Session
    from selfheal_tui.engine.workbench import Workbench
