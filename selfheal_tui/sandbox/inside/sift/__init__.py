"""Many candidate programs in one confined child: judged one after the other, examined, or asked for answers.

What comes out only selects. A candidate can spoil its process for those after it, so nothing here is a verdict: what
looks well is judged again in a process of its own. Imports nothing of ours but its neighbours.
"""
