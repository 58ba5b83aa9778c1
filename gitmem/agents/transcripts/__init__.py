"""Transcripts: what harnesses write down of a session, read with bounds and made one list of turns."""
