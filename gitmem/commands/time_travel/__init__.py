"""Time travel: what was known, and what was true, for one commit of the code, by ancestry and not by clock."""
