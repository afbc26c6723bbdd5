"""`python -m tests.wire --script FILE [--port N] [--record FILE]`: print the address, serve until ended.

`GET /_requests` returns what came in; `--record` appends it to a file, one JSON object a line. Keys are in neither.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from pathlib import Path

from .script import load_script
from .server import WireServer


def main() -> int:
    """Serve a script."""
    parser = argparse.ArgumentParser(prog="python -m tests.wire", description="A fake model server.")
    parser.add_argument("--script", type=Path, required=True, help="YAML file, see tests/wire/script.py")
    parser.add_argument("--port", type=int, default=0, help="0 (default) for a free one")
    parser.add_argument("--record", type=Path, help="file to append the requests to")
    args = parser.parse_args()
    try:
        script = load_script(args.script)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    asyncio.run(_serve(WireServer(script, args.port, args.record)))
    return 0


async def _serve(server: WireServer) -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    async with server:
        print(server.url, flush=True)
        await ended.wait()


if __name__ == "__main__":
    sys.exit(main())
