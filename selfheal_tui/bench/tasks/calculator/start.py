"""A calculator for formulas such as `2 * (3 - 1) ^ 2`."""

import re

TOKEN = re.compile(r"\s*(\d+\.\d+|\d+|[-+*/^()])")


def tokens(text):
    """Return the numbers and signs of a formula."""
    text = text.rstrip()
    found, place = [], 0
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            raise ValueError(f"unknown sign at {place}")
        found.append(match.group(1))
        place = match.end()
    return found


class Formula:
    """A formula that is read from left to right, one method for each strength."""

    def __init__(self, text):
        self.rest = tokens(text)[::-1]

    def next_is(self, signs):
        return bool(self.rest) and self.rest[-1] in signs

    def total(self):
        value = self.product()
        if self.next_is("+-"):
            sign = self.rest.pop()
            value = value + self.total() if sign == "+" else value - self.total()
        return value

    def product(self):
        value = self.signed()
        while self.next_is("*/"):
            sign = self.rest.pop()
            value = value * self.signed() if sign == "*" else value / self.signed()
        return value

    def signed(self):
        if self.next_is("-"):
            self.rest.pop()
            return -self.signed()
        return self.power()

    def power(self):
        base = self.single()
        if self.next_is("^"):
            self.rest.pop()
            return base ** self.signed()
        return base

    def single(self):
        token = self.rest.pop() if self.rest else ""
        if token == "(":
            value = self.total()
            if not self.rest or self.rest.pop() != ")":
                raise ValueError("a parenthesis is not closed")
            return value
        if not token[:1].isdigit():
            raise ValueError(f"a number is missing before {token!r}")
        return float(token) if "." in token else int(token)


def calculate(text):
    """Return what a formula comes to."""
    formula = Formula(text)
    value = formula.total()
    if formula.rest:
        raise ValueError(f"{formula.rest[-1]!r} is too much")
    return value
