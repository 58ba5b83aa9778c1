"""What statements claim: the parts of a sentence that can be checked against the code."""
