"""A hub and the forges of its repositories: what an organisation has, who may read it, and webhooks."""
