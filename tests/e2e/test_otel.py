"""`--otel` against a collector on loopback: real spans over OTLP/HTTP, and nothing where nobody asked for it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from selfheal_tui.cli import main
from tests.bench_data import write
from tests.engine.driving import ANSWERS, BUGGY, DIAGNOSIS, TESTS, script

TOKEN = "otel-canary-55aa77"


class Collector(ThreadingHTTPServer):
    """Takes spans as an OpenTelemetry collector does."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[bytes] = []
        self.headers: list[str] = []
        self.status = 200

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def spans(self) -> list[dict[str, Any]]:
        """Return all spans, as plain values."""
        told = []
        for body in self.bodies:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                service = {one.key: one.value.string_value for one in resource.resource.attributes}["service.name"]
                for span in (span for scope in resource.scope_spans for span in scope.spans):
                    values = {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}
                    told.append(
                        {
                            "name": span.name,
                            "id": span.span_id,
                            "parent": span.parent_span_id,
                            **values,
                            "trace": span.trace_id,
                            "service": service,
                            "took_s": (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9,
                        }
                    )
        return told


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.headers.append(f"{self.path} {self.headers.get('x-token')}")
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Collector]:
    server = Collector()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.address)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", f"x-token={TOKEN}")
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(BUGGY)
    Path("test_shop.py").write_text(TESTS)
    yield server
    server.shutdown()
    server.server_close()


def fix(*argv: str) -> int:
    model = script(Path("m.yaml"), *ANSWERS)
    quick = ("--critic", "off", "--debug-steps", "0", "--sessions", "sessions")
    return main(["fix", "shop.py", "--headless", *quick, "--model", model, *argv])


def test_a_run_is_one_trace_of_steps_calls_and_sandbox_runs_without_any_text(collector: Collector) -> None:
    assert fix("--otel", "--autonomy", "full_auto") == 0
    spans = collector.spans()
    names = [span["name"] for span in spans]
    assert len({span["trace"] for span in spans}) == 1 and {span["service"] for span in spans} == {"selfheal"}
    by_id = {span["id"]: span for span in spans}
    (root,) = (span for span in spans if span["parent"] not in by_id)
    assert (root["name"], root["selfheal.outcome"]) == ("invoke_agent selfheal", "healed")
    assert root["gen_ai.conversation.id"] == next(Path("sessions").glob("*/session.db")).parent.name
    calls = [span for span in spans if span["name"].startswith("chat ")]
    assert [by_id[call["parent"]]["name"] for call in calls] == ["step diagnose", "step propose"]
    assert {(c["gen_ai.provider.name"], c["gen_ai.usage.input_tokens"], c["selfheal.cost_usd"]) for c in calls} == {
        ("scripted", 10, 0.01)
    }
    assert names.count("sandbox tests") == 2 and names.count("sandbox rehearsal") == 1
    for span in spans:
        assert 0 <= span["took_s"] <= root["took_s"] + 0.001
    sent = b"".join(collector.bodies)
    for text in (DIAGNOSIS["cause"], "amount", "test_discount", "Subtract the discount"):
        assert text.encode() not in sent
    assert {*collector.headers} == {f"/v1/traces {TOKEN}"}


def test_nothing_is_sent_unless_the_user_asks_whatever_the_folder_says(
    collector: Collector, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT")
    Path("selfheal.yaml").write_text("otel: yes\n")
    Path(".env").write_text(f"OTEL_EXPORTER_OTLP_ENDPOINT={collector.address}\nSELFHEAL_OTEL=yes\n")
    assert fix("--trust") == 3
    told = capsys.readouterr().err
    assert "left out: otel = true (selfheal.yaml, line 1); the file of a project folder never sets it." in told
    assert collector.bodies == [] and "OTEL_EXPORTER_OTLP_ENDPOINT" not in os.environ


def test_a_collector_that_is_away_costs_one_sentence(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    collector.status = 500
    assert fix("--otel") == 3
    err = capsys.readouterr().err
    assert err.count("spans could not be sent to http://127.0.0.1:") == 1 and "Traceback" not in err
    assert "The session itself is complete" in err and TOKEN not in err
    for name, value, words in (
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "--otel sends OTLP over http/protobuf, not over grpc."),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", "OTEL_EXPORTER_OTLP_ENDPOINT is no address."),
    ):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert fix("--otel") == 2
        assert words in capsys.readouterr().err
    assert len(list(Path("sessions").glob("*/session.db"))) == 1, "nothing was begun"


def test_a_benchmark_has_a_trace_for_each_task(collector: Collector) -> None:
    write(Path("own.jsonl"))
    assert main(["bench", "own.jsonl", "--ids", "Own/total", "--out", "r", "--otel", "--json"]) == 0
    (root,) = (span for span in collector.spans() if span["name"] == "invoke_agent selfheal")
    assert (root["selfheal.bench.task"], root["selfheal.bench.run"]) == ("Own/total", "r")
    assert any(span["name"] == "search" for span in collector.spans())


def test_keys_of_a_collector_are_taken_out_of_what_is_exported(monkeypatch: pytest.MonkeyPatch) -> None:
    from selfheal_tui.engine.out.export.redact import redacted

    environ = {
        "OTEL_EXPORTER_OTLP_HEADERS": f"api-key=first-{TOKEN},authorization=Basic%20{TOKEN}",
        "MLFLOW_TRACKING_URI": f"https://me:pass-{TOKEN}@host/x",
    }
    text = f"first-{TOKEN} Basic {TOKEN} Basic%20{TOKEN} pass-{TOKEN}"
    assert TOKEN not in redacted(text, environ)
