"""Find claims: the parts of a sentence that can be checked against the code."""
