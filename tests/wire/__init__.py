"""A local server that speaks the wire protocols of Anthropic, Ollama and OpenAI, from a script, faults included.

    async with WireServer(load_script(path)) as server:      # or Script.of({"reply": "hello"})
        os.environ |= server.environment()                   # real SDK clients now talk to it
        ...
        assert server.requests[0].body["messages"]

From the command line: `python -m tests.wire --script FILE` prints its address and serves until it is ended.
The script's format is described in `script.py`. Python's standard library only (and pyyaml, to read a script file).
"""

from __future__ import annotations

from .script import Entry, Fault, Script, load_script
from .server import Recorded, WireServer

__all__ = ["Entry", "Fault", "Recorded", "Script", "WireServer", "load_script"]
