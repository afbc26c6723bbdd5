"""selfheal for other agents: tools and resources of the Model Context Protocol; `selfheal mcp` serves them on stdio.

An agent gets no right here that the user did not give: it names paths below the folder, and opens nothing of the
sandbox.
"""
