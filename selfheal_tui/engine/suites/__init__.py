"""What says that a program is right: examples of a text, cases written by models or people, and what they test."""
