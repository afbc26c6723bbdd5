"""A shopping cart."""

from prices import FREE_FROM, SHIPPING, price_of


def subtotal(items):
    """Return what the items (name -> how many) cost without shipping; from ten of a kind on, one of them is free."""
    amount = 0
    for name, number in items.items():
        if number > 10:
            number -= 1
        amount += number * price_of(name)
    return amount


def shipping(amount):
    """Return the cost of shipping; nothing from `FREE_FROM` on."""
    if amount > FREE_FROM:
        return 0
    return SHIPPING
