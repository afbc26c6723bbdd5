"""The judge's process: it runs the tests, and asks the candidate wherever they use the program.

    split.py        one program, and what its proxies use      inward.py       how the program's values are read
    conversation.py one request at a time                      portraits.py    local classes, from what C says of them
    importer.py     `import prog` gives a proxy module         raised.py       exceptions of the program, built here
    remote.py       what instances of local classes do         exports.py      functions, iterators, tokens lent to C
    handles.py      numbers of the program's objects           objects.py      which of them are held here
    signatures.py   what `inspect` reads                       askers.py       the test itself, or a library
    word.py         what an object answers that rests on the program's word
    by_value.py     the same of an instance of a subclass of data
    equality.py     `==` that the program decides, tested
    notes.py        limits, doubts, lies, faults               echo.py         what was printed there, printed here

The judge never looks up a name that C, the candidate, sent on an object of its own, never evaluates text, and treats
whatever does not fit the protocol as a fault of the program. Nothing reaches C but what the test itself passes to the
program.
"""
