"""The ground of a check: a folder with the code at a commit, which the check may change."""
