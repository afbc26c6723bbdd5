# rule: not-passed, clean-output
# does: returns values whose text raises what ends programs, or is no text at all.
import pytest

ANGER = (
    SystemExit(0),
    KeyboardInterrupt(),
    GeneratorExit(),
    MemoryError(),
    RecursionError(),
    pytest.skip.Exception("no"),
)


class Touchy:
    def __init__(self, mood):
        self.mood = mood

    def __repr__(self):
        if self.mood < len(ANGER):
            raise ANGER[self.mood]
        return self.mood

    def __str__(self):
        raise ANGER[0]

    __hash__ = None

    def __eq__(self, other):
        return False


def f(x):
    return Touchy(x)
