"""The ground of a check: the code at a commit, laid out where the check may write."""
