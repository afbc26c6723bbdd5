"""Which plug-ins count in this process: those that the settings name. Also what went wrong with them, to be told once.

A bare name that two packages offer enables neither: a package that is installed later must not slip in under a name
that was meant for another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from selfheal_tui.text import one_line

from .found import GROUPS, Plugin, installed, plain_package

BUNDLED: Mapping[tuple[str, str], str] = {
    ("provider", "transformers"): "pip install ./docs/plugins/selfheal-transformers in a clone of selfheal",
}
"""(kind, name) of a plug-in that comes with the repository -> how it is installed."""
_RECORDED = tuple(kind for kind in GROUPS if kind != "exporter")
"""What can change results; an exporter only writes them."""


_DROP = "Take one of them out of `plugins`."


@dataclass(slots=True)
class _Process:
    """What holds in this process."""

    plugins: tuple[Plugin, ...] = ()
    problems: dict[str, bool] = field(default_factory=dict)
    """Sentence -> whether it was told."""


_here = _Process()


def enable(names: Iterable[str]) -> None:
    """Let the plug-ins of these names count from now on, and no others; nothing is imported.

    A name is that of an entry point, or `PACKAGE:NAME`. What is wrong with one is told by `take_problems`.
    """
    wanted = tuple(dict.fromkeys(names))
    # Without names nothing is looked for: most users have no plug-ins.
    all_installed = installed() if wanted else ()
    chosen: dict[tuple[str, str], Plugin] = {}
    for name in wanted:
        for plugin in _meant(name, all_installed):
            first = chosen.setdefault((plugin.kind, plugin.name), plugin)
            if first != plugin:
                note_problem(f"{_capital(plugin.words)} is left out: {first.origin} has one of that name.", _DROP)
    _here.plugins = tuple(chosen.values())


@contextmanager
def enabling(names: Iterable[str]) -> Iterator[None]:
    """Let these count for a while, and afterwards what counted before: for tests."""
    before, _here.plugins = _here.plugins, ()
    try:
        enable(names)
        yield
    finally:
        _here.plugins = before


def enabled(kind: str, taken: Collection[str] = ()) -> dict[str, Plugin]:
    """Return name -> plug-in of a kind, those that are enabled; `taken` are names that selfheal has itself."""
    plugins: dict[str, Plugin] = {}
    for plugin in _here.plugins:
        if plugin.kind == kind and plugin.name in taken:
            note_problem(
                f"{_capital(plugin.words)} is left out: selfheal has {_a(kind)} of that name.",
                f"Ask the makers of {plugin.package} for another name, or take it out of `plugins`.",
            )
        elif plugin.kind == kind:
            plugins[plugin.name] = plugin
    return plugins


def enabled_record() -> dict[str, str]:
    """Return `kind:name` -> package, version and digest of what is enabled and can change results."""
    return {
        f"{one.kind}:{one.name}": f"{one.package} {one.version}" + (f" {one.digest}" if one.digest else "")
        for one in sorted(_here.plugins, key=lambda one: (one.kind, one.name))
        if one.kind in _RECORDED
    }


def other_plugins_words(began: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Say what is not as it was when a session began, both as `enabled_record` has it; empty where all is."""
    gone = [name for name in began if name not in now]
    other = [
        f"{name} is {now[name]} now ({began[name]} then)" for name in began if now.get(name, began[name]) != began[name]
    ]
    more = [name for name in now if name not in began]
    said = [
        *([f"{', '.join(gone)} was enabled then (--plugins {','.join(_bare(name) for name in gone)})"] if gone else []),
        *other,
        *([f"{', '.join(more)} was not enabled then"] if more else []),
    ]
    return one_line(f"this session began with other plug-ins: {'; '.join(said)}", 400) if said else ""


def _bare(name: str) -> str:
    return name.partition(":")[2]


def disabled_words(kind: str, name: str) -> tuple[str, str] | None:
    """Return what to say of a name that would be there were its plug-in installed or enabled: sentence and remedy."""
    there = [one for one in installed() if (one.kind, one.name) == (kind, name) and one not in _here.plugins]
    if there:
        sure = name if len({one.package for one in there}) == 1 else f"{there[0].package}:{name}"
        return f"{_capital(there[0].words)} is not enabled.", how_to_enable(sure)
    if how := BUNDLED.get((kind, name)):
        return (
            f"The {kind} {name!r} is a plug-in, and it is not installed here.",
            f"Install it ({how}), then enable it: --plugins {name}.",
        )
    return None


def how_to_enable(name: str) -> str:
    """Return the sentence that says how a plug-in is enabled."""
    return f"If you trust that package, enable it: --plugins {one_line(name, 60)}, or `plugins` in your settings."


def note_problem(sentence: str, remedy: str) -> None:
    """Keep what is wrong with a plug-in until somebody tells it; the same is told once."""
    _here.problems.setdefault(one_line(f"{sentence} {remedy}", 500), False)


def take_problems() -> list[str]:
    """Return what is wrong with plug-ins and was not told yet, a sentence and a remedy each."""
    new = [text for text, was_told in _here.problems.items() if not was_told]
    _here.problems.update(dict.fromkeys(new, True))
    return new


def _meant(name: str, all_installed: Iterable[Plugin]) -> list[Plugin]:
    package, colon, bare = name.rpartition(":")
    meant = [one for one in all_installed if one.name == bare and (not colon or one.package == plain_package(package))]
    packages = list(dict.fromkeys(one.package for one in meant))
    if len(packages) > 1:
        note_problem(
            f"The plug-in {one_line(name, 60)!r} is left out: {' and '.join(packages)} each have one of that name.",
            f"Say which one you mean: {packages[0]}:{bare}.",
        )
        return []
    if not meant:
        bundled = next((how for (_, known), how in BUNDLED.items() if known == bare), "")
        note_problem(
            f"The plug-in {one_line(name, 60)!r} is enabled, and no installed package has it.",
            f"Install it{f' ({bundled})' if bundled else ''}, or take it out of `plugins`; selfheal doctor lists all.",
        )
    return meant


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeo' else 'a'} {kind}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
