"""Reading a program: where it may be wrong, what its expressions are, which calls its tests make."""
