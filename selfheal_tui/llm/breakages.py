"""Turn an exception of an SDK, or a time limit that has run out, into one fault with one sentence."""

from __future__ import annotations

import json
import os
import ssl
from collections.abc import Iterator
from urllib.parse import urljoin

from selfheal_tui.text import one_line

from .faults import AddressWrong, BadAnswer, ConnectionFailed, ProviderFault, TimedOut
from .service import Service, shown_url
from .statuses import PROXY_HINT, is_page, page_instead
from .time_limits import TimeLimitReached


def explain_error(service: Service, error: BaseException) -> ProviderFault:
    """Return the fault of an exception that an SDK or the HTTP library below it raised."""
    chain = list(_chain(error))
    names = {type(link).__name__ for link in chain}
    label = service.label
    if any(isinstance(link, ssl.SSLCertVerificationError) for link in chain):
        hint = f"Check {service.url_name}; SSL_CERT_FILE names further authorities."
        return ConnectionFailed(f"The certificate of {label} is not trusted.", hint, retryable=False)
    if names & {"ConnectTimeout", "PoolTimeout"}:
        return TimedOut(f"{label} cannot be reached: no connection in time.", _reach_hint(service))
    if names & {"ReadTimeout", "WriteTimeout", "APITimeoutError"}:
        return TimedOut(f"{label} stopped answering.")
    if names & {"UnsupportedProtocol", "InvalidURL", "LocalProtocolError"}:
        return AddressWrong(f"No request can be sent to {label}.", f"Check {service.url_name}.")
    if "ProxyError" in names:
        hint = PROXY_HINT.format(service.url_name)
        return ConnectionFailed(f"The proxy does not let requests through to {label}.", hint, retryable=False)
    if names & {"ConnectError", "ConnectionError", "ConnectionRefusedError", "gaierror"}:
        return ConnectionFailed(f"{label} cannot be reached{_os_reason(chain)}.", _reach_hint(service))
    if any(isinstance(link, UnicodeDecodeError) for link in chain):
        return bad_answer(service, "bytes that are not UTF-8")
    for link in chain:
        if isinstance(link, json.JSONDecodeError):
            return _bad_json(service, link.doc.strip())
    if any(isinstance(link, OSError) for link in chain) or names & {
        "APIConnectionError", "ReadError", "WriteError", "CloseError", "RemoteProtocolError", "EndOfStream",
    }:  # fmt: skip
        return ConnectionFailed(f"The connection to {label} broke off{_os_reason(chain)}.")
    return bad_answer(service, "something that cannot be read")


def explain_redirect(service: Service, error: BaseException) -> AddressWrong | None:
    """Return the fault of a server that redirects to another address; None for any other error.

    A request holds the user's code and often a key: it goes where the user said, and nowhere else.
    """
    for link in _chain(error):
        response = getattr(link, "response", None)
        status = getattr(response, "status_code", None)
        if isinstance(status, int) and 300 <= status < 400:
            place = _place(service, getattr(response, "headers", {}).get("location", ""))
            onward = (
                f"redirects requests to {place}, which is not followed" if place else "redirects requests elsewhere"
            )
            hint = f"Set {service.url_name} to that address, if you trust it." if place else None
            return AddressWrong(f"{service.label} {onward} ({status}).", hint or f"Check {service.url_name}.")
    return None


def explain_limit(service: Service, reached: TimeLimitReached) -> ProviderFault:
    """Return the fault of a time limit that has run out."""
    label, seconds = service.label, f"{reached.seconds:g} s"
    if reached.limit == "first":
        return TimedOut(f"{label} did not begin to answer within {seconds}.")
    if reached.limit == "piece":
        return TimedOut(f"{label} fell silent for {seconds}.")
    # The next attempt would take as long, and be paid as well.
    return TimedOut(f"{label} did not finish within {seconds}.", "Choose a faster model.", retryable=False)


def bad_answer(service: Service, content: str) -> BadAnswer:
    """Return the fault of an answer that cannot be read; `what` completes "sent ..."."""
    return BadAnswer(
        f"{service.label} sent {content}.", f"Resume to try again; if that does not help, check {service.url_name}."
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    visited_ids: set[int] = set()
    while error is not None and id(error) not in visited_ids:
        visited_ids.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _bad_json(service: Service, text: str) -> ProviderFault:
    if is_page(text):
        return page_instead(service)
    if text.startswith("{") and not text.endswith("}"):
        return ConnectionFailed(f"The reply of {service.label} broke off before its end.")
    return bad_answer(service, "broken JSON")


def _os_reason(chain: list[BaseException]) -> str:
    """Return the operating system's reason in brackets: the deepest error says most."""
    for link in reversed(chain):
        if isinstance(link, OSError) and link.strerror and not isinstance(link, ssl.SSLError):
            # asyncio puts an address into strerror; the number says it plainly, but for names that do not resolve.
            number = link.errno or 0
            reason = os.strerror(number) if number > 0 else link.strerror
            return f" ({one_line(reason, 80)})"
    return ""


def _place(service: Service, location: str) -> str:
    """Return where a redirect leads, safe to show; empty when it does not say."""
    try:
        return one_line(shown_url(urljoin(service.url, location)), 120) if location else ""
    except ValueError:
        return ""


def _reach_hint(service: Service) -> str:
    return service.start_hint or f"Check the network and {service.url_name}."
