"""The report as one self-contained web page: what holds, what broke, and the memories that rest on it."""
