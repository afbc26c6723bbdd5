"""Driving one session, and owning all: the two objects that the app and the command line talk to."""
