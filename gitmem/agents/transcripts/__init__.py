"""Read the session transcripts of harnesses, within bounds, into one list of turns."""
