"""Our Dockerfile, read into steps: the instructions that it uses, and a refusal of any other."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
_KNOWN = {"RUN", "COPY", "ENV", "USER", "WORKDIR", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT"}
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")


class Step(NamedTuple):
    """One instruction."""

    kind: str
    text: str

    @property
    def words(self) -> list[str]:
        """Its words: of a JSON list, of ENV's assignments or as a shell has them."""
        return list(json.loads(self.text)) if self.text.startswith("[") else shlex.split(self.text)


@dataclass
class Stage:
    """What one FROM begins."""

    base: str
    name: str
    steps: list[Step] = field(default_factory=list)

    def last(self, kind: str) -> Step:
        """Return the last instruction of a kind, which is the one that counts."""
        return next(step for step in reversed(self.steps) if step.kind == kind)

    def health_command(self) -> str:
        """Return what HEALTHCHECK gives to the shell."""
        return self.last("HEALTHCHECK").text.partition("CMD ")[2]

    def environment(self) -> dict[str, str]:
        """Return the variables, with PATH as the official Python images have it."""
        variables = {"PATH": "/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"}
        for step in self.steps:
            if step.kind == "ENV":
                pairs = (word.split("=", 1) for word in step.words)
                variables |= {name: _filled(value, variables) for name, value in pairs}
        return variables


def _filled(value: str, variables: dict[str, str]) -> str:
    return _VARIABLE.sub(lambda found: variables.get(found[1], ""), value)


def read_stages(path: Path = ROOT / "Dockerfile") -> list[Stage]:
    """Return the stages in order."""
    stages: list[Stage] = []
    text = "\n".join(line for line in path.read_text("utf-8").splitlines() if not line.startswith("#"))
    for line in filter(str.strip, text.replace("\\\n", " ").splitlines()):
        kind, _, rest = line.partition(" ")
        if kind == "FROM":
            base, _, name = rest.partition(" AS ")
            stages.append(Stage(base, name))
            continue
        if kind not in _KNOWN:
            raise ValueError(f"{kind} is not an instruction that the tests know how to run")
        stages[-1].steps.append(Step(kind, rest.strip()))
    return stages


def in_context(path: str, rules: list[str] | None = None) -> bool:
    """Tell whether .dockerignore leaves a path (from the repository) in the build: the last rule that fits decides."""
    if rules is None:
        rules = [line for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line and line[0] != "#"]
    parts = path.split("/")
    outer = ["/".join(parts[: size + 1]) for size in range(len(parts))]
    kept = True
    for rule in rules:
        pattern = rule.removeprefix("!")
        anywhere = pattern.removeprefix("**/")
        tried = parts if anywhere != pattern else outer if "/" in pattern else parts[:1]
        if any(fnmatch(one, anywhere) for one in tried):
            kept = rule.startswith("!")
    return kept
