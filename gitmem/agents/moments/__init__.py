"""The moments besides a start and a prompt when an agent is shown memories: a file, a failure, a sub-agent's task."""
