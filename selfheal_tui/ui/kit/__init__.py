"""Widgets and services that know no screen: views of code and lists, keys, the terminal, themes."""
