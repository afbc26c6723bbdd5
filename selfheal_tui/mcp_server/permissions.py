"""What an agent may be allowed: only what the user's own settings file says, never a flag, a variable or the folder.

Whoever registers the server writes its command line and its environment, and that may be a project's file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from selfheal_tui.setting_text import read_layer
from selfheal_tui.settings import Settings, own_file

_BY_ACCEPTED_FOLDER = ("allow_read", "allow_network", "hooks", "hook_diff")
"""What the file of a folder may allow too, once the user has accepted it."""
_STRICTEST: Mapping[str, Any] = {
    "allow_unsandboxed": False,
    "allow_read": (),
    "allow_network": False,
    "agent_decides": False,
    "hook_diff": False,
}
_PLACES = ("default", "environment", "flag")
"""How the origin of a value begins that stands in no file."""


def permitted(settings: Settings, environ: Mapping[str, str] | None = None) -> Settings:
    """Return the settings without what only the user's own file may allow an agent. Raises: SettingsError."""
    own = read_layer(own_file(os.environ if environ is None else environ)).values
    changed: dict[str, Any] = {}
    for name, strictest in _STRICTEST.items():
        in_file = not settings.origins.get(name, "default").startswith(_PLACES)
        if own.get(name) != getattr(settings, name) and not (name in _BY_ACCEPTED_FOLDER and in_file):
            changed[name] = strictest
    if settings.origins.get("hooks", "default").startswith(_PLACES):
        changed["hooks"] = own.get("hooks", {})
    if settings.autonomy == "full_auto" and own.get("autonomy") != "full_auto":
        changed["autonomy"] = "review_repairs"
    return replace(settings, **changed) if changed else settings
