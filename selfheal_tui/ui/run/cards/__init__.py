"""The cards: one for each kind of question, and what stands beside or instead of one."""
