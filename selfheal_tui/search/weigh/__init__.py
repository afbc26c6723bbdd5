"""Ordering what passes every case: how likely each repair is right, and what to ask where they disagree."""
