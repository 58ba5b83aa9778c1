"""Read the session transcripts of clients, within bounds, into one list of turns."""
