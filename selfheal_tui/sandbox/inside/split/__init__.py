"""The split judge: tests in one process, the program in another, and only data on the wire between them.

    J, the judge                                             C, the candidate
    proxies.Split    one call at a time, its notes           candidate.serve   answers until the wire ends
    importer.py      `import prog` gives a proxy module       outward.py        how the program's values are written
    remote.py        local classes for the program's own      stand_ins.py      what the test lends, as seen in there
    raised.py        exceptions of the program, built here
    exports.py       functions, iterators, tokens lent to C
    equality.py      `==` that the program decides, tested
    notes.py         limits, doubts, lies, faults
                 both: wire.py  codec.py  shared.py  containers.py  names.py  specials.py  echo.py

J never looks up a name that C sent on an object of its own, never evaluates text, and treats whatever does not fit the
protocol as a fault of the program. Nothing of J reaches C but what the test itself passes to the program.
"""
