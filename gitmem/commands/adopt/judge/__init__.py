"""Judge claims: against the code at HEAD, and against the code when their line was written."""
