"""The questions that are timed."""

from __future__ import annotations

# Five words each, as a person or an agent would ask; a round asks the next one, all commands of a round the same one.
QUESTIONS = (
    "rotate webhook signature before expiry",
    "why does redis evict sessions",
    "invoice export rounding currency mismatch",
    "postgres migration lock during deploy",
    "checkout token cache retry timeout",
)
