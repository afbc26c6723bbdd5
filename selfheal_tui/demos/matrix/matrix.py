"""Tables of numbers as lists of rows."""

from __future__ import annotations

Matrix = list[list[int]]


def shape(table: Matrix) -> tuple[int, int]:
    """Return the number of rows and of columns."""
    return len(table), len(table[0]) if table else 0


def transpose(table: Matrix) -> Matrix:
    """Swap rows and columns."""
    rows, columns = shape(table)
    return [[table[row][column] for row in range(rows)] for column in range(columns)]


def turn_right(table: Matrix) -> Matrix:
    """Turn the table clockwise by a quarter."""
    return [row[::-1] for row in transpose(table)]


def multiply(left: Matrix, right: Matrix) -> Matrix:
    """Return the matrix product. Raises ValueError when the shapes do not fit."""
    rows, inner = shape(left)
    height, columns = shape(right)
    if inner != height:
        raise ValueError(f"cannot multiply {rows}x{inner} by {height}x{columns}")
    product = [[0] * columns for _ in range(rows)]
    for row in range(rows):
        for column in range(columns):
            for k in range(columns):
                product[row][column] += left[row][k] * right[k][column]
    return product
