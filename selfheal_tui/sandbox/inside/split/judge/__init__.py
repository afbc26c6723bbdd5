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

A pass is verified when nothing decided it but data of Python's exact types, which the judge rebuilt, and what it
computed of it. To ask the program by name is what testing is: calling functions and methods, reading attributes, taking
items, lengths, texts and numbers; what comes back is data, or is asked in its turn. The pass rests on the program's
word, a *doubt*,

  - where a class of the program answers in Python's own words for data: operators, comparisons, truth, `in`,
    `isinstance`, methods named like those of data types. It may have been given the value that is expected, or gives
    the answer that is usual. An instance of a subclass of data is its data: the judge computes with that, and a class
    that defines the operation anew is asked too; what differs, or could have told it something, is a doubt;
  - where what it says of one thing in several ways does not agree (its length, its items);
  - where the program decides what the test does: it made the test, replaced its names, swallowed its failure, ended
    its loop, may not have called its check.

A doubt anywhere leaves the whole suite not verified, so nothing that was learnt by one counts. A *lie* fails the case:
`==` with several different values, an answer to a comparison that is true and no yes. Everything else may be honest.
"""
