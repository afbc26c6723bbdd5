"""What plug-ins are written with: one module for each kind, and `testing` for their tests. docs/plugins.md tells how.

These names are kept: selfheal may move what is behind them, and a package that imports only from here goes on working.
"""
