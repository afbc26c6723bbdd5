"""Drawing candidates and judging them: one edit, then two."""
