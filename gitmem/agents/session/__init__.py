"""Sessions of coding agents: topics with their worklogs, and what a session is told at its start and with a prompt."""
