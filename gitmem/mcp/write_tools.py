"""The tools that write: remember, delete, send a learning, propose a fact. None approves or runs a command."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ToolAnnotations
from pydantic import Field

from gitmem.commands.remember import WantedPlace, settle_place
from gitmem.document.builtin_checks import shapes
from gitmem.errors import RefusedError
from gitmem.index.catalog import short_ids
from gitmem.mcp import rights, schemas
from gitmem.mcp.service import Service
from gitmem.memory import Memory
from gitmem.repository.holder import holder_of
from gitmem.store.scopes import PROJECT
from gitmem.write.new_memory import NewMemory

ADDS = ToolAnnotations(destructive_hint=False, open_world_hint=False)
REMOVES = ToolAnnotations(destructive_hint=True, idempotent_hint=True, open_world_hint=False)


def add_writing(server: MCPServer[Any], service: Service) -> None:
    """Add the tools that write."""
    for add in (_add_remember, _add_delete, _add_inject, _add_propose):
        add(server, service)


def _add_remember(server: MCPServer[Any], service: Service) -> None:
    @server.tool(title="Remember", annotations=ADDS)
    async def memory_remember(
        ctx: Context[Any, Any],
        *,
        text: Annotated[schemas.Text, Field(description="The first line is the title")],
        kind: Annotated[schemas.Line, Field(description="gotcha, pattern, decision, convention")] = "",
        collection: schemas.Line = "",
        title: schemas.Line = "",
        key: schemas.Line = "",
        tags: schemas.Lines = [],
        paths: Annotated[schemas.Lines, Field(description="Globs of files")] = [],
        refs: Annotated[schemas.Lines, Field(description="path:line, URL")] = [],
        requires: Annotated[schemas.Lines, Field(description="Keys it rests on")] = [],
        supersedes: Annotated[schemas.Lines, Field(description="Keys it replaces")] = [],
        ttl: Annotated[schemas.Line, Field(description="12h, 30d, never")] = "",
        scope: schemas.Home = "",
    ) -> schemas.WriteResult:
        """Record what is worth knowing later: a trap, a decision and its reason. No secrets."""

        def work(memory: Memory) -> tuple[Any, str]:
            new = NewMemory(text, {"refs": refs}, title, kind.replace("-", "_"))
            new, home = settle_place(memory.repository, new, WantedPlace(collection, scope))
            if key:
                rights.refuse_replacing(memory, key, home)
            old = [rights.refuse_others(memory, supersede, home, "supersede it") for supersede in supersedes]
            lists: dict[str, Any] = {"tags": tags, "paths": paths, "refs": refs, "requires": requires}
            lists["supersedes"] = old
            change = memory.remember(text, title=title, kind=new.kind, key=key, ttl=ttl, scope=home, **lists)
            return _named(memory, change), home

        (change, home), notes = await service.write(ctx, work)
        return _write_result(change, home, notes)


def _add_delete(server: MCPServer[Any], service: Service) -> None:
    @server.tool(title="Delete a memory", annotations=REMOVES)
    async def memory_delete(
        ctx: Context[Any, Any],
        *,
        key: schemas.Key,
        why: schemas.Line = "",
        scope: schemas.Scope = "",
    ) -> schemas.WriteResult:
        """Retire your own memory or, as the lead, a shared one. A person can restore it."""

        def work(memory: Memory) -> tuple[Any, str]:
            own = rights.refuse_others(memory, key, scope, "delete it")
            where = memory.repository.scope_of(holder_of(memory.repository, own, scope)[0], own)
            return _named(memory, memory.forget(own, why=why, scope=scope)[0]), where

        (change, where), notes = await service.write(ctx, work)
        return _write_result(change, where, notes)


def _add_inject(server: MCPServer[Any], service: Service) -> None:
    @server.tool(title="Send a learning", annotations=ADDS)
    async def inject_learning(
        ctx: Context[Any, Any],
        *,
        text: schemas.Text,
        category: schemas.Category,
        worker: Annotated[schemas.Line, Field(description="Empty: everyone")] = "",
        push: Annotated[bool, Field(description="To another clone")] = False,
        tags: schemas.Lines = [],
        paths: schemas.Lines = [],
    ) -> schemas.WriteResult:
        """As the lead, send a learning to one worker or to everyone."""
        options: dict[str, Any] = {"category": category, "worker": worker, "tags": tags, "paths": paths}

        def work(memory: Memory) -> Any:
            if push and not worker:
                message = "push needs the name of a worker"
                raise RefusedError(message, hint="what goes to everyone is pushed with gitmem sync")
            if push:
                return memory.learnings.send(text, **options)
            return _named(memory, memory.learnings.inject(text, **options))

        done, notes = await service.write(ctx, work)
        if push:  # nothing is written here: the result is the ref's name at the remote
            about = {"short_id": "", "scope": "remote", "commit": ""}
            return schemas.WriteResult(key=done, **about, changed=True, notes="\n".join(notes))
        return _write_result(done, "private" if worker else PROJECT, notes)


def _add_propose(server: MCPServer[Any], service: Service) -> None:
    @server.tool(title="Propose a fact", annotations=ADDS)
    async def fact_propose(
        ctx: Context[Any, Any],
        *,
        title: Annotated[schemas.Line, Field(min_length=1, description="One sentence")],
        command: Annotated[str, Field(max_length=2000, description="Shell; exits 0 while it holds")] = "",
        check: Annotated[
            dict[str, Any],  # validated by the table, like a memory's `verify`
            # Without a rarely used flag: clients pay for the list of tools in every session.
            Field(description=f"Instead, one of {shapes().replace(', exactly: true?', '')}"),
        ] = {},
        body: Annotated[str, Field(max_length=20_000)] = "",
        paths: Annotated[schemas.Lines, Field(description="Globs of files")] = [],
        requires: schemas.Lines = [],
        network: Annotated[bool, Field(description="Needed")] = False,
        outside: Annotated[bool, Field(description="About the world, not code")] = False,
        env: Annotated[schemas.Lines, Field(description="Variables it may see")] = [],
    ) -> schemas.FactProposal:
        """Record a fact with its proof. A person approves commands; a check needs none."""

        def work(memory: Memory) -> tuple[Any, bool]:
            if bool(command.strip()) == bool(check):
                message = "give either a command or a check"
                raise RefusedError(message, hint='check: {"contains": "RS256", "in": "src/auth/*.py"}')
            rights.refuse_known_fact(memory, title, body)
            world = {"network": network, "outside": outside, "env": env}
            options: dict[str, Any] = {"body": body, "paths": paths, "requires": requires} | world
            # A command is never run here, not even an approved one: the fact is unproven.
            change = memory.fact(title, verify=check or command, unproven=not check, **options)
            return _named(memory, change), change.key in memory.repository.waiting_keys()

        ((change, short_id), waits), notes = await service.write(ctx, work)
        if waits:
            notes.append("it stays unproven until a person approves its command: gitmem trust --review")
        return schemas.FactProposal(
            key=change.key, short_id=short_id, commit=change.commit, waits=waits, notes="\n".join(notes)
        )


def _named(memory: Memory, change: Any) -> tuple[Any, str]:
    """Return a write with the short id of its memory; empty if this project's memory does not have it."""
    catalog = memory.repository.find_catalog()
    return change, "" if catalog is None else short_ids(catalog, [change.key]).get(change.key, "")


def _write_result(named: tuple[Any, str], scope: str, notes: list[str]) -> schemas.WriteResult:
    change, short_id = named
    if not change.is_written:
        notes.append("nothing was written: nothing would change")
    return schemas.WriteResult(
        key=change.key,
        short_id=short_id,
        scope=scope,
        commit=change.commit,
        changed=change.is_written,
        notes="\n".join(notes),
    )
