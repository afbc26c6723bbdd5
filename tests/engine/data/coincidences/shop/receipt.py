"""The receipt of a cart."""

from cart import shipping, subtotal


def money(cents):
    """Write cents as an amount: `12.05`."""
    return f"{cents // 100}.{cents % 100:02d}"


def total(items):
    """Return what the items cost, with shipping."""
    amount = subtotal(items)
    return amount + shipping(amount)


def receipt(items):
    """Return the lines of a receipt, the total last."""
    lines = [f"{number} x {name}" for name, number in items.items()]
    return [*lines, f"total {money(total(items))}"]
