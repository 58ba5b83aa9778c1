"""Notices: what people read on a forge about facts, as one form of Markdown for comments, issues, summaries, pages."""
