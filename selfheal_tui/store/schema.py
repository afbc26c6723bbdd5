"""The tables of a session's file beside LangGraph's, and the version of all that is written there.

A change of what a row means, or of a table that is there, needs a higher version and a step in migrations.py.
"""

from __future__ import annotations

SCHEMA_VERSION = 4
INDEXES = (
    "create index if not exists decision_open on decision(id) where done=0",
    "create index if not exists decision_asked on decision(asked_at, branch)",
    "create index if not exists sent_asked on sent(asked_at, branch)",
    "create index if not exists tried_key on tried(key)",
)
"""What a step would otherwise look for in all rows: its cost would grow with the history."""
DERIVED = ("tried",)
"""Tables that are made again from the bodies: they are not handed on with a session."""
TABLES = (
    "create table if not exists meta(key text primary key, value text not null) without rowid",
    "create table if not exists blob(ref text primary key, body blob not null) without rowid",
    """
    create table if not exists call(key text primary key, role text, model text, prompt blob not null,
        reply blob not null, usage text not null, degraded text not null, at text not null,
        written_by text not null) without rowid
    """,
    """
    create table if not exists call_use(asked_at text not null, branch text not null, number integer not null,
        key text not null, replayed integer not null, usage text not null, time_s real not null, at text not null,
        unread text not null, primary key(asked_at, branch, number)) without rowid
    """,
    """
    create table if not exists sent(id integer primary key autoincrement, at text not null, asked_at text not null,
        branch text not null, number integer not null, role text not null, model text not null,
        address text not null, size_bytes integer not null, files text not null, outcome text not null)
    """,
    "create table if not exists draft(key text primary key, reply text not null) without rowid",
    "create table if not exists bill(id integer primary key autoincrement, usage text not null)",
    """
    create table if not exists decision(id integer primary key, asked_at text not null,
        branch text not null, kind text not null, value text not null, made_at text not null, done integer not null)
    """,
    """
    create table if not exists act(id integer primary key autoincrement, kind text not null, what text not null,
        at text not null)
    """,
    """
    create table if not exists program(key text primary key, report_ref text not null, branch text not null,
        iteration integer not null) without rowid
    """,
    """
    create table if not exists tried(record_ref text not null, key text not null, prev text not null,
        iteration integer not null, primary key(record_ref, key)) without rowid
    """,
    """
    create table if not exists note(note_id text primary key, text text not null, at text not null,
        read_at text not null, read_by text not null, done integer not null, taken_back integer not null)
    """,
    """
    create table if not exists usage(branch text not null, node text not null, role text not null,
        model text not null, runs integer not null, time_s real not null, calls integer not null,
        replayed_calls integer not null, input_tokens integer not null, output_tokens integer not null,
        cost_usd real not null, unpriced_calls integer not null, retries integer not null, degraded integer not null,
        primary key(branch, node, role, model)) without rowid
    """,
)
