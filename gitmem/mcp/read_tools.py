"""The tools that read: search, get, digest, status of facts. None of them runs a command."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from gitmem.commands.recall import count_recall
from gitmem.mcp import answers, schemas
from gitmem.mcp.service import Service
from gitmem.memory import Memory
from gitmem.recall import Query
from gitmem.text import display

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
# Default size of `context`: the same as at a session's start, about 6,000 characters (issue 6).
BUDGET = 1500


def add_reading(server: MCPServer[Any], service: Service) -> None:
    """Add the tools that read."""

    @server.tool(title="Search the memory", annotations=READS)
    async def memory_search(
        ctx: Context[Any, Any],
        *,
        query: Annotated[schemas.Words, Field(description="The question")],
        limit: Annotated[int, Field(ge=1, le=25)] = 5,
        kinds: Annotated[schemas.Lines, Field(description="fact, gotcha, pattern")] = [],  # noqa: B006
        collection: schemas.Line = "",
        paths: Annotated[schemas.Lines, Field(description="About these")] = [],  # noqa: B006
        scope: schemas.Scope = "",
        source: Annotated[schemas.Line, Field(description="Or search github, jira")] = "",
        strict: Annotated[bool, Field(description="Only trusted memories")] = False,
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

        def work(memory: Memory) -> tuple[Any, str]:
            found = memory.recall(wanted)
            count_recall(memory.repository, found)
            return found, answers.hits(memory, found.hits)

        (found, text), notes = await service.read(ctx, work)
        hits = [schemas.Row(key=hit.reference, kind=hit.kind, status=hit.status, scope=hit.scope) for hit in found.hits]
        if not hits:
            meant = f"; did you mean {answers.line(display(found.suggestion), 200)!r}?" if found.suggestion else ""
            notes.append(f"nothing found{meant}")
        notes += [f"{number} withheld because they are {status}" for status, number in found.withheld]
        return _result(schemas.Hits(hits=hits, more=found.more, text=text, notes="\n".join(notes)))

    @server.tool(title="Get one memory", annotations=READS)
    async def memory_get(
        ctx: Context[Any, Any], *, key: schemas.Key, scope: schemas.Scope = ""
    ) -> Annotated[CallToolResult, schemas.Got]:
        """Read one memory in full, even if expired or deleted."""

        def work(memory: Memory) -> tuple[Any, str]:
            found = memory.show(key, scope=scope).document
            return found, answers.memory(found)

        (found, text), notes = await service.read(ctx, work)
        name = f"{found['store']}:{found['key']}" if "store" in found else found["key"]
        got = schemas.Got(
            key=name,
            kind=found["kind"],
            status=found["status"],
            scope=found["scope"],
            text=text,
            notes="\n".join(notes),
        )
        return _result(got)

    @server.tool(title="Get the digest", annotations=READS)
    async def context(
        ctx: Context[Any, Any],
        *,
        paths: Annotated[schemas.Lines, Field(description="Default: changed files")] = [],  # noqa: B006
        budget: Annotated[int, Field(ge=100, le=8000, description="Tokens")] = BUDGET,
    ) -> Annotated[CallToolResult, schemas.Context]:
        """Get what to know before you start: warnings, facts, recent work."""

        def work(memory: Memory) -> Any:
            return memory.context(paths=paths, budget_tokens=budget, related=True).document

        found, notes = await service.read(ctx, work)
        text = answers.digest(found)
        return _result(schemas.Context(text=text, tokens=found["tokens"], more=found["more"], notes="\n".join(notes)))

    @server.tool(title="Count facts by status", annotations=READS)
    async def facts_status(
        ctx: Context[Any, Any],
        *,
        status: Annotated[list[schemas.Status], Field(max_length=6, description="List facts with this status")] = [],  # noqa: B006
        limit: Annotated[int, Field(ge=1, le=100)] = 20,
    ) -> Annotated[CallToolResult, schemas.FactCounts]:
        """List facts that failed, are suspect, or wait for approval."""

        def work(memory: Memory) -> tuple[Any, str]:
            found = memory.status().document
            listed = memory.list(Query(statuses=tuple(status), limit=limit)).hits if status else ()
            return found, answers.hits(memory, listed, limit_tokens=0) if status else answers.describe_standing(found)

        (found, text), notes = await service.read(ctx, work)
        counts = {name: number for name, number in found["statuses"].items() if name}
        failed, suspect = answers.keys(found["failed"]), answers.keys(found["suspect"])
        waiting = found["waiting"][:limit]
        if len(found["waiting"]) > limit:
            notes.append(f"{len(found['waiting'])} waiting for approval; the first {limit} are listed")
        standing = schemas.FactCounts(
            statuses=counts,
            failed=failed[:limit],
            suspect=suspect[:limit],
            waiting=waiting,
            text=text,
            notes="\n".join(notes),
        )
        return _result(standing)


def _result(answer: Any) -> CallToolResult:
    """Return an answer as text and as structured content; a client shows the agent one of them."""
    more = [f"… {answer.more} more"] if getattr(answer, "more", 0) else []
    counts = [str(answer.model_dump(include={"statuses", "waiting"}))] if isinstance(answer, schemas.FactCounts) else []
    text = "\n".join(
        [*counts, *filter(None, [answer.text]), *more, *(f"note: {note}" for note in answer.notes.split("\n") if note)]
    )
    return CallToolResult(
        content=[TextContent(type="text", text=text or "nothing")], structured_content=answer.model_dump(mode="json")
    )
