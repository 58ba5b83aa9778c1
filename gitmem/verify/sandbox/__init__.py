"""The sandbox of a check: which kinds work on this machine, how it is started, and its limits."""
