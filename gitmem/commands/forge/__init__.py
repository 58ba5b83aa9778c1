"""Forges' REST API for workflows: one comment, one issue, one pull request, kept up to date."""
