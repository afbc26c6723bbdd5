"""The split judge: tests in one process, the program in another, and only data on the wire between them.

`judge/` runs the tests, `candidate/` holds the program, `wire/` is what both know. Neither side imports the other.
"""
