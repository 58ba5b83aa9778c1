"""The sandbox of a check: which one this machine has, how it is started, and its limits."""
