"""Asking models: prompts, roles, tools, and reading whatever comes back."""
