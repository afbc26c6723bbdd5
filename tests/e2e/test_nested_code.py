"""Code nested too deeply, wherever it stands, is one sentence of every command and never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from selfheal_tui.cli import main

DEEP = {
    "signs": "-" * 200_000 + "1",
    "a few sums": "1+" * 400 + "1",
}
PROGRAM = "def f(x):\n    return x - 1\n"
TESTS = "from prog import f\n\n\ndef test_f():\n    assert f(1) == 2\n"


def project(folder: Path, where: str, deep: str) -> None:
    """Write a program and its tests, with deep code in the `program`, the `tests` or a `module` it imports."""
    code = f"\n\ndef deep():\n    return {deep}\n"
    (folder / "prog.py").write_text(("from mod import deep\n\n\n" if where == "module" else "") + PROGRAM)
    (folder / "test_prog.py").write_text(TESTS)
    if where == "module":
        (folder / "mod.py").write_text(code)
    else:
        with (folder / f"{'prog' if where == 'program' else 'test_prog'}.py").open("a") as file:
            file.write(code)


@pytest.mark.parametrize("where", ["program", "tests", "module"])
@pytest.mark.parametrize("name", ["signs", "a few sums"])
def test_every_command_says_it_in_a_sentence(
    name: str, where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    project(tmp_path, where, DEEP[name])
    runs = main(["run-tests", "prog.py", "--json"])
    told = capsys.readouterr()
    refused = where == "tests"
    assert runs == (2 if refused else 1) and "Traceback" not in told.err
    if refused:
        assert told.err.startswith("selfheal: test_prog.py does not parse") and len(told.err.splitlines()) == 1
    elif name != "a few sums":
        file = "prog.py" if where == "program" else "mod.py"
        assert json.loads(told.out)["error"].startswith(f"{file} does not parse")
    fixed = main(["fix", "prog.py", "--json", "--sessions", "runs", "--max-iterations", "1"])
    told = capsys.readouterr()
    assert "Traceback" not in told.err
    if where != "module":
        assert fixed == 2 and "does not parse" in told.err and len(told.err.splitlines()) == 1
    else:
        assert fixed in (1, 2, 3) and json.loads(told.out)["session_id"]
