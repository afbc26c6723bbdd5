"""What both processes know: frames, the form of values on them, and the names and types they share.

frames.py       lengths and JSON on a socket               containers.py   what mutable containers hold
codec.py        values as JSON                             bases.py        subclasses of data, by value
shared.py       containers that both sides keep alike      names.py        things of Python's, by name
specials.py     special methods that cross
"""
