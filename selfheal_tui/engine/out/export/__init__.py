"""A branch as a document: its story, told as JSON, Markdown, HTML or a patch."""
