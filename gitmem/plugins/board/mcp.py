"""The tools for one run's board: show it, and post to it. They exist only if a run is named (`--board`)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from gitmem.errors import RefusedError
from gitmem.mcp import answers, schemas
from gitmem.mcp.read_tools import READS
from gitmem.mcp.service import Service
from gitmem.mcp.write_tools import ADDS
from gitmem.memory import Memory
from gitmem.plugins.board.board import Board
from gitmem.plugins.board.entry import ANSWER, POSTED, SEVERITIES, SIGNAL, WAIVER, Entry
from gitmem.text.fence import fence_text

# mypy cannot see that these are literals of each.
Type = Literal[(*POSTED, SIGNAL, ANSWER, WAIVER)]  # type: ignore[valid-type]
Severity = Literal[SEVERITIES]  # type: ignore[valid-type]
# Entries whose text is shown, newest first; board_show returns the others by name.
SHOWN = 40


class BoardText(BaseModel):
    """A board: whether its gate is open, what closes it, and the names of the entries in the text."""

    closed: bool
    gate_open: bool
    blocking: list[str]
    entries: list[str]
    more: int
    text: str
    notes: str


class PostResult(BaseModel):
    """The result of a post."""

    name: str
    commit: str
    new: bool
    notes: str


def add_boards(server: MCPServer[Any], service: Service, run: str, *, read_only: bool) -> None:
    """Add the tools of a run's board."""
    _add_show(server, service, run)
    if not read_only:
        _add_post(server, service, run)


def _add_show(server: MCPServer[Any], service: Service, run: str) -> None:
    @server.tool(title="Show the board", annotations=READS)
    async def board_show(
        ctx: Context[Any, Any],
        *,
        names: Annotated[schemas.Lines, Field(description="Only these, in full: e17, s3")] = [],
        types: schemas.Lines = [],
        limit: Annotated[int, Field(ge=1, le=SHOWN)] = SHOWN,
    ) -> Annotated[CallToolResult, BoardText]:
        """Read the board of your run: open questions (signals), then what its workers found, the newest last."""
        board, notes = await service.read(ctx, lambda memory: memory.boards.show(run))
        wanted = [
            entry
            for entry in board.live
            if (not names or board.name_of(entry.id) in names) and (not types or entry.type in types)
        ]
        shown = wanted[-limit:]
        notes += [f"{len(board.problems)} files on it cannot be read"] if board.problems else []
        answer = BoardText(
            closed=board.is_closed,
            gate_open=not board.closing_signals,
            blocking=[board.name_of(signal.entry.id) for signal in board.closing_signals],
            entries=[board.name_of(entry.id) for entry in shown],
            more=len(wanted) - len(shown),
            text=board_text(board, shown, whole=bool(names)),
            notes="\n".join(notes),
        )
        gate = "open" if answer.gate_open else f"closed by {', '.join(answer.blocking)}"
        return answers.result(answer, f"gate: {gate}", rest="older")


def _add_post(server: MCPServer[Any], service: Service, run: str) -> None:
    @server.tool(title="Post to the board", annotations=ADDS)
    async def board_post(
        ctx: Context[Any, Any],
        *,
        text: Annotated[str, Field(min_length=1, max_length=8000)],
        type: Annotated[Type, Field(description="signal: an open question; waiver: why it stays open")] = "observation",
        worker: Annotated[schemas.Line, Field(description="Your name in this run")] = "",
        supports: schemas.Lines = [],
        contradicts: schemas.Lines = [],
        supersedes: schemas.Lines = [],
        addresses: Annotated[schemas.Lines, Field(description="Signals it answers or waives: s3")] = [],
        doc: schemas.Line = "",
        ref: Annotated[schemas.Line, Field(description="path:line, URL")] = "",
        evidence: Annotated[str, Field(max_length=8000)] = "",
        confidence: Annotated[float | None, Field(ge=0, le=1)] = None,
        severity: Annotated[Severity, Field(description="Of a signal; critical and high close the gate")] = "high",
        must_surface: Annotated[bool, Field(description="The final report must mention it")] = False,
    ) -> PostResult:
        """Share with the other workers of your run what you found, with its source, or ask them a question."""

        def work(memory: Memory) -> Any:
            boards = memory.boards
            if type == SIGNAL:
                return boards.signal(run, text, severity=severity, worker=worker)
            if type in (ANSWER, WAIVER) and not addresses:
                message = f"{type} needs the signals in addresses"
                raise RefusedError(message, hint='addresses: ["s1"]')
            if type == WAIVER:
                return boards.waive(run, *addresses, why=text, worker=worker)
            if type == ANSWER:
                return boards.answer(run, *addresses, text=text, ref=ref, evidence=evidence, worker=worker)
            links = {"supports": supports, "contradicts": contradicts, "supersedes": supersedes, "addresses": addresses}
            options: dict[str, Any] = {"doc": doc, "ref": ref, "evidence": evidence, "confidence": confidence}
            options |= {"links": links, "worker": worker, "must_surface": must_surface}
            return boards.post(run, text, type=type, **options)

        posted, notes = await service.write(ctx, work)
        notes += [] if posted.is_written else ["already on the board; nothing was written"]
        return PostResult(name=posted.entry.name, commit=posted.commit, new=posted.is_written, notes="\n".join(notes))


def board_text(board: Board, entries: list[Entry], *, whole: bool) -> str:
    """Return entries, fenced: each with its name, type, worker and state, then its text."""
    states = {signal.entry.id: signal.state for signal in board.signals}
    lines = []
    for entry in entries:
        links = [f"{name} {' '.join(map(board.name_of, ids))}" for name, ids in entry.links.items()]
        about = ", ".join(filter(None, [entry.type, entry.severity, states.get(entry.id, ""), entry.worker, *links]))
        text = entry.text[: answers.TEXT_LIMIT] if whole else answers.line(entry.text)
        source = " ".join(filter(None, [entry.source.doc, entry.source.ref, entry.source.evidence]))
        lines.append(f"[{board.name_of(entry.id)}] ({about}) {text}")
        lines += [f"  source: {answers.line(source)}"] if source else []
    return fence_text(
        "\n".join(lines), source="the board of a run; each entry has name, type and worker, then the text"
    )
