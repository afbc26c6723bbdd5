"""Two stories as an exporter gets them; a test of selfheal compares their shape with that of a real session's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_STORIES: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("stories.json").read_text("utf-8"))

HEALED, WAITING = _STORIES["healed"], _STORIES["waiting"]
"""A session that healed, and one that waits for its first answer."""
