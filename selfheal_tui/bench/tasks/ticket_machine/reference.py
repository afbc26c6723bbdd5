"""A machine that sells tickets and gives change."""

VALUES = (200, 100, 50, 20, 10)


class TicketMachine:
    """Waits for a choice, then for coins."""

    def __init__(self, prices, coins):
        self._prices = dict(prices)
        self._coins = {value: coins.get(value, 0) for value in VALUES}
        self._choice = None
        self._inserted = []
        self._takings = 0

    def takings(self):
        return self._takings

    def choose(self, ticket):
        if ticket not in self._prices:
            raise ValueError(f"there is no ticket {ticket!r}")
        if self._inserted and ticket != self._choice:
            raise ValueError("there is money in the machine")
        self._choice = ticket

    def insert(self, coin):
        if coin not in VALUES:
            raise ValueError(f"{coin} is no coin")
        if self._choice is None:
            raise ValueError("no ticket is chosen")
        self._inserted.append(coin)
        missing = self._prices[self._choice] - sum(self._inserted)
        if missing > 0:
            return missing
        held = dict(self._coins)
        for inserted in self._inserted:
            held[inserted] += 1
        change = self._change(held, -missing)
        if change is None:
            return None, self.cancel()
        ticket = self._choice
        self._coins = held
        self._takings += self._prices[ticket]
        self.cancel()
        return ticket, change

    def cancel(self):
        coins, self._inserted = self._inserted, []
        self._choice = None
        return coins

    def _change(self, held, cents):
        """Take coins out of those held; None where they do not come to the sum."""
        change = []
        for value in VALUES:
            while value <= cents and held[value]:
                held[value] -= 1
                change.append(value)
                cents -= value
        return None if cents else change
