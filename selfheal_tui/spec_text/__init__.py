"""The examples that a specification or a docstring gives."""
