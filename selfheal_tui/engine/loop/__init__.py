"""The graph: nodes, edges and what decides where it goes next."""
