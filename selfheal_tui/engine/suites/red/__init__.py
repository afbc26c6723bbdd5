"""Where a red run is read from: each source names failing cases, and none is trusted to be right."""
