"""Invoices from order lines; money is in whole cents."""

DISCOUNTS = ((50, 10), (10, 5))


def percent_off(pieces):
    """Return the discount in percent for so many pieces."""
    for least, percent in DISCOUNTS:
        if pieces >= least:
            return percent
    return 0


def add_line(invoice, line):
    """Add an order line to an invoice."""
    items = invoice["items"]
    items[line["item"]] = items.get(line["item"], 0) + line["count"]
    invoice["net"] = line["cents"]


def invoices(lines, found=None):
    """Return an invoice for each customer."""
    found = {} if found is None else found
    for line in lines:
        customer = line["customer"]
        if customer not in found:
            found[customer] = {"customer": customer, "items": {}, "net": 0}
        add_line(found[customer], line)
    for invoice in found.values():
        percent = percent_off(sum(invoice["items"].values()))
        invoice["discount"] = invoice["net"] * percent // 100
        invoice["total"] = invoice["net"] - invoice["discount"]
    return [found[customer] for customer in sorted(found)]
