"""Which sandboxes there are, by name; a module is imported when its sandbox is opened."""

from __future__ import annotations

import importlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from selfheal_tui.errors import SettingsError
from selfheal_tui.setting_values import nearest

from .allowance import checked_allowance
from .base import Sandbox

SANDBOXES = {
    "local": "selfheal_tui.sandbox.local:LocalSandbox",
    "container": "selfheal_tui.sandbox.container:ContainerSandbox",
    "e2b": "selfheal_tui.sandbox.e2b:E2BSandbox",
}
"""name -> `module:Class`, called with the keywords of `open_sandbox`."""


def open_sandbox(
    name: str,
    *,
    python: str = "",
    allow_unsandboxed: bool = False,
    allow_read: Sequence[str] = (),
    allow_network: bool = False,
    sessions: Path | None = None,
) -> Sandbox:
    """Return the sandbox of that name; nothing starts before its first run. The caller closes it.

    `python` is the interpreter that runs the suites, ours when empty; `allow_unsandboxed` lets them run where no
    isolation is to be had; `allow_read` and `allow_network` say what they may have beyond it. `sessions` is the folder
    of the sessions, which is never shown.
    Raises: SettingsError for an unknown name, an interpreter that is not there, or a path that is not shown.
    """
    if name not in SANDBOXES:
        raise SettingsError(f"There is no sandbox named {name!r}.", nearest(name, SANDBOXES, shown_as=repr))
    allowed = checked_allowance(allow_read, allow_network, sessions, os.environ)
    if python:
        path = shutil.which(python)
        if path is None:
            raise SettingsError(
                f"There is no interpreter {python!r}.",
                "Make that environment again, or name another interpreter with --python PATH.",
            )
        python = os.path.abspath(path)
    module, _, attribute = SANDBOXES[name].partition(":")
    kind = getattr(importlib.import_module(module), attribute)
    return cast(Sandbox, kind(python=python, allow_unsandboxed=allow_unsandboxed, allowed=allowed))
