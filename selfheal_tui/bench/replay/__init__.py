"""Recorded repair loops: their programs judged anew, and what was found."""
