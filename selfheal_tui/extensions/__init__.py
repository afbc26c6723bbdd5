"""Plug-ins: what other packages of this environment add by entry points, off until the user enables it by name.

`found.py` lists what is installed without importing any of it, `enabled.py` says what of it counts in this process, and
`loading.py` imports it. Each registry (operators, providers, suites ...) asks here for what plug-ins add to it.
"""

from .enabled import (
    disabled_words,
    enable,
    enabled,
    enabled_record,
    note_problem,
    other_plugins_words,
    take_problems,
)
from .found import GROUPS, Plugin, installed
from .loading import load, load_all, said_by

__all__ = [
    "GROUPS",
    "Plugin",
    "disabled_words",
    "enable",
    "enabled",
    "enabled_record",
    "installed",
    "load",
    "load_all",
    "note_problem",
    "other_plugins_words",
    "said_by",
    "take_problems",
]
