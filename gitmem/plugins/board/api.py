"""``memory.boards``: boards, which the workers of a run share until it ends."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitmem.commands.from_run.from_run import RunResult
    from gitmem.git.remotes import RemoteOptions
    from gitmem.memory import Memory
    from gitmem.plugins.board.board import Board
    from gitmem.plugins.board.log import PostedEntry
    from gitmem.plugins.board.survival import Missing
    from gitmem.plugins.board.sync import BoardSync


class Boards:
    """The boards of a repository, one for each run."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._repository = memory.repository

    def open(self, run: str, *, goal: str = "") -> tuple[Board, bool]:
        """Start a board, or resume the existing one; also return whether it is new."""
        from gitmem.plugins.board.actions import open_board

        return open_board(self._repository, run, goal)

    def post(
        self,
        run: str,
        text: str,
        *,
        type: str = "observation",
        links: Mapping[str, Sequence[str]] | None = None,
        doc: str = "",
        ref: str = "",
        evidence: str = "",
        confidence: float | None = None,
        worker: str = "",
        must_surface: bool = False,
    ) -> PostedEntry:
        """Add an entry; return the existing one if it was posted before.

        Args:
            run: The run.
            text: What was found.
            type: ``observation``, ``analysis``, ``calculation``, ``strategy``, ``gap`` or ``contradiction``.
            links: Entries that it ``supports``, ``contradicts``, ``supersedes`` or ``addresses``, by their names.
            doc: The document that it is from.
            ref: The place: ``path:line``, a URL, a commit.
            evidence: The text or output found there.
            confidence: From 0 to 1.
            worker: The author; if empty, the agent or person that works here.
            must_surface: Whether the final report must mention it.
        """
        from gitmem.errors import UsageError
        from gitmem.plugins.board import actions as board
        from gitmem.plugins.board.entry import POSTED, ClaimSource

        if type not in POSTED:
            raise UsageError(f"{type} cannot be posted", hint=f"choose one of {', '.join(POSTED)}")
        draft = board.BoardDraft(links or {}, ClaimSource(doc, ref, evidence), confidence, worker, must_surface)
        return board.post(self._repository, run, type, text, draft)

    def signal(self, run: str, text: str, *, severity: str = "high", worker: str = "") -> PostedEntry:
        """Ask a question; one of severity ``critical`` or ``high`` closes the gate until it is answered or waived."""
        from gitmem.errors import UsageError
        from gitmem.plugins.board import actions as board
        from gitmem.plugins.board.entry import SEVERITIES

        if severity not in SEVERITIES:
            raise UsageError(f"unknown severity: {severity}", hint=f"choose one of {', '.join(SEVERITIES)}")
        return board.post(self._repository, run, "signal", text, board.BoardDraft({}, worker=worker, severity=severity))

    def answer(
        self, run: str, *signals: str, text: str, ref: str = "", evidence: str = "", worker: str = ""
    ) -> PostedEntry:
        """Answer signals."""
        from gitmem.plugins.board import actions as board
        from gitmem.plugins.board.entry import ClaimSource

        draft = board.BoardDraft({}, ClaimSource("", ref, evidence), worker=worker)
        return board.answer(self._repository, run, signals, text, draft)

    def waive(self, run: str, *signals: str, why: str, worker: str = "") -> PostedEntry:
        """Leave signals unanswered, and record the reason."""
        from gitmem.plugins.board import actions as board

        return board.waive(self._repository, run, signals, why, worker=worker)

    def link(self, run: str, entry: str, links: Mapping[str, Sequence[str]], *, worker: str = "") -> PostedEntry:
        """Record how an entry relates to others: ``{"supports": ["e3"]}``."""
        from gitmem.plugins.board import actions as board

        return board.link(self._repository, run, entry, links, worker=worker)

    def show(self, run: str) -> Board:
        """Return a board."""
        from gitmem.plugins.board.log import read_board

        return read_board(self._repository.git, run)

    def list(self) -> Sequence[Board]:
        """Return the boards of this clone, including closed ones, sorted by name."""
        from gitmem.plugins.board.log import list_runs, read_board

        return [read_board(self._repository.git, run) for run in list_runs(self._repository.git)]

    def survival(self, run: str, report: str, *, threshold: float = 0.0) -> Sequence[Missing]:
        """Return the entries that a final report must mention but does not; *threshold* 0 is the default."""
        from gitmem.plugins.board.survival import THRESHOLD, find_missing

        return find_missing(self.show(run), report, threshold=threshold or THRESHOLD)

    def close(
        self, run: str, *, raw: bytes | None = None, why: str = "", force: bool = False, distil: bool = True
    ) -> tuple[Board, RunResult | None]:
        """End a run and write its results as memories, which are also returned; repeating it writes nothing twice.

        Args:
            run: The run.
            raw: The memories as `gitmem remember --from-run` reads them, instead of those made from the board.
            why: The reason; required with *force*.
            force: Close it although signals are open.
            distil: Whether memories are written; a refused one does not prevent the others.

        Raises:
            RunClosedError: Signals are open.
        """
        import json

        from gitmem.plugins.board import actions as board

        closed = board.close(self._repository, run, why, force=force)
        if not distil:
            return closed, None
        raw = json.dumps(board.distill(closed)).encode() if raw is None else raw
        return closed, self._memory.bulk.remember_run(raw, name=run, partial=True)

    def sync(
        self, remote: str = "", *, talk: RemoteOptions | None = None, push: bool = True, accept_rewritten: bool = False
    ) -> Sequence[BoardSync]:
        """Merge the boards of this clone with a remote's."""
        from gitmem.commands.sync.remote import remote_of
        from gitmem.git.remotes import RemoteOptions
        from gitmem.plugins.board.sync import exchange

        repository = self._repository
        return exchange(
            repository,
            remote_of(repository, remote),
            talk or RemoteOptions(),
            push=push,
            accept_rewritten=accept_rewritten,
        )
