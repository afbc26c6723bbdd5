"""What one moment of a session is made of: values only, and nothing of the engine is imported."""
