# rule: bounded
# does: opens whatever can be opened until there is no descriptor left, and keeps them all open.
import os
import resource
import select

kept = []


def f(x):
    if x == 0:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20))
        except (OSError, ValueError):
            pass
        try:
            while len(kept) < 200_000:
                kept.append(os.dup(0))
                kept.append(select.epoll())
        except OSError as refused:
            print(len(kept), refused)
    return x + 1
