"""Work on the workers of a Ray cluster: the connection, a worker's own folder, the lanes of a race there."""
