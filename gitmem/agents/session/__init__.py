"""Sessions of coding agents: topics with their worklogs, and context for a session's start and its prompts."""
