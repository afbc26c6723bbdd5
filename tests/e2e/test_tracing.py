"""LangSmith sees a run only when selfheal's own setting asks for it, whatever the environment says."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.engine.driving import BUGGY, DIAGNOSIS, FIXED, TESTS, repair_reply, script


class Collector(ThreadingHTTPServer):
    """Stands in for LangSmith on loopback; keeps what is posted."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[bytes] = []


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        if self.headers.get("Transfer-Encoding") == "chunked":
            self.server.bodies.append(b"".join(self._chunks()))
        else:
            self.server.bodies.append(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        self._answer()

    do_PATCH = do_POST

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline(), 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _answer(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.mark.parametrize("asked", [True, False])
def test_tracing_is_by_our_setting_alone(tmp_path: Path, asked: bool) -> None:
    (tmp_path / "shop.py").write_text(BUGGY)
    (tmp_path / "test_shop.py").write_text(TESTS)
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(FIXED)},
    )
    server = Collector()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "selfheal_tui", "fix", "shop.py", "--headless", "--autonomy", "full_auto"),
                *("--critic", "off", "--debug-steps", "0", "--model", model, "--sessions", "sessions"),
                *(["--tracing"] if asked else []),
            ],
            cwd=tmp_path,
            env={
                **{name: value for name, value in os.environ.items() if not name.startswith("LANG")},
                "LANGSMITH_TRACING": "true",
                "LANGSMITH_TRACING_V2": "true",
                "LANGSMITH_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
                "LANGSMITH_API_KEY": "not-a-key",
                "LANGSMITH_DISABLE_RUN_COMPRESSION": "true",
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        server.shutdown()
        server.server_close()
    assert done.returncode == 0, done.stderr
    sent = b"".join(server.bodies)
    assert (b'"repairer"' in sent and b'"debugger"' in sent) if asked else not sent
    (file,) = (tmp_path / "sessions").glob("*/session.db")
    with closing(sqlite3.connect(file)) as connection:
        told = connection.execute("select role, model, address, files from sent order by id").fetchall()
    traced = [("debugger", "langsmith:tracing"), ("repairer", "langsmith:tracing")]
    assert [row[:2] for row in told] == (traced if asked else [])
    assert {row[2] for row in told} == ({f"http://127.0.0.1:{server.server_port}"} if asked else set())
    assert all('"shop.py"' in row[3] for row in told)
