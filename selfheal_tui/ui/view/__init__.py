"""What is shown, as values: the run's model and its reducer, rows, words, what a form holds. No widget."""
