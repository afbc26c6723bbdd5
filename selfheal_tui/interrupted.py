"""What a command says that was cancelled before it had anything to go on with; imports nothing that takes its time."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise

CANCELLED = 130
TOLD = {"error": "cancelled", "session_id": "", "next": ""}


def tell_interrupted(argv: Sequence[str]) -> int:
    """Say on stderr that the command was cancelled, with `--json` also as an object on stdout; return the exit code."""
    words = argv[: argv.index("--")] if "--" in argv else argv
    # Where the events have stdout, their last line says it.
    has_events = "--events=-" in words or ("--events", "-") in pairwise(words)
    if "--json" in words and not has_events:
        import json

        print(json.dumps(TOLD), flush=True)
    print("selfheal: cancelled.", file=sys.stderr)
    return CANCELLED
