"""What workflows say to a forge over its REST API: one comment, one issue, one pull request, kept up to date."""
