"""One module per client: parses its payloads into events, and formats answers for it."""
