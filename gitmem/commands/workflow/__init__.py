"""Memories in workflows: steps before and after the work, decisions, learnings passed on by a lead."""
