"""What leaves a session: words for people, reports, patches, and whole sessions as files."""
