"""Spans sent to an OpenTelemetry collector over OTLP/HTTP: only when the user's settings ask for it (`--otel`).

Address and headers are those of the user's own OTEL_EXPORTER_OTLP_* variables; a folder's .env never sets them. A
collector that is away costs the run nothing: what could not be sent is counted, and told at the end.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from selfheal_tui import __version__
from selfheal_tui.errors import SettingsError
from selfheal_tui.llm.departures import address_of
from selfheal_tui.text import one_line, plural

from .spans import SessionSpans, Value

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_TIMEOUTS = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")
_DEFAULT = "http://localhost:4318"
"""Where a collector listens on this machine, by the OTLP specification."""
_OTLP = "http/protobuf"
_TIMEOUT_S = 5.0
_REST_S = 60.0
"""So long nothing is sent after a failure: the user waits for one attempt at the end, not for many."""


@dataclass(frozen=True, slots=True)
class Traced:
    """That runs are traced, and what all their spans of sessions say."""

    attributes: Mapping[str, Value] = field(default_factory=dict)
    title_as: str = ""
    """Attribute that a session's title is told under; empty: it is not told, as it may be the user's words."""


def check_otel(environ: Mapping[str, str]) -> None:
    """Check that spans can be sent as the variables say. Raises: SettingsError."""
    try:
        has_all = find_spec("opentelemetry.sdk") and find_spec("opentelemetry.exporter.otlp.proto.http")
    except ModuleNotFoundError:
        has_all = None
    if not has_all:
        raise SettingsError("--otel needs OpenTelemetry.", "Install it: pip install 'selfheal-tui[otel]'.")
    protocol = _first(_PROTOCOLS, environ) or _OTLP
    if protocol != _OTLP:
        raise SettingsError(
            f"--otel sends OTLP over {_OTLP}, not over {one_line(protocol, 40)}.",
            f"Set {_PROTOCOLS[1]}={_OTLP}, and the address of that port.",
        )
    try:
        parts = urlsplit(_address(environ))
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        name = next(name for name in _ENDPOINTS if environ.get(name, "").strip())
        raise SettingsError(f"{name} is no address.", f"Give one as {_DEFAULT}.")


class Otel:
    """Sends the spans of all sessions of a workbench."""

    def __init__(self, traced: Traced, exporter: SpanExporter | None = None) -> None:
        """`exporter` takes the place of the one that the variables name. Raises: SettingsError."""
        if exporter is None:
            check_otel(os.environ)
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        # It would write of each failure on the terminal, in words of its own.
        library = logging.getLogger("opentelemetry")
        library.addHandler(logging.NullHandler())
        library.propagate = False
        named = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": "selfheal"}
        resource = Resource.create({**named, "service.version": __version__})
        self._counted = _Counted(exporter or _otlp_exporter())
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(cast("SpanExporter", self._counted)))
        self._tracer = self._provider.get_tracer("selfheal", __version__)
        self._traced = traced

    def watching(self, session_id: str, title: str) -> SessionSpans:
        """Return what makes the spans of one run, while it is entered."""
        attributes = dict(self._traced.attributes)
        if self._traced.title_as:
            attributes[self._traced.title_as] = one_line(title, 200)
        return SessionSpans(self._tracer, session_id, attributes)

    def close(self) -> str:
        """Send what is left, and stop; say what could not be sent, empty for nothing. Takes its time: a few seconds."""
        self._provider.shutdown()
        if not self._counted.unsent:
            return ""
        where = one_line(address_of(_address(os.environ)), 200)
        return (
            f"{plural(self._counted.unsent, 'span')} could not be sent to {where}. "
            "The session itself is complete; is a collector listening there?"
        )


class _Counted:
    """An exporter that counts what another one could not send, and rests after a failure."""

    def __init__(self, exporter: SpanExporter) -> None:
        self.unsent = 0
        self._exporter = exporter
        self._rests_until_s = 0.0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send some spans."""
        from opentelemetry.sdk.trace.export import SpanExportResult

        if time.monotonic() >= self._rests_until_s:
            if self._exporter.export(spans) is SpanExportResult.SUCCESS:
                return SpanExportResult.SUCCESS
            self._rests_until_s = time.monotonic() + _REST_S
        self.unsent += len(spans)
        return SpanExportResult.FAILURE

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Nothing is held back here."""
        return True

    def shutdown(self) -> None:
        """End connections."""
        self._exporter.shutdown()


def _otlp_exporter() -> SpanExporter:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter(timeout=None if _first(_TIMEOUTS, os.environ) else _TIMEOUT_S)


def _address(environ: Mapping[str, str]) -> str:
    return _first(_ENDPOINTS, environ) or _DEFAULT


def _first(names: Sequence[str], environ: Mapping[str, str]) -> str:
    return next((value for name in names if (value := environ.get(name, "").strip())), "")
