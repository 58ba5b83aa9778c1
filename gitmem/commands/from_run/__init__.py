"""The memories of a finished run, from the file that it writes."""
