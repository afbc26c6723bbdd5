"""Stages that run side by side and wait for each other."""

import threading


def check(stages):
    """Refuse unknown stages and circles."""
    waiting = {name: set(needs) for name, (needs, _) in stages.items()}
    for name, needs in waiting.items():
        if unknown := needs - set(stages):
            raise ValueError(f"{name} needs {sorted(unknown)[0]}, which there is not")
    while waiting:
        ready = {name for name, needs in waiting.items() if not needs}
        if not ready:
            raise ValueError(f"these wait for each other: {', '.join(sorted(waiting))}")
        waiting = {name: needs - ready for name, needs in waiting.items() if name not in ready}


class Run:
    """One run of all stages."""

    def __init__(self, stages):
        self.stages = stages
        self.ended = {name: threading.Event() for name in stages}
        self.results = {}

    def work(self, name):
        """Run one stage once those before it have ended."""
        needs, number = self.stages[name]
        for needed in needs:
            self.ended[needed].wait()
        try:
            self.results[name] = self.result([self.results[needed] for needed in needs], number)
        finally:
            self.ended[name].set()

    def result(self, before, number):
        if any(state == "failed" for state, _ in before):
            return ("skipped", None)
        try:
            return ("done", 120 // number + sum(value or 0 for _, value in before))
        except ZeroDivisionError:
            return ("failed", None)


def run_stages(stages):
    """Return name -> (state, value)."""
    check(stages)
    run = Run(stages)
    threads = [threading.Thread(target=run.work, args=(name,)) for name in stages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {name: run.results[name] for name in stages}
