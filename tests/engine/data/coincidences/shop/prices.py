"""What things cost, in cents."""

PRICES = {"pen": 120, "book": 1500, "bag": 4250, "cup": 850}
SHIPPING = 490
FREE_FROM = 5000


def price_of(name):
    """Return the price of one piece."""
    return PRICES[name]
