"""Run checks and judge their results."""
