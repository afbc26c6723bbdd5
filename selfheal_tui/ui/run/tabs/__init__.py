"""The tabs: one moment seen from each side, and the editors that open in them."""
