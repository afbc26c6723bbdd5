"""The kinds of question to the human: what each is made of, and how an answer is checked."""
