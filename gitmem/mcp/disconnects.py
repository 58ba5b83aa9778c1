"""Clients that close their connections: nothing to log."""

from __future__ import annotations

import logging

from starlette.requests import ClientDisconnect

# The loggers of request errors.
LOGGERS = ("mcp.server.streamable_http", "uvicorn.error")


def ignore_disconnects() -> None:
    """Log no client that closes its connection in the middle of a request."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(_is_worth_logging)


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """Return whether a log entry is more than a client closing its connection."""
    err = record.exc_info[1] if record.exc_info else None
    return not isinstance(err, (ClientDisconnect, ConnectionError))
