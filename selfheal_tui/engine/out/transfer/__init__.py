"""A whole session as one file, to be opened elsewhere: gzip over JSON lines, read as strictly as a stranger's letter.

    {"format": "selfheal-session", "version": 1, "selfheal", "store", "graph", "session_id", "title"}
    {"table": "blob", "row": {"ref": sha256, "text": str}}
    {"table": "checkpoints" | "writes" | a table of store/schema.py, "row": {column: value}}
    ...
    {"end": number of rows, "redacted": [str]}

No file of SQLite and no msgpack leaves or comes in: rows are JSON, what LangGraph saved is JSON with two marks
(form.py), and the reader writes a file of its own from them. So a foreign file has nowhere to put a trigger, a view or
a pickle.
"""
