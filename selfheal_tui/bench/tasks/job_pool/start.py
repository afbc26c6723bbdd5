"""Jobs that run side by side in one event loop."""

import asyncio


class JobFailed(Exception):
    """An attempt failed."""


class Pool:
    """Runs jobs and counts them."""

    def __init__(self, limit, attempts):
        self.gate = asyncio.Semaphore(limit)
        self.attempts = attempts
        self.running = 0
        self.peak = 0
        self.finished = []

    async def attempt(self, steps, fails):
        for _ in range(steps):
            await asyncio.sleep(0)
        if fails:
            raise JobFailed

    async def work(self, job):
        """Run one job to its end; return its result."""
        name, steps, failures = job
        async with self.gate:
            self.running += 1
            self.peak = max(self.peak, self.running)
            for number in range(1, self.attempts):
                try:
                    await self.attempt(steps, number <= failures)
                except JobFailed:
                    continue
                self.finished.append(name)
                self.running -= 1
                return (name, "done", number)
            await self.attempt(steps, self.attempts <= failures)
            self.finished.append(name)
            self.running -= 1
            return (name, "done", self.attempts)


async def run_all(jobs, limit, attempts):
    pool = Pool(limit, attempts)
    results = await asyncio.gather(*(pool.work(job) for job in jobs))
    return results, pool.peak, pool.finished


def run_jobs(jobs, limit, attempts=1):
    """Run jobs; return results, peak and who was finished when."""
    if limit < 1 or attempts < 1:
        raise ValueError("limit and attempts are at least 1")
    return asyncio.run(run_all(jobs, limit, attempts))
