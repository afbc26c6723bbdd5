"""Settings files: sections, names and values."""

import re

QUOTED = re.compile(r'"((?:[^"\\]|\\["\\])*)"\s*(?:#.*)?')


def read_settings(text):
    """Return section -> name -> value."""
    settings = {}
    section, last = "", None
    for number, line in enumerate(text.splitlines()):
        stripped = line.strip()
        if not stripped or stripped[0] in "#;":
            continue
        if line[0].isspace():
            if last is None:
                raise ValueError(f"line {number}: there is no value to go on with")
            more = without_comment(stripped)
            settings[section][last] = f"{settings[section][last]} {more}".strip()
        elif stripped.startswith("["):
            if not stripped.endswith("]") or not stripped[1:-1].strip():
                raise ValueError(f"line {number}: a section is written [name]")
            last = None
            settings.setdefault(section, {})
        else:
            name, equals, value = (part.strip() for part in stripped.partition("="))
            if not equals or not name:
                raise ValueError(f"line {number}: a setting is written name = value")
            is_quoted = value.startswith('"')
            value = unquoted(value, number) if is_quoted else without_comment(value)
            settings.setdefault(name, {})[section] = value
            last = None if is_quoted else name
    return settings


def without_comment(value):
    """Return a value without the comment at its end."""
    return (" " + value).partition("#")[2].strip()


def unquoted(value, number):
    """Return what a quoted value stands for."""
    match = QUOTED.fullmatch(value)
    if match is None:
        raise ValueError(f"line {number}: the quotes are not right")
    return re.sub(r"\\(.)", r"\1", match.group(1))
