"""Sessions of coding agents: topics with their worklogs, and the context for a session's start and its prompts."""
