"""Which sandboxes there are, by name; a module is imported when its sandbox is opened."""

from __future__ import annotations

import importlib
import os
import shutil
from typing import cast

from selfheal_tui.errors import SettingsError
from selfheal_tui.setting_values import nearest

from .base import Sandbox

SANDBOXES = {
    "local": "selfheal_tui.sandbox.local:LocalSandbox",
    "container": "selfheal_tui.sandbox.container:ContainerSandbox",
    "e2b": "selfheal_tui.sandbox.e2b:E2BSandbox",
}
"""name -> `module:Class`, called with the keywords of `open_sandbox`."""


def open_sandbox(name: str, *, python: str = "", allow_unsandboxed: bool = False) -> Sandbox:
    """Return the sandbox of that name; nothing starts before its first run. The caller closes it.

    `python` is the interpreter that runs the suites, ours when empty; `allow_unsandboxed` lets them run where no
    isolation is to be had.
    Raises: SettingsError for an unknown name or an interpreter that is not there.
    """
    if name not in SANDBOXES:
        raise SettingsError(f"There is no sandbox named {name!r}.", nearest(name, SANDBOXES, shown_as=repr))
    if python:
        path = shutil.which(python)
        if path is None:
            raise SettingsError(f"There is no interpreter {python!r}.", "Give the path of one, as .venv/bin/python.")
        python = os.path.abspath(path)
    module, _, attribute = SANDBOXES[name].partition(":")
    kind = getattr(importlib.import_module(module), attribute)
    return cast(Sandbox, kind(python=python, allow_unsandboxed=allow_unsandboxed))
