"""Looking at what is saved, and taking acts back; drives nothing."""
