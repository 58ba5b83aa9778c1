"""``gitmem sync``: exchange memories with the remote."""
