"""What a hub's server answers: hits and memories as JSON, tools for agents, and pages for people."""
