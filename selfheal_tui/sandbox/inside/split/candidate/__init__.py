"""The candidate's process: it holds the program and does what the judge asks.

serve.py        answers until the wire ends                outward.py      how the program's values are written
operations.py   what can be asked                          stand_ins.py    what the test lends, as seen in here
echo.py         what the program prints, its warnings
"""
