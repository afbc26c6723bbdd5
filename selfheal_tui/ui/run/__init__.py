"""The screen of a run: what is asked, what is shown, and what the keys do there."""
