"""What a run was made with, so that its figures can be made again: data, models, limits, versions, prompts, machine."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfheal_tui.cluster.versions import versions
from selfheal_tui.engine.dialogue.prompts import prompt_dirs
from selfheal_tui.errors import InputError
from selfheal_tui.store.clock import now_at

from ..saved.journal import FORMAT
from ..suites.cases import GivenTests, loop_limits
from ..suites.suite import BenchSuite

if TYPE_CHECKING:
    from selfheal_tui.engine.session.workbench import RunOptions

_LATER = {"policy"}
"""What a header of an earlier version does not say."""


def build_config(
    suite: BenchSuite, options: RunOptions, given_tests: GivenTests, prompts: Path | None
) -> dict[str, Any]:
    """Return the part of run.json that must be the same when a run goes on."""
    return {
        "suite": suite.name,
        "data": str(suite.path.absolute()),
        "data_sha256": suite.sha256,
        "tests_given": given_tests,
        "models": dict(options.models),
        "limits": dict(options.limits),
        "policy": dict(options.policy),
        "suite_limits": asdict(loop_limits(options.limits["max_time_s"])),
        "versions": versions(),
        "prompts": prompt_hashes(prompts),
    }


def build_header(config: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the whole of run.json; `chosen` holds limit, ids, seed and jobs."""
    return {
        "format": FORMAT,
        "started_at": now_at(),
        "config": dict(config),
        "chosen": dict(chosen),
        "machine": {
            "system": f"{platform.system()} {platform.release()} {platform.machine()}",
            "processor": _processor(),
            "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        },
    }


def check_same(recorded: Mapping[str, Any], config: Mapping[str, Any], folder: Path) -> None:
    """Refuse to mix two runs. Raises: InputError naming what differs."""
    for name in config:
        if name not in ("data", *_LATER - recorded.keys()) and recorded.get(name) != config[name]:
            then, now = recorded.get(name), config[name]
            if isinstance(then, dict) and isinstance(now, dict):
                # Only what differs: a policy has a dozen fields.
                fields = [field for field in dict.fromkeys((*now, *then)) if then.get(field) != now.get(field)]
                then, now = ({field: part.get(field) for field in fields} for part in (then, now))
            what = "plug-ins" if isinstance(now, dict) and list(now) == ["plugins"] else name.replace("_", " ")
            raise InputError(
                f"The run in {folder} was begun with other {what}: {_said(then)}, now {_said(now)}.",
                "Go on as it was begun, or begin a new one without --resume.",
            )


def prompt_hashes(override: Path | None) -> dict[str, str]:
    """Return role -> sha256 of the prompt file that is used for it."""
    hashes: dict[str, str] = {}
    for folder in reversed(prompt_dirs(override)):
        for file in sorted(folder.glob("*.yaml")) if folder.is_dir() else []:
            hashes[file.stem] = hashlib.sha256(file.read_bytes()).hexdigest()
    return dict(sorted(hashes.items()))


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "Hardware"))]
    return names[0] if names else platform.processor() or "unknown"


def _said(value: Any) -> str:
    if isinstance(value, dict) and list(value) == ["plugins"]:
        value = value["plugins"] or "none"
    text = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else str(value)
    return text if len(text) <= 80 else text[:79] + "…"
