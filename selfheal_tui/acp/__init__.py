"""The loop for editors that speak the Agent Client Protocol."""
