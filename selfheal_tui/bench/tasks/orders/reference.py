"""The life of an order in a shop."""

ALLOWED = {
    "pay": {"new"},
    "ship": {"paid"},
    "deliver": {"shipped"},
    "cancel": {"new", "paid"},
    "give_back": {"delivered"},
}


class Order:
    """An order and what happened to it."""

    def __init__(self, price):
        self.price = price
        self.paid_cents = 0
        self.state = "new"
        self.history = []

    def _check(self, event):
        if self.state not in ALLOWED[event]:
            raise ValueError(f"{event} is not allowed: the order is {self.state}")

    def _move(self, event, state):
        self.state = state
        self.history.append((event, state))

    def _pay_back(self):
        cents, self.paid_cents = self.paid_cents, 0
        return cents

    def pay(self, cents):
        self._check("pay")
        if cents < 1:
            raise ValueError("a payment has at least one cent")
        self.paid_cents += cents
        self._move("pay", "paid" if self.paid_cents >= self.price else "new")

    def ship(self):
        self._check("ship")
        self._move("ship", "shipped")

    def deliver(self):
        self._check("deliver")
        self._move("deliver", "delivered")

    def cancel(self):
        self._check("cancel")
        self._move("cancel", "cancelled")
        return self._pay_back()

    def give_back(self):
        self._check("give_back")
        self._move("give_back", "returned")
        return self._pay_back()
