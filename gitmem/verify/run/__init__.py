"""Run checks, and judge what they show."""
