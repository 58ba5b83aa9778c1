"""Notices: findings about facts as one form of Markdown for comments, issues, job summaries and pages."""
