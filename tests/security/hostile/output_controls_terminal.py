# rule: clean-output, not-passed
# does: sends escape sequences (title, clipboard, cursor, C1) through prints, messages, class and function names.
import sys

EVIL = "\x1b]0;owned\x07\x1b]52;c;bWluZQ==\x1b\\\x1b[2J\x1b[31m\x9b1A\x90q\x9c\rover\b\b\x7f[@click=app.quit]here[/]"


class Odd:
    def __repr__(self):
        return EVIL


def f(x):
    print(EVIL)
    print(EVIL, file=sys.stderr)
    if x == 1:
        raise type(EVIL, (Exception,), {})(EVIL)
    if x == 2:
        inner = f.__code__.replace(co_name=EVIL, co_filename=f.__code__.co_filename + EVIL)
        return exec(inner) or 3
    return type(EVIL.replace("\0", ""), (Odd,), {})()
