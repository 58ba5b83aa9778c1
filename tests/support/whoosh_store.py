"""A small store for questions in the query language, and how it is asked."""

from __future__ import annotations

import shutil
from pathlib import Path

from support.facts import make_fact, make_memory, put

from gitmem.memory import Memory
from gitmem.recall.query import Query

SHELF = {
    **make_memory("jwt-signing", "Auth tokens are signed with RS256", "The gateway only holds public keys.",
                  kind="decision", tags=["auth", "jwt"], paths=["src/auth/**"], created="2026-01-05T00:00:00Z"),
    **make_memory("retry-budget", "The gateway retries three times", "See `RETRIES` in src/gateway/retry.py.",
                  tags=["gateway"], paths=["src/gateway/retry.py"], created="2026-03-05T00:00:00Z"),
    **make_memory("user-lookup", "Call getUserById, never load_user", "It asks the gateway.", kind="pattern",
                  tags=["auth"], created="2026-05-05T00:00:00Z"),
    **make_memory("old-gateway", "The gateway was a proxy", superseded_by="retry-budget"),
    **make_fact("readme-there", {"exists": "README.md"}, title="There is a README"),
    **make_fact("retries-three", {"contains": "RETRIES = 3", "in": "src/gateway/retry.py"}, title="Retries are three"),
    **make_memory("rests-on-it", "Callers may time out", requires=["retries-three"]),
}  # fmt: skip


def make_store(template: Path, folder: Path) -> Path:
    made = Path(shutil.copytree(template, folder / "service"))
    put(made, SHELF)
    return made


def ask(memory: Memory, query: str, **asked):
    return memory.recall(Query(text=query, syntax=True, **asked))


def keys(found) -> list[str]:
    return [hit.key for hit in found.hits]
