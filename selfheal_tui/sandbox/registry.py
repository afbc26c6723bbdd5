"""Which sandboxes there are, by name; a module is imported when its sandbox is opened."""

from __future__ import annotations

import difflib
import importlib
from typing import cast

from selfheal_tui.errors import SettingsError

from .base import Sandbox

SANDBOXES = {"local": "selfheal_tui.sandbox.local:LocalSandbox"}
"""name -> `module:Class`, called with the keywords of `open_sandbox`."""


def open_sandbox(name: str, *, python: str = "", allow_unsandboxed: bool = False) -> Sandbox:
    """Return the sandbox of that name; nothing starts before its first run. The caller closes it.

    `python` is the interpreter that runs the suites, ours when empty; `allow_unsandboxed` lets them run where no
    isolation is to be had.
    Raises: SettingsError for an unknown name.
    """
    if name not in SANDBOXES:
        near = difflib.get_close_matches(name, SANDBOXES, n=1, cutoff=0.0)[0]
        raise SettingsError(f"There is no sandbox named {name!r}.", f"Did you mean {near!r}?")
    module, _, attribute = SANDBOXES[name].partition(":")
    opened = getattr(importlib.import_module(module), attribute)(python=python, allow_unsandboxed=allow_unsandboxed)
    return cast(Sandbox, opened)
