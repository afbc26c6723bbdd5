"""Who may talk to the server: a page of this server that knows the token, under an address of this server.

Every path starts with the token, so nobody without it gets an answer. The Host check stops DNS rebinding (a
foreign name that points here), the Origin check stops other pages that learnt the address.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Sent with every answer; the browser itself refuses to load anything from elsewhere."""


def build_guard(token: str, served_host: str) -> Middleware:
    """Return the middleware that lets only requests through that have the token and name one of our addresses."""
    names = {"localhost", served_host.lower(), socket.gethostname().lower()}

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        why = _refusal(request, token, names)
        if why:
            return web.Response(status=403, text=f"{why}\n", headers=HEADERS)
        return await handler(request)

    return guard


async def add_headers(_: web.Request, response: web.StreamResponse) -> None:
    """Add the headers of every answer."""
    response.headers.update(HEADERS)


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _refusal(request: web.Request, token: str, names: set[str]) -> str:
    if not _is_ours(request.headers.get("Host", ""), names):
        return "This address is not selfheal's."
    origin = request.headers.get("Origin")
    if origin is None and request.headers.get("Upgrade"):
        return "Only a page of selfheal may open its socket."
    if origin is not None and urlsplit(origin).netloc != request.headers["Host"]:
        return "Only pages of selfheal itself may ask."
    if not hmac.compare_digest(request.match_info.get("token", "").encode(), token.encode()):
        return "The address needs the token that `selfheal serve` printed."
    return ""


def _is_ours(header: str, names: set[str]) -> bool:
    """Tell whether a Host header names this server: any IP address does, as only names can be rebound."""
    try:
        host = urlsplit(f"//{header}").hostname or ""
        return host in names or bool(ipaddress.ip_address(host))
    except ValueError:
        return False
