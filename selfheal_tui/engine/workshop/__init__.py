"""What nodes use, and trying code in the sandbox: a repair is rehearsed, minimised, ranked or tried here."""
