"""The fake server by itself: its command, its records, its scripts."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import yaml

from .script import Script, load_script

ROOT = Path(__file__).resolve().parents[2]


def test_command_serves_a_script_and_keeps_keys_out_of_its_records(tmp_path: Path) -> None:
    script, record = tmp_path / "script.yaml", tmp_path / "record.jsonl"
    script.write_text(
        yaml.safe_dump({"replies": [{"role": "debugger", "reply": {"cause": "x"}}, {"reply": "other"}], "key": "sk-1"})
    )
    command = [sys.executable, "-m", "tests.wire", "--script", str(script), "--record", str(record)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        system = yaml.safe_load((ROOT / "prompts" / "debugger.yaml").read_text("utf-8"))["system"]
        asked = {"model": "m", "max_tokens": 9, "system": system, "messages": [{"role": "user", "content": "?"}]}
        whole = _post(f"{url}/v1/messages", asked)
        chat = {"model": "m", "messages": [{"role": "user", "content": "?"}], "stream": False}
        assert whole["content"][0]["text"] == '{\n "cause": "x"\n}'
        assert _post(f"{url}/api/chat", chat)["message"]["content"] == "other"
        assert _post(f"{url}/v1/chat/completions", chat)["choices"][0]["message"]["content"] == "other"
        with urllib.request.urlopen(f"{url}/_requests") as response:
            listed = json.load(response)
        server.terminate()
        assert server.wait(10) == 0
    assert [(r["vendor"], r["role"], r["has_key"]) for r in listed] == [
        ("anthropic", "debugger", True),
        ("ollama", "", True),
        ("openai", "", True),
    ]
    assert [json.loads(line) for line in record.read_text().splitlines()] == listed
    assert "sk-1" not in json.dumps(listed)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"reply": "x", "fault": "nonsense"}, "there is no fault 'nonsense'"),
        ({"reply": "x", "fault": 418}, "no vendor is known to answer 418"),
        ({"reply": "x", "fault": {"status": 429, "cut_at": 3}}, "one name"),
        ({"reply": "x", "times": 2}, "`times` counts faults"),
        ({"replay": "x"}, "unknown key 'replay'"),
    ],
)
def test_wrong_scripts_are_refused(entry: dict[str, Any], words: str, tmp_path: Path) -> None:
    path = tmp_path / "script.yaml"
    path.write_text(yaml.safe_dump({"replies": [entry]}))
    with pytest.raises(ValueError, match=words):
        load_script(path)


def test_faults_are_counted_per_entry() -> None:
    entry = Script.of({"reply": "x", "fault": 500, "times": 2}).entries[0]
    assert [bool(entry.next_fault()) for _ in range(4)] == [True, True, False, False]


def _post(url: str, body: dict[str, Any]) -> Any:
    headers = {"Content-Type": "application/json", "Authorization": "Bearer sk-1"}
    asked = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(asked) as response:
        return json.load(response)
