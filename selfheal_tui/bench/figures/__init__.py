"""Figures over finished tasks, and the report that tells them; reads no run's folder."""
