"""`selfheal serve`: the app in a browser, for whoever has the address that this prints."""

from __future__ import annotations

import asyncio
import secrets
import signal
import sys
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec

from selfheal_tui.errors import InputError

from .options import RUN_SETTINGS, add_settings, whole_number
from .trusting import load_from

_SETTINGS = (*RUN_SETTINGS, "theme")
_PORT = 8765
_EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""What listens at all addresses -> the one that a browser on this machine opens."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default: 127.0.0.1, this machine)")
    parser.add_argument(
        "--port",
        default=_PORT,
        type=whole_number,
        metavar="N",
        help=f"port to listen at; 0 takes a free one (default: {_PORT})",
    )
    parser.add_argument(
        "--allow-remote", action="store_true", help="let --host be an address that other machines can reach"
    )
    add_settings(parser, _SETTINGS)


def run(args: Namespace) -> int:
    """Serve until Ctrl-C. Raises: InputError for an address that cannot be had, or is open to others unasked."""
    if not 0 <= args.port <= 65535:
        raise InputError(f"{args.port} is no port.", "Give 0 to 65535.")
    if missing := [name for name in ("aiohttp", "textual_serve") if find_spec(name) is None]:
        raise InputError(f"serve needs {' and '.join(missing)}.", "Run: pip install 'selfheal-tui[serve]'.")
    from selfheal_tui.web.guard import is_loopback

    if not is_loopback(args.host) and not args.allow_remote:
        raise InputError(
            f"Other machines could reach {args.host}, and whoever has the address runs code here as you, unencrypted.",
            "Better: `ssh -L` to this machine. If you mean it, add --allow-remote.",
        )
    load_from(args)
    asyncio.run(_serve(args))
    return 0


async def _serve(args: Namespace) -> None:
    from selfheal_tui.web.guard import is_loopback
    from selfheal_tui.web.server import Server

    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    token = secrets.token_urlsafe(32)
    # -P: the folder we are in is the user's, not a place to import from.
    server = Server([sys.executable, "-P", "-m", "selfheal_tui", *_flags(args)], token)
    port = await server.start(args.host, args.port)
    host = _EVERY_ADDRESS.get(args.host, args.host)
    host = f"[{host}]" if ":" in host else host
    if not is_loopback(args.host):
        print("selfheal: WARNING: other machines can reach this; nothing is encrypted.", file=sys.stderr)
        if args.host in _EVERY_ADDRESS:
            print(f"selfheal: they put an IP address of this machine in the place of {host}.", file=sys.stderr)
    print(f"http://{host}:{port}/{token}/", flush=True)
    print("selfheal: open that address in a browser; keep it to yourself. Ctrl-C ends.", file=sys.stderr)
    try:
        await stopped.wait()
    finally:
        await server.close()


def _flags(args: Namespace) -> list[str]:
    """Return the settings that were given, as flags for the app."""
    flags: list[str] = []
    for name in _SETTINGS:
        value, flag = getattr(args, name), name.replace("_", "-")
        if isinstance(value, bool):
            flags.append(f"--{flag}" if value else f"--no-{flag}")
        elif value is not None:
            flags += [f"--{flag}={one}" for one in (value if isinstance(value, list) else [value])]
    return flags
