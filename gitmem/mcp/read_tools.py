"""The tools that read: search, get, digest, status of facts. None of them runs a command."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field

from gitmem.commands.recall import count_recall
from gitmem.mcp import answers, schemas
from gitmem.mcp.service import Service
from gitmem.memory import Memory
from gitmem.recall.query import Query, RecallResult
from gitmem.statuses import describe_claims
from gitmem.text import display

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
# Default size of `context`: the same as at a session's start, about 6,000 characters.
BUDGET = 1500


def add_reading(server: MCPServer[Any], service: Service) -> None:
    """Add the tools that read."""
    for add in (_add_search, _add_get, _add_digest, _add_status):
        add(server, service)


def _add_search(server: MCPServer[Any], service: Service) -> None:
    @server.tool(title="Search the memory", annotations=READS)
    async def memory_search(
        ctx: Context[Any, Any],
        *,
        query: schemas.Words,
        limit: Annotated[int, Field(ge=1, le=25)] = 5,
        kinds: Annotated[schemas.Lines, Field(description="fact, gotcha, pattern")] = [],
        collection: schemas.Line = "",
        paths: schemas.Lines = [],
        scope: schemas.Scope = "",
        source: Annotated[schemas.Line, Field(description="Or search github, jira")] = "",
        strict: Annotated[bool, Field(description="Only trusted")] = False,
    ) -> Annotated[CallToolResult, schemas.Hits]:
        """Find memories: facts with proof status, gotchas, decisions, past work."""
        wanted = Query(
            text=query,
            limit=limit,
            kinds=tuple(kind.replace("-", "_") for kind in kinds),
            collections=(collection,) if collection else (),
            paths=tuple(paths),
            scopes=(scope,) if scope else (),
            sources=(source,) if source else (),
            strict=strict,
        )

        def work(memory: Memory) -> tuple[RecallResult, str]:
            result = memory.recall(wanted)
            count_recall(memory.repository, result)
            return result, answers.hits(memory, result.hits)

        (recalled, text), notes = await service.read(ctx, work)
        hits = [
            schemas.Row(key=hit.reference, short_id=hit.short_id, kind=hit.kind, status=hit.status, scope=hit.scope)
            for hit in recalled.hits
        ]
        if not hits:
            meant = (
                f"; did you mean {answers.line(display(recalled.suggestion), 200)!r}?" if recalled.suggestion else ""
            )
            notes.append(f"nothing found{meant}")
        notes += [f"{number} withheld because they are {status}" for status, number in recalled.withheld]
        return answers.result(schemas.Hits(hits=hits, more=recalled.more, text=text, notes="\n".join(notes)))


def _add_get(server: MCPServer[Any], service: Service) -> None:
    @server.tool(title="Get one memory", annotations=READS)
    async def memory_get(
        ctx: Context[Any, Any], *, key: schemas.Key, scope: schemas.Scope = ""
    ) -> Annotated[CallToolResult, schemas.Got]:
        """Read one memory in full, even if expired or deleted."""
        document, notes = await service.read(ctx, lambda memory: memory.show(key, scope=scope).document)
        about = {name: document[name] for name in ("short_id", "kind", "status", "scope")}
        name = f"{document['store']}:{document['key']}" if "store" in document else document["key"]
        return answers.result(schemas.Got(key=name, **about, text=answers.memory(document), notes="\n".join(notes)))


def _add_digest(server: MCPServer[Any], service: Service) -> None:
    @server.tool(title="Get the digest", annotations=READS)
    async def context(
        ctx: Context[Any, Any],
        *,
        paths: Annotated[schemas.Lines, Field(description="Default: changed files")] = [],
        budget: Annotated[int, Field(ge=100, le=8000, description="Tokens")] = BUDGET,
    ) -> Annotated[CallToolResult, schemas.Context]:
        """Get what to know before you start: warnings, facts, recent work."""

        def work(memory: Memory) -> tuple[Any, str]:
            document = memory.context(paths=paths, budget_tokens=budget, is_brief=True).document
            return document, answers.digest(memory, document)

        (digest, text), notes = await service.read(ctx, work)
        size = {name: digest[name] for name in ("tokens", "more")}
        return answers.result(schemas.Context(text=text, **size, notes="\n".join(notes)))


def _add_status(server: MCPServer[Any], service: Service) -> None:
    @server.tool(title="Count facts by status", annotations=READS)
    async def facts_status(
        ctx: Context[Any, Any],
        *,
        status: Annotated[list[schemas.Status], Field(max_length=6, description="List these")] = [],
        limit: Annotated[int, Field(ge=1, le=100)] = 20,
    ) -> Annotated[CallToolResult, schemas.FactCounts]:
        """List facts that failed, are suspect, or wait for approval."""

        def work(memory: Memory) -> tuple[Any, str]:
            document = memory.status().document
            if not status:
                return document, answers.describe_standing(memory, document)
            listed = memory.list(Query(statuses=tuple(status), limit=limit)).hits
            return document, answers.hits(memory, listed, limit_tokens=0)

        (standing, text), notes = await service.read(ctx, work)
        if len(standing["waiting"]) > limit:
            notes.append(f"{len(standing['waiting'])} waiting for approval; the first {limit} are listed")
        notes += filter(None, [describe_claims(standing["claims"])])
        counts = schemas.FactCounts(
            statuses={name: number for name, number in standing["statuses"].items() if name},
            failed=answers.keys(standing["failed"])[:limit],
            suspect=answers.keys(standing["suspect"])[:limit],
            waiting=standing["waiting"][:limit],
            text=text,
            notes="\n".join(notes),
        )
        return answers.result(counts, *answers.count_facts(counts.statuses, counts.waiting))
