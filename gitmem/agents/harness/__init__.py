"""One module per client: how its payloads become an event, and how it wants an answer."""
